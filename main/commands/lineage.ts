import { WhetstoneError } from '../../engine/common/errors.ts';
import {
  graphKinds,
  lineageKinds,
  type GraphKind,
  type LineageGraph,
  type LineageKind,
  type LineageNode,
} from '../../preload/contract/lineage.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { text, workspaceOption, type Command } from './command.ts';

type Api = OpenServices['api'];
interface Tree {
  readonly node: LineageNode;
  readonly of: readonly Tree[];
}

/** Most generations that are followed. */
const deepest = 20;

const isKind = (kind: LineageNode['kind']): kind is LineageKind => lineageKinds.some((each) => each === kind);

/** Everything that a thing was made from, or that was made from it, each only once. */
async function treesOf(
  api: Api,
  nodes: readonly LineageNode[],
  way: 'from' | 'usedBy',
  seen: Set<string>,
  depth = 0,
): Promise<Tree[]> {
  const trees: Tree[] = [];
  for (const node of nodes) {
    const { kind, id } = node;
    const isNew = isKind(kind) && !seen.has(id) && node.removed !== true && depth < deepest;
    seen.add(id);
    const next = isNew ? (await api.lineage.of({ kind, id }))[way] : [];
    trees.push({ node, of: await treesOf(api, next, way, seen, depth + 1) });
  }
  return trees;
}

const textOf = ({ kind, id, name, note, removed }: LineageNode): string =>
  `${kind} ${name} (${note}${removed === true ? ', removed' : ''})${isKind(kind) ? ` ${id}` : ''}`;

const lines = (trees: readonly Tree[], indent = '  '): string[] =>
  trees.flatMap(({ node, of }) => [indent + textOf(node), ...lines(of, `${indent}  `)]);

/** The first answer for a thing of this id, by its possible kinds. Throws `not-found`. */
async function firstOf<K extends GraphKind, T>(
  id: string,
  kinds: readonly K[],
  answerOf: (kind: K) => T | Promise<T>,
): Promise<T> {
  for (const kind of kinds) {
    try {
      return await answerOf(kind);
    } catch (error) {
      if (WhetstoneError.from(error).kind !== 'not-found') throw error;
    }
  }
  throw new WhetstoneError('not-found', 'Nothing in the workspace has this id.', {
    where: id,
    hint: 'Give the id of a dataset, a label set, a run, a checkpoint or a model.',
  });
}

/** A graph in the language of Graphviz. */
function dotOf({ nodes, edges }: LineageGraph): string {
  const quoted = (words: string): string => `"${words.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', ' ')}"`;
  return [
    'digraph lineage {',
    '  rankdir=LR; node [shape=box];',
    ...nodes.map(
      ({ kind, name, note }, at) =>
        `  n${at} [label=${quoted(`${kind} ${name} (${note})`)}${at === 0 ? ', style=bold' : ''}];`,
    ),
    ...edges.map(({ from, to }) => `  n${from} -> n${to};`),
    '}',
  ].join('\n');
}

export const lineageCommand: Command = {
  name: 'lineage',
  usage: 'ID --workspace DIR [--graph]',
  summary:
    'Show what a dataset, label set, run, checkpoint or model was made from, up to files, and what was made ' +
    'from it; --graph: as nodes and edges, in the language of Graphviz.',
  example: 'RUN --workspace my-work --json',
  positionals: { least: 1, most: 1 },
  names: [
    { kind: 'dataset', from: 0, isOptional: true },
    { kind: 'label set', from: 0, isOptional: true },
  ],
  options: { ...workspaceOption, graph: { type: 'boolean' } },
  async run({ positionals: [id], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { api } = bench;
      if (values.graph === true) {
        const graph = await firstOf(id, graphKinds, (kind) =>
          api.lineage.graph({ kind, id, steps: 8, each: 100 }),
        );
        return { value: graph, text: dotOf(graph) };
      }
      const { node, from, usedBy } = await firstOf(id, lineageKinds, (kind) => api.lineage.of({ kind, id }));
      const value = {
        node,
        from: await treesOf(api, from, 'from', new Set([id])),
        usedBy: await treesOf(api, usedBy, 'usedBy', new Set([id])),
      };
      const shown = [
        `${node.kind} ${node.name} (${node.note})`,
        ...(value.from.length > 0 ? ['made from', ...lines(value.from)] : []),
        ...(value.usedBy.length > 0 ? ['used by', ...lines(value.usedBy)] : []),
      ];
      return { value, text: shown.join('\n') };
    } finally {
      await bench.close();
    }
  },
};
