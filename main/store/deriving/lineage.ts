import { basename } from 'node:path';
import type { LineageKind, LineageNode } from '../../../preload/contract/lineage.ts';
import { found, type StoreContext } from '../context.ts';
import type { Db } from '../database.ts';
import { recipeOf } from './index.ts';
import { stateText } from '../../../preload/wire/dataset-state.ts';
import { recipeNote } from './notes.ts';

interface Lineage {
  readonly node: LineageNode;
  readonly from: LineageNode[];
  readonly usedBy: LineageNode[];
}
type Named = { id: string; name: string; note: string };

/** Most children in an answer. */
const most = 200;

/** Where things of the workspace are from, and what was made from them. */
export const lineageQueries = ({ db }: StoreContext) => {
  const nodes = nodesOf(db);
  const of: { readonly [K in LineageKind]: (id: string) => Lineage } = {
    dataset: (id) => ({
      node: nodes.dataset(id),
      from: datasetParents(db, nodes, id),
      usedBy: datasetChildren(db, id),
    }),
    'label-set': (id) => {
      const source = db
        .prepare<[string], { run_id: string | null; dataset_id: string | null }>(
          'select run_id, dataset_id from label_sets where id = ?',
        )
        .get(id);
      return {
        node: nodes['label-set'](id),
        from: [
          ...(source?.run_id ? [nodes.run(source.run_id)] : []),
          ...(source?.dataset_id ? [nodes.dataset(source.dataset_id)] : []),
        ],
        usedBy: runsWith(db, 'label-set', id),
      };
    },
    run: (id) => ({ node: nodes.run(id), from: runParents(db, nodes, id), usedBy: runChildren(db, id) }),
    checkpoint: (id) => {
      const run = db.prepare<[string], string>('select run_id from checkpoints where id = ?').pluck().get(id);
      return {
        node: nodes.checkpoint(id),
        from: run === undefined ? [] : [nodes.run(run)],
        usedBy: runsWith(db, 'checkpoint', id),
      };
    },
    model: (id) => {
      const folder = db.prepare<[string], string>('select path from models where id = ?').pluck().get(id);
      return {
        node: nodes.model(id),
        from:
          folder === undefined ? [] : [{ kind: 'file', id: folder, name: basename(folder), note: 'folder' }],
        usedBy: runsWith(db, 'model', id),
      };
    },
  };
  return {
    /** What something was made from and is used by, one step each way. Throws `not-found`. */
    of(kind: LineageKind, id: string): Lineage {
      const answer = of[kind](id);
      if (answer.node.removed) found(undefined, kind, id);
      return answer;
    },
  };
};

type Nodes = { readonly [K in LineageKind]: (id: string) => LineageNode };

/** Names of things by id; of removed ones, the start of the id. */
function nodesOf(db: Db): Nodes {
  const node =
    (kind: LineageKind, sql: string) =>
    (id: string): LineageNode => {
      const named = db.prepare<[string], Named>(sql).get(id);
      if (named) return { kind, ...named };
      return { kind, id, name: `${id.slice(0, 8)}…`, note: 'removed', removed: true };
    };
  return {
    dataset: node(
      'dataset',
      "select id, name, rows || ' rows' note from datasets where id = ? and visible = 1",
    ),
    'label-set': node(
      'label-set',
      "select id, name, labeled || ' labels' note from label_sets where id = ? and visible = 1",
    ),
    run: node('run', "select id, name, method || ', ' || state note from runs where id = ? and visible = 1"),
    checkpoint: node(
      'checkpoint',
      "select c.id, r.name || ', step ' || c.step name, r.method note from checkpoints c join runs r on r.id = c.run_id where c.id = ?",
    ),
    model: node('model', "select id, name, 'added model' note from models where id = ?"),
  };
}

function datasetParents(db: Db, nodes: Nodes, id: string): LineageNode[] {
  const made = recipeOf(db, id);
  if (made)
    return made.parents.map((parent, at) => {
      const now = nodes.dataset(parent.datasetId);
      const note = `${stateText(parent)}; ${recipeNote(made.recipe, at)}`;
      return now.removed ? { ...now, name: parent.name, note } : { ...now, note };
    });
  const file = db
    .prepare<[string], { source: string; hash: string }>('select source, hash from datasets where id = ?')
    .get(id);
  if (!file) return [];
  return [
    { kind: 'file', id: file.source, name: basename(file.source), note: `file ${file.hash.slice(0, 12)}` },
  ];
}

function datasetChildren(db: Db, id: string): LineageNode[] {
  const derived = db
    .prepare<[string, number], Named>(
      `select distinct d.id, d.name, d.rows || ' rows' note from dataset_parents p
       join datasets d on d.id = p.dataset_id and d.visible = 1 where p.parent_id = ? order by d.id desc limit ?`,
    )
    .all(id, most);
  const sets = db
    .prepare<[string, number], Named>(
      "select id, name, labeled || ' labels' note from label_sets where dataset_id = ? and visible = 1 order by id desc limit ?",
    )
    .all(id, most);
  return [
    ...derived.map((each): LineageNode => ({ kind: 'dataset', ...each })),
    ...sets.map((each): LineageNode => ({ kind: 'label-set', ...each })),
    ...runsOn(db, id),
  ];
}

type RunOn = Named & { sequence: number | null; version: string | null };

/** The runs that trained on a dataset, with the state that they trained on, or measured it. */
function runsOn(db: Db, id: string): LineageNode[] {
  return db
    .prepare<[string, number], RunOn>(
      `select distinct r.id, r.name, r.method note, s.sequence, s.version from run_inputs i
       join runs r on r.id = i.run_id and r.visible = 1
       left join run_data s on s.run_id = r.id and s.dataset_id = i.ref
       where i.kind = 'dataset' and i.ref = ? order by r.id desc limit ?`,
    )
    .all(id, most)
    .map(({ sequence, version, note, ...run }) => ({
      kind: 'run',
      ...run,
      note: sequence === null ? note : `${note}, ${stateText({ sequence, version })}`,
    }));
}

function runsWith(db: Db, kind: 'label-set' | 'checkpoint' | 'model', id: string): LineageNode[] {
  return db
    .prepare<[string, string, number], Named>(
      `select r.id, r.name, r.method note from run_inputs i join runs r on r.id = i.run_id and r.visible = 1
       where i.kind = ? and i.ref = ? order by r.id desc limit ?`,
    )
    .all(kind, id, most)
    .map((run) => ({ kind: 'run', ...run }));
}

function runParents(db: Db, nodes: Nodes, id: string): LineageNode[] {
  const state = db
    .prepare<[string], { dataset_id: string; name: string; sequence: number; version: string | null }>(
      'select dataset_id, name, sequence, version from run_data where run_id = ?',
    )
    .get(id);
  return db
    .prepare<[string], { kind: LineageKind; ref: string }>(
      'select distinct kind, ref from run_inputs where run_id = ?',
    )
    .all(id)
    .map(({ kind, ref }) => {
      const node = nodes[kind](ref);
      return state && kind === 'dataset' && state.dataset_id === ref
        ? { ...node, note: stateText(state) }
        : node;
    });
}

function runChildren(db: Db, id: string): LineageNode[] {
  const checkpoints = db
    .prepare<[string, number], Named>(
      `select c.id, r.name || ', step ' || c.step name, r.method note from checkpoints c join runs r on r.id = c.run_id
       where c.run_id = ? order by c.id desc limit ?`,
    )
    .all(id, most);
  const sets = db
    .prepare<[string, number], Named>(
      "select id, name, labeled || ' labels' note from label_sets where run_id = ? and visible = 1 order by id desc limit ?",
    )
    .all(id, most);
  return [
    ...checkpoints.map((each): LineageNode => ({ kind: 'checkpoint', ...each })),
    ...sets.map((each): LineageNode => ({ kind: 'label-set', ...each })),
  ];
}
