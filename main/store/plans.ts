import type { ErrorFacts } from '../../engine/common/errors.ts';
import type { CandidateMode } from '../../engine/schema/plan.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { found, mostRows, type StoreContext } from './context.ts';
import type { RunInput, RunOrigin } from './runs.ts';
import { uuid } from './uuid.ts';

/** A node that has begun: its run, dataset or label set, or why it could not begin. */
export interface StoredNode {
  readonly node: string;
  readonly runId: string | null;
  /** Of complete data. */
  readonly datasetId: string | null;
  readonly rows: number | null;
  /** A label set whose pairs are all decided. */
  readonly labelSetId: string | null;
  /** Number of its pairs. */
  readonly pairs: number | null;
  /** A label set that was being decided when the process ended. */
  readonly unfinishedSetId: string | null;
  readonly error: ErrorFacts | null;
}

/** What was decided about a candidate of an arena; with `code` it was added. */
export interface StoredDecision {
  /** Full id of the arena. */
  readonly arena: string;
  /** The first pull for which it holds, from 0. */
  readonly at: number;
  readonly candidate: string;
  readonly mode: CandidateMode;
  readonly code: string | null;
  /** Of an added one: the candidate whose newest policy it begins from; null: the start of the first one. */
  readonly origin: string | null;
}

export interface StoredPlan {
  readonly id: string;
  readonly name: string;
  /** The file, as it was given. */
  readonly file: unknown;
  readonly createdAt: number;
  /** True if it was stopped, so that nothing more starts by itself. */
  readonly stopped: boolean;
  readonly nodes: readonly StoredNode[];
  /** First to last. */
  readonly decisions: readonly StoredDecision[];
}

/** A plan to store: `hash` tells whether a file is the same plan. */
export interface NewPlan {
  readonly name: string;
  readonly file: unknown;
  readonly hash: string;
}

/** What a run of a plan is made from. */
export interface NodeRun {
  readonly spec: RunSpec;
  readonly inputs: readonly RunInput[];
}

type Row = { id: string; name: string; spec: string; created_at: number; stopped: number };
type NodeRow = Omit<StoredNode, 'error'> & { error: string | null };
type Create = (spec: RunSpec, inputs: readonly RunInput[], options?: RunOrigin) => Run;

const nodesOfPlan = `
  select n.node, r.id runId, d.id datasetId, d.rows, n.error, s.pairs,
    case when n.labeled = 1 then s.id end labelSetId, case when n.labeled = 0 then s.id end unfinishedSetId
    from plan_nodes n
    left join runs r on r.id = n.run_id and r.visible = 1
    left join datasets d on d.id = n.dataset_id and d.visible = 1
    left join label_sets s on s.id = n.label_set_id and s.visible = 1
    where n.plan_id = ? order by n.node`;
const putNode = `
  insert into plan_nodes (plan_id, node, run_id, dataset_id, label_set_id, labeled, error)
    values (:id, :node, :run, :dataset, :labelSet, :labeled, :error)
    on conflict do update set run_id = excluded.run_id, dataset_id = excluded.dataset_id,
      label_set_id = excluded.label_set_id, labeled = excluded.labeled, error = excluded.error`;

const decisionsOfPlan =
  'select arena, at, candidate, mode, code, origin from arena_decisions where plan_id = ? order by position';
const addDecision = `
  insert into arena_decisions (plan_id, position, arena, at, candidate, mode, code, origin, created_at)
    select :id, count(*), :arena, :at, :candidate, :mode, :code, :origin, :now from arena_decisions where plan_id = :id`;

/**
 * Plans, and what each of their nodes made. The node of a removed run or dataset stays with nulls: it has begun, and
 * begins again once it is forgotten.
 */
export const planQueries = ({ db }: StoreContext, { create }: { readonly create: Create }) => {
  const nodesOf = db.prepare<[string], NodeRow>(nodesOfPlan);
  const decisionsOf = db.prepare<[string], StoredDecision>(decisionsOfPlan);
  const fromRow = ({ id, name, spec, created_at: createdAt, stopped }: Row): StoredPlan => ({
    id,
    name,
    file: JSON.parse(spec) as unknown,
    createdAt,
    stopped: stopped === 1,
    nodes: nodesOf.all(id).map(({ error, ...node }) => ({
      ...node,
      error: error === null ? null : (JSON.parse(error) as ErrorFacts),
    })),
    decisions: decisionsOf.all(id),
  });
  const get = (id: string): StoredPlan =>
    fromRow(found(db.prepare<[string], Row>('select * from plans where id = ?').get(id), 'plan', id));
  const put = db.prepare(putNode);
  const nothing = { run: null, dataset: null, labelSet: null, labeled: 0, error: null };
  const store = (id: string, node: string, made: Partial<Record<keyof typeof nothing, string | number>>) =>
    put.run({ ...nothing, id, node, ...made });

  /** The newest plan of a file with this hash. */
  const ofHash = (hash: string): string | null =>
    db
      .prepare<[string], { id: string }>('select id from plans where hash = ? order by id desc limit 1')
      .get(hash)?.id ?? null;

  return {
    get,
    /** Newest first. */
    list: (): StoredPlan[] =>
      db.prepare<[number], Row>('select * from plans order by id desc limit ?').all(mostRows).map(fromRow),

    ofHash,

    /** The plan and node that a run belongs to. */
    ofRun: (runId: string): { id: string; node: string } | null =>
      db
        .prepare<[string], { id: string; node: string }>(
          'select plan_id id, node from plan_nodes where run_id = ?',
        )
        .get(runId) ?? null,

    /** Stores a plan once: that of the same hash, if there is one, else a new one. */
    create({ name, file, hash }: NewPlan): { id: string; isNew: boolean } {
      const known = ofHash(hash);
      if (known !== null) return { id: known, isNew: false };
      const id = uuid();
      db.prepare('insert into plans (id, name, spec, hash, created_at) values (?, ?, ?, ?, ?)').run(
        id,
        name,
        JSON.stringify(file),
        hash,
        Date.now(),
      );
      return { id, isNew: true };
    },

    /** Queues the run of a node, and stores that it is the node's; both or neither. */
    addRun: db.transaction((id: string, node: string, { spec, inputs }: NodeRun): Run => {
      const run = create(spec, inputs);
      store(id, node, { run: run.id });
      return run;
    }),

    /** Stores the dataset of a node, also one in the making: it counts once it is complete. */
    setDataset(id: string, node: string, datasetId: string): void {
      store(id, node, { dataset: datasetId });
    },

    /** Stores the label set of a node; it counts once all its pairs are decided (`labeled`). */
    setLabels(id: string, node: string, labelSetId: string, labeled: boolean): void {
      store(id, node, { labelSet: labelSetId, labeled: Number(labeled) });
    },

    /** Stores why a node could not begin. */
    setError(id: string, node: string, error: ErrorFacts): void {
      store(id, node, { error: JSON.stringify(error) });
    },

    /** Forgets what a node made, or why it could not begin, so that it begins again; its run stays. */
    forget(id: string, node: string): void {
      db.prepare('delete from plan_nodes where plan_id = ? and node = ?').run(id, node);
    },

    /** Stores what was decided about a candidate, behind all earlier decisions. */
    decide(id: string, decision: StoredDecision): void {
      db.prepare(addDecision).run({ id, ...decision, now: Date.now() });
    },

    setStopped(id: string, stopped: boolean): void {
      db.prepare('update plans set stopped = ? where id = ?').run(Number(stopped), id);
    },

    /** Removes the plan; its runs and datasets stay. */
    remove(id: string): void {
      get(id);
      db.prepare('delete from plans where id = ?').run(id);
    },
  };
};
