import { WhetstoneError } from '../../engine/common/errors.ts';
import { lineageKinds, type LineageKind, type LineageNode } from '../../preload/contract/lineage.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { text, workspaceOption, type Command } from './command.ts';

type Api = OpenServices['api'];
interface Tree {
  readonly node: LineageNode;
  readonly of: readonly Tree[];
}

/** Most generations that are followed. */
const deepest = 20;

const isKind = (kind: LineageNode['kind']): kind is LineageKind => kind !== 'file';

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

/** The thing of this id. Throws `not-found`. */
async function nodeOf(api: Api, id: string) {
  for (const kind of lineageKinds) {
    try {
      return await api.lineage.of({ kind, id });
    } catch (error) {
      if (WhetstoneError.from(error).kind !== 'not-found') throw error;
    }
  }
  throw new WhetstoneError('not-found', 'Nothing in the workspace has this id.', {
    where: id,
    hint: 'Give the id of a dataset, a label set, a run, a checkpoint or a model.',
  });
}

export const lineageCommand: Command = {
  name: 'lineage',
  usage: 'ID --workspace DIR',
  summary:
    'Show what a dataset, label set, run, checkpoint or model was made from, up to files, and what was made from it.',
  example: 'RUN --workspace my-work --json',
  positionals: { least: 1, most: 1 },
  names: [
    { kind: 'dataset', from: 0, isOptional: true },
    { kind: 'label set', from: 0, isOptional: true },
  ],
  options: workspaceOption,
  async run({ positionals: [id], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { api } = bench;
      const { node, from, usedBy } = await nodeOf(api, id);
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
