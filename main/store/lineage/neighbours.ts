import type { GraphKind } from '../../../preload/contract/lineage.ts';
import type { Db } from '../database.ts';
import { evaluationId, evaluationOf, key, versionId, versionOf, type Key } from './keys.ts';

/** Most neighbours of a thing that are read, each way; the newest. */
export const mostNeighbours = 200;

export interface Neighbours {
  readonly from: readonly Key[];
  readonly usedBy: readonly Key[];
}

/** A recorded state of a dataset. */
interface State {
  readonly dataset_id: string;
  readonly sequence: number;
  readonly is_saved: number;
}

/** The version of a recorded state; where it is the imported file without changes, the dataset itself. */
const stateKey = ({ dataset_id: id, sequence, is_saved: isSaved }: State): Key =>
  sequence > 0 || isSaved === 1 ? key('version', versionId(id, sequence)) : key('dataset', id);

/** States as a saved version names them: of `rows`, with the columns dataset_id, sequence, version. */
const states = (rows: string): string => `
  select s.*, coalesce(v.sequence, s.sequence) sequence, v.id is not null is_saved from (${rows}) s
  left join dataset_versions v on v.dataset_id = s.dataset_id and v.name = s.version`;

const parentStates =
  'select parent_id dataset_id, sequence, version, dataset_id child, position from dataset_parents';

/** Ids in the source of a dataset of answers: `run ID, ID`, `checkpoint ID`, `head-to-head of runs ID ID`. */
export function writersOf(source: string): Key[] {
  const written = /^(?:head-to-head of )?(run|checkpoint|model)s? (?=[0-9a-f-]{36})/.exec(source);
  if (!written) return [];
  return (source.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []).map((id) => key(written[1] as GraphKind, id));
}

/** One step from a thing in the graph: what it was made from, and what was made from it. */
export function neighbours(db: Db): (of: Key) => Neighbours {
  const lists = listsOf(db);
  const of: { readonly [K in GraphKind]: (id: string) => Neighbours } = {
    file: (id) => ({ from: [], usedBy: [...lists.datasetsOfFile(id), ...lists.modelsOf(id)] }),
    dataset: (id) => ({
      from: lists.datasetParents(id),
      usedBy: [...lists.versions(id), ...lists.ofDataset(id)],
    }),
    version(id) {
      const { datasetId, sequence } = versionOf(id);
      return {
        from: [key('dataset', datasetId)],
        usedBy: lists.ofState(
          datasetId,
          (each) => each.kind === 'version' && each.id === versionId(datasetId, sequence),
        ),
      };
    },
    'label-set': (id) => ({ from: lists.labelSources(id), usedBy: lists.runsWith('label-set', id) }),
    run: (id) => ({
      from: lists.runParents(id),
      usedBy: [
        ...lists.checkpoints(id),
        ...lists.evaluations(id),
        ...lists.setsOfRun(id),
        ...lists.answersOf(id),
      ],
    }),
    checkpoint: (id) => ({
      from: lists.runOfCheckpoint(id),
      usedBy: [...lists.evaluationsAt(id), ...lists.runsWith('checkpoint', id), ...lists.answersOf(id)],
    }),
    evaluation: (id) => ({ from: lists.evaluated(id), usedBy: [] }),
    model: (id) => ({
      from: lists.folderOf(id),
      usedBy: [...lists.runsWith('model', id), ...lists.answersOf(id)],
    }),
  };
  return ({ kind, id }) => of[kind](id);
}

type Ids = readonly { readonly id: string }[];
const keys = (kind: GraphKind, rows: Ids): Key[] => rows.map(({ id }) => key(kind, id));

function listsOf(db: Db) {
  const ids = <P extends unknown[]>(sql: string) => {
    const query = db.prepare<[...P, number], { id: string }>(`${sql} limit ?`);
    return (...parameters: P): Ids => query.all(...parameters, mostNeighbours);
  };
  const derivedStates = db.prepare<[string, number], State & { child: string }>(
    `${states(`${parentStates} p where parent_id = ?`)}
      join datasets d on d.id = s.child and d.visible = 1 order by s.child desc limit ?`,
  );
  const runStates = db.prepare<[string, number], State & { child: string }>(
    `${states('select dataset_id, sequence, version, run_id child from run_data where dataset_id = ?')}
      join runs r on r.id = s.child and r.visible = 1 order by s.child desc limit ?`,
  );
  const used = (id: string): { state: Key; child: Key }[] => [
    ...derivedStates
      .all(id, mostNeighbours)
      .map((each) => ({ state: stateKey(each), child: key('dataset', each.child) })),
    ...runStates
      .all(id, mostNeighbours)
      .map((each) => ({ state: stateKey(each), child: key('run', each.child) })),
  ];
  return { ...datasetLists(db, ids, used), ...runLists(db, ids), ...checkpointLists(db, ids) };
}

type IdQuery = <P extends unknown[]>(sql: string) => (...parameters: P) => Ids;

function datasetLists(db: Db, ids: IdQuery, used: (id: string) => { state: Key; child: Key }[]) {
  const parents = db.prepare<[string], State>(
    `${states(`${parentStates} where dataset_id = ?`)} order by s.position`,
  );
  const source = db.prepare<[string], string>('select source from datasets where id = ?').pluck();
  const ofFile = ids<[string]>(`select id from datasets d where source = ? and visible = 1
    and not exists (select 1 from dataset_recipes r where r.dataset_id = d.id) order by id desc`);
  const saved = db.prepare<[string, number], { sequence: number }>(
    'select distinct sequence from dataset_versions where dataset_id = ? order by sequence desc limit ?',
  );
  const sets = ids<[string]>(
    'select id from label_sets where dataset_id = ? and visible = 1 order by id desc',
  );
  const stateless = ids<
    [string]
  >(`select distinct r.id from run_inputs i join runs r on r.id = i.run_id and r.visible = 1
    where i.kind = 'dataset' and i.ref = ?
    and not exists (select 1 from run_datasets s where s.run_id = r.id and s.dataset_id = i.ref) order by r.id desc`);
  const unique = (all: readonly Key[]): Key[] => [
    ...new Map(all.map((each) => [`${each.kind} ${each.id}`, each])).values(),
  ];
  return {
    datasetParents(id: string): Key[] {
      const made = parents.all(id);
      if (made.length > 0) return unique(made.map(stateKey));
      const from = source.get(id);
      if (from === undefined) return [];
      const writers = writersOf(from);
      return writers.length > 0 ? writers : [key('file', from)];
    },
    datasetsOfFile: (path: string): Key[] => keys('dataset', ofFile(path)),
    versions: (id: string): Key[] =>
      unique([
        ...saved.all(id, mostNeighbours).map(({ sequence }) => key('version', versionId(id, sequence))),
        ...used(id).flatMap(({ state }) => (state.kind === 'version' ? [state] : [])),
      ]),
    /** Things made from the dataset without a version in between. */
    ofDataset: (id: string): Key[] =>
      unique([
        ...keys('label-set', sets(id)),
        ...used(id).flatMap(({ state, child }) => (state.kind === 'dataset' ? [child] : [])),
        ...keys('run', stateless(id)),
      ]),
    ofState: (id: string, isIt: (state: Key) => boolean): Key[] =>
      unique(used(id).flatMap(({ state, child }) => (isIt(state) ? [child] : []))),
  };
}

function runLists(db: Db, ids: IdQuery) {
  const inputs = db.prepare<[string], Key>('select distinct kind, ref id from run_inputs where run_id = ?');
  const data = db.prepare<[string], State>(
    states('select dataset_id, sequence, version from run_data where run_id = ?'),
  );
  const runsWith = ids<[string, string]>(`select r.id from run_inputs i join runs r on r.id = i.run_id
    and r.visible = 1 where i.kind = ? and i.ref = ? order by r.id desc`);
  const sets = ids<[string]>('select id from label_sets where run_id = ? and visible = 1 order by id desc');
  // few datasets, and none of them is read: their sources are in their rows
  const answers = ids<[string]>(`select id from datasets d where visible = 1 and instr(source, ?) > 0
    and not exists (select 1 from dataset_recipes r where r.dataset_id = d.id) order by id desc`);
  const labelSource = db.prepare<[string], { run_id: string | null; dataset_id: string | null }>(
    'select run_id, dataset_id from label_sets where id = ?',
  );
  return {
    runParents(id: string): Key[] {
      const state = data.get(id);
      return inputs
        .all(id)
        .map((each) => (each.kind === 'dataset' && state?.dataset_id === each.id ? stateKey(state) : each));
    },
    runsWith: (kind: 'label-set' | 'checkpoint' | 'model', id: string): Key[] =>
      keys('run', runsWith(kind, id)),
    setsOfRun: (id: string): Key[] => keys('label-set', sets(id)),
    answersOf: (id: string): Key[] => (id.length < 36 ? [] : keys('dataset', answers(id))),
    labelSources(id: string): Key[] {
      const from = labelSource.get(id);
      return [
        ...(from?.run_id ? [key('run', from.run_id)] : []),
        ...(from?.dataset_id ? [key('dataset', from.dataset_id)] : []),
      ];
    },
  };
}

function checkpointLists(db: Db, ids: IdQuery) {
  const checkpoints = ids<[string]>(
    'select id from checkpoints where run_id = ? order by step desc, id desc',
  );
  const run = db.prepare<[string], string>('select run_id from checkpoints where id = ?').pluck();
  const ends = "kind in ('evaluation', 'reward-inspection', 'preference-evaluation', 'episodes')";
  type Row = { run_id: string; kind: string; step: number };
  const alone = db.prepare<[string, number], Row>(`
    select distinct run_id, kind, step from results e where run_id = ? and ${ends}
    and not exists (select 1 from checkpoints c where c.run_id = e.run_id and c.step = e.step)
    order by step desc limit ?`);
  const at = db.prepare<[string], Row>(`
    select distinct e.run_id, e.kind, e.step from checkpoints c
    join results e on e.run_id = c.run_id and e.step = c.step and e.${ends} where c.id = ?`);
  const measured = db
    .prepare<[string, number], string>(
      `
    select id from checkpoints where run_id = ? and step = ? order by attempt desc, rowid desc limit 1`,
    )
    .pluck();
  const folder = db.prepare<[string], string>('select path from models where id = ?').pluck();
  const models = ids<[string]>('select id from models where path = ? order by id desc');
  const evaluation = ({ run_id: id, kind, step }: Row): Key =>
    key('evaluation', evaluationId(id, kind, step));
  return {
    checkpoints: (id: string): Key[] => keys('checkpoint', checkpoints(id)),
    evaluations: (id: string): Key[] => alone.all(id, mostNeighbours).map(evaluation),
    evaluationsAt: (id: string): Key[] => at.all(id).map(evaluation),
    runOfCheckpoint(id: string): Key[] {
      const runId = run.get(id);
      return runId === undefined ? [] : [key('run', runId)];
    },
    evaluated(id: string): Key[] {
      const { runId, step } = evaluationOf(id);
      const checkpoint = Number.isFinite(step) ? measured.get(runId, step) : undefined;
      return [checkpoint === undefined ? key('run', runId) : key('checkpoint', checkpoint)];
    },
    modelsOf: (path: string): Key[] => keys('model', models(path)),
    folderOf(id: string): Key[] {
      const path = folder.get(id);
      return path === undefined ? [] : [key('file', path)];
    },
  };
}
