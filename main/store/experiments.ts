import { WhetstoneError } from '../../engine/common/errors.ts';
import { ExperimentSpec, HalvingDecision } from '../../engine/schema/experiment.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { found, mostRows, type StoreContext } from './context.ts';
import type { Db } from './database.ts';
import { metricEnds } from './metric-points.ts';
import type { RunFork, RunInput, RunOrigin } from './runs.ts';
import { uuid } from './uuid.ts';

/** A run to create for an experiment. */
export interface NewRun {
  readonly configuration: number;
  readonly seed: number;
  readonly rung: number;
  readonly spec: RunSpec;
  readonly inputs: readonly RunInput[];
  readonly fork?: RunFork;
}

/** A run's place in an experiment. */
export interface Member {
  readonly runId: string;
  readonly configuration: number;
  readonly seed: number;
  readonly rung: number;
}

export interface StoredExperiment {
  readonly id: string;
  readonly name: string;
  readonly spec: ExperimentSpec;
  readonly createdAt: number;
  /** True if it was stopped, so that nothing more starts by itself. */
  readonly stopped: boolean;
  readonly members: readonly Member[];
  readonly decisions: readonly HalvingDecision[];
}

type Row = { id: string; name: string; spec: string; created_at: number; stopped: number };
type Create = (spec: RunSpec, inputs: readonly RunInput[], options?: RunOrigin) => Run;

/** Reads an experiment with its runs and decisions. */
function reader(db: Db): (row: Row) => StoredExperiment {
  const members = db.prepare<[string], Member>(`
    select e.run_id runId, e.configuration, e.seed, e.rung from experiment_runs e
      join runs r on r.id = e.run_id and r.visible = 1
      where e.experiment_id = ? order by e.rung, e.configuration, e.seed`);
  const decisions = db.prepare<[string], { decision: string }>(
    'select decision from experiment_decisions where experiment_id = ? order by rung',
  );
  return (row) => ({
    id: row.id,
    name: row.name,
    spec: ExperimentSpec.parse(JSON.parse(row.spec)),
    createdAt: row.created_at,
    stopped: row.stopped === 1,
    members: members.all(row.id),
    decisions: decisions.all(row.id).map(({ decision }) => HalvingDecision.parse(JSON.parse(decision))),
  });
}

/** Experiments, which runs belong to them, and the decisions of successive halving. */
export const experimentQueries = ({ db }: StoreContext, { create }: { readonly create: Create }) => {
  const fromRow = reader(db);
  const get = (id: string): StoredExperiment =>
    fromRow(
      found(db.prepare<[string], Row>('select * from experiments where id = ?').get(id), 'experiment', id),
    );
  const add = (id: string, runs: readonly NewRun[]): Run[] =>
    runs.map(({ configuration, seed, rung, spec, inputs, fork }) => {
      const run = create(spec, inputs, { fork });
      db.prepare('insert into experiment_runs values (?, ?, ?, ?, ?)').run(
        run.id,
        id,
        configuration,
        seed,
        rung,
      );
      return run;
    });

  return {
    get,
    /** Newest first. */
    list: (): StoredExperiment[] =>
      db
        .prepare<[number], Row>('select * from experiments order by id desc limit ?')
        .all(mostRows)
        .map(fromRow),

    /** The experiment that a run belongs to. */
    ofRun: (runId: string): string | null =>
      db
        .prepare<[string], { id: string }>('select experiment_id id from experiment_runs where run_id = ?')
        .get(runId)?.id ?? null,

    /** Stores an experiment and queues its first runs. */
    create: db.transaction(
      (name: string, spec: ExperimentSpec, runs: readonly NewRun[]): { id: string; runs: Run[] } => {
        const id = uuid();
        db.prepare('insert into experiments (id, name, spec, created_at) values (?, ?, ?, ?)').run(
          id,
          name,
          JSON.stringify(spec),
          Date.now(),
        );
        return { id, runs: add(id, runs) };
      },
    ),

    /**
     * Stores the decision of a rung and queues the runs of the next one, both or neither. Throws `conflict` if
     * the rung was decided before.
     */
    advance: db.transaction((id: string, decision: HalvingDecision, runs: readonly NewRun[]): Run[] => {
      const { changes } = db
        .prepare('insert into experiment_decisions values (?, ?, ?, ?) on conflict do nothing')
        .run(id, decision.rung, JSON.stringify(decision), Date.now());
      if (changes === 0)
        throw new WhetstoneError('conflict', `Rung ${decision.rung + 1} is decided already.`, { where: id });
      return add(id, runs);
    }),

    setStopped(id: string, stopped: boolean): void {
      db.prepare('update experiments set stopped = ? where id = ?').run(Number(stopped), id);
    },

    /** Removes the experiment; its runs stay. */
    remove(id: string): void {
      get(id);
      db.prepare('delete from experiments where id = ?').run(id);
    },

    /** The last value of a metric by run; runs without one are left out. */
    lastValues: (runIds: readonly string[], metric: string): Record<string, number> => {
      const ends = metricEnds(db, metric, 1);
      return Object.fromEntries(
        runIds.flatMap((id) => {
          const value = ends(id)?.last;
          return value === undefined ? [] : [[id, value]];
        }),
      );
    },
  };
};
