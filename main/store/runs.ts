import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';
import type { FindingCounts, Severity } from '../../engine/schema/run-finding.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import type { DatasetState } from '../../preload/contract/deriving.ts';
import type { LogOrigin } from '../../preload/contract/log-origin.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive, type RunState } from '../../preload/wire/run-states.ts';
import { found, mostRows, type StoreContext } from './context.ts';
import type { Db } from './database.ts';
import { lastPlace, runQueue } from './run-queue.ts';
import { runStates } from './run-states.ts';
import { runOutcomes } from './outcomes.ts';
import { uuid } from './uuid.ts';

type Row = {
  id: string;
  name: string;
  notes: string;
  question: string;
  conclusion: string;
  tags: string;
  archived: number;
  state: RunState;
  method: string;
  spec: string;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  attempt: number;
  step: number;
  total_steps: number | null;
  phase: string;
  seconds_left: number | null;
  parameters: number | null;
  error: string | null;
  not_finite: string | null;
  inputs: string;
  data: string | null;
  /** Of an imported run. */
  origin: string | null;
  findings: string | null;
  place: number | null;
  fork: string | null;
};

/**
 * An input of a run. `artifact` is the file that the engine reads, relative to the workspace; a model's
 * folder is outside it.
 */
export interface RunInput {
  readonly kind: 'checkpoint' | 'dataset' | 'label-set' | 'model';
  readonly ref: string;
  readonly hash: string;
  readonly artifact: string | null;
  /** Of a dataset, the state that the file is of. */
  readonly data?: DatasetState;
  /** Of a dataset that a further evaluation measures, its name. */
  readonly evaluation?: string;
}

export type RunFork = NonNullable<Run['fork']>;

/** Facts of a new run besides its specification: the checkpoint that it continues, and its question. */
export interface RunOrigin {
  readonly fork?: RunFork;
  readonly question?: string;
}

/** Findings of an examined run that were not dismissed. */
const ofDoctor = `from run_findings f where f.run_id = e.run_id
    and not exists (select 1 from dismissed_findings d where d.run_id = f.run_id and d.rule = f.rule)`;
const countOf = (severity: Severity): string =>
  `(select count(*) ${ofDoctor} and f.severity = '${severity}')`;
const worst = `json((select json_object('rule', f.rule, 'text', json_extract(f.value, '$.text')) ${ofDoctor}
    order by f.severity <> 'severe', f.position limit 1))`;

const select = `
  select r.*, (select json_group_array(json_object('kind', i.kind, 'ref', i.ref)) from run_inputs i
    where i.run_id = r.id) inputs, (select json_object('datasetId', s.dataset_id, 'name', s.name, 'sequence', s.sequence,
    'version', s.version, 'hash', s.hash, 'rows', s.rows) from run_data s where s.run_id = r.id) data,
    (select origin from run_imports where run_id = r.id) origin,
    (select json_object('checkpointId', f.checkpoint_id, 'runId', f.parent_id, 'step', f.step, 'carries', f.carries)
      from run_forks f where f.run_id = r.id) fork,
    (select json_object('severe', ${countOf('severe')}, 'warning', ${countOf('warning')},
      'worst', ${worst})
      from run_examinations e where e.run_id = r.id) findings from runs r`;

/**
 * Parses a run's configuration. A run with an unreadable one is shown with the reason, and can be renamed,
 * archived and deleted, but not resumed.
 */
const specOf = (r: Row): { spec: RunSpec | null; fault: ErrorFacts | null } => {
  if (r.origin !== null) return { spec: null, fault: null };
  const unreadable = (reason: string, where: string) => ({
    spec: null,
    fault: {
      kind: 'invalid-input' as const,
      message: `The stored configuration of this run cannot be read: ${reason}`,
      where,
      hint: 'Another version of Whetstone may have written it. Open it there, or launch the run again.',
    },
  });
  try {
    const parsed = RunSpec.safeParse(JSON.parse(r.spec));
    if (parsed.success) return { spec: parsed.data, fault: null };
    const [issue] = parsed.error.issues;
    return unreadable(issue.message, ['spec', ...issue.path].join('.'));
  } catch (error) {
    return unreadable((error as SyntaxError).message, 'spec');
  }
};

const fromRow = (r: Row, outcomes: ReturnType<typeof runOutcomes>): Run => {
  const { spec, fault } = specOf(r);
  const inputs = JSON.parse(r.inputs) as Pick<RunInput, 'kind' | 'ref'>[];
  const refs = (kind: RunInput['kind']): string[] => [
    ...new Set(inputs.filter((i) => i.kind === kind).map((i) => i.ref)),
  ];
  return {
    id: r.id,
    name: r.name,
    notes: r.notes,
    ...(r.question !== '' && { question: r.question }),
    ...(r.conclusion !== '' && { conclusion: r.conclusion }),
    tags: JSON.parse(r.tags) as string[],
    archived: r.archived === 1,
    state: r.state,
    method: r.method,
    spec,
    createdAt: r.created_at,
    startedAt: r.started_at,
    endedAt: r.ended_at,
    attempt: r.attempt,
    step: r.step,
    totalSteps: r.total_steps,
    phase: r.phase,
    secondsLeft: r.seconds_left,
    parameters: r.parameters,
    error: fault ?? (r.error === null ? null : (JSON.parse(r.error) as ErrorFacts)),
    ...outcomes.outcome({ id: r.id, spec, notFinite: r.not_finite, isExamined: r.findings !== null }),
    ...(r.origin !== null && { imported: JSON.parse(r.origin) as LogOrigin }),
    ...(r.data !== null && { data: JSON.parse(r.data) as DatasetState }),
    ...(r.state === 'queued' && r.place !== null && { place: r.place }),
    ...(r.fork !== null && { fork: JSON.parse(r.fork) as NonNullable<Run['fork']> }),
    ...(r.findings !== null && { findings: JSON.parse(r.findings) as FindingCounts }),
    lineage: {
      checkpoints: refs('checkpoint'),
      datasets: refs('dataset'),
      labelSets: refs('label-set'),
      models: refs('model'),
    },
  };
};

/** Stores an input of a run, and the state of a dataset. Within the caller's transaction. */
function storeInput(db: Db, runId: string, input: RunInput): void {
  const { kind, ref, hash, artifact, data, evaluation = '' } = input;
  db.prepare('insert into run_inputs values (?, ?, ?, ?, ?, ?)').run(
    runId,
    kind,
    ref,
    hash,
    artifact,
    evaluation,
  );
  if (!data) return;
  const { datasetId, name, sequence, version, hash: rowsHash, rows } = data;
  const values = [runId, datasetId, name, sequence, version, rowsHash, rows];
  db.prepare('insert into run_datasets values (?, ?, ?, ?, ?, ?, ?)').run(...values);
}

const storeFork = (db: Db, id: string, { checkpointId, runId, step, carries }: RunFork): void =>
  void db.prepare('insert into run_forks values (?, ?, ?, ?, ?)').run(id, checkpointId, runId, step, carries);

/** Texts of a person about a run. */
export type RunChanges = Partial<Pick<Run, 'name' | 'notes' | 'tags' | 'question' | 'conclusion'>>;

export const runQueries = ({ db, tidy }: StoreContext) => {
  const outcomes = runOutcomes(db);
  const get = (id: string): Run =>
    fromRow(
      found(db.prepare<[string], Row>(`${select} where r.id = ? and r.visible = 1`).get(id), 'run', id),
      outcomes,
    );

  return {
    get,
    ...runStates(db, get),
    ...runQueue(db, get),
    /** Runs, newest first. `before`: only those older than this one. */
    list: (archived: boolean, before: string | null = null): Run[] =>
      db
        .prepare<[number, string | null, string | null, number], Row>(
          `
      ${select} where r.visible = 1 and r.archived = ? and (? is null or r.id < ?) order by r.id desc limit ?`,
        )
        .all(Number(archived), before, before, mostRows)
        .map((row) => fromRow(row, outcomes)),

    /** A run's newest evaluation, and that of the checkpoint that it began from, on the same problems. */
    compared: (id: string) => outcomes.compared(id, get(id).spec),

    /** Queues a run at the end. `fork`: the checkpoint that it begins from. `question`: what it is to answer. */
    create: db.transaction((spec: RunSpec, inputs: readonly RunInput[], options: RunOrigin = {}): Run => {
      const { fork, question = '' } = options;
      const id = uuid();
      const now = Date.now();
      const name =
        spec.name || `${spec.method.id} ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`;
      db.prepare(
        `insert into runs (id, name, state, method, spec, created_at, queued_at, question, place)
          values (?, ?, 'queued', ?, ?, ?, ?, ?, ${lastPlace})`,
      ).run(id, name, spec.method.id, JSON.stringify(spec), now, now, question);
      for (const input of inputs) storeInput(db, id, input);
      if (fork) storeFork(db, id, fork);
      return get(id);
    }),

    inputs: (id: string): RunInput[] =>
      db
        .prepare<[string], RunInput & { evaluation: string }>(
          'select kind, ref, hash, artifact, evaluation from run_inputs where run_id = ?',
        )
        .all(id)
        .map(({ evaluation, ...input }) => ({ ...input, ...(evaluation !== '' && { evaluation }) })),

    edit: db.transaction((id: string, changes: RunChanges): Run => {
      const now = get(id);
      db.prepare(
        'update runs set name = ?, notes = ?, tags = ?, question = ?, conclusion = ? where id = ?',
      ).run(
        changes.name ?? now.name,
        changes.notes ?? now.notes,
        JSON.stringify(changes.tags ?? now.tags),
        changes.question ?? now.question ?? '',
        changes.conclusion ?? now.conclusion ?? '',
        id,
      );
      return get(id);
    }),

    archive(id: string, archived: boolean): Run {
      get(id);
      db.prepare('update runs set archived = ? where id = ?').run(Number(archived), id);
      return get(id);
    },

    /**
     * Removes the run at once, and deletes its points, samples, checkpoint rows and results in the
     * background.
     */
    remove(id: string): void {
      const run = get(id);
      if (isLive(run))
        throw new WhetstoneError('conflict', `'${run.name}' is still ${run.state}.`, {
          where: id,
          hint: 'Stop it first.',
        });
      const user = db
        .prepare<[string, string], { name: string }>(
          `
        select r.name from checkpoints c join run_inputs i on i.kind = 'checkpoint' and i.ref = c.id
          join runs r on r.id = i.run_id where c.run_id = ? and r.id <> c.run_id
        union all select name from label_sets where run_id = ? limit 1`,
        )
        .get(id, id);
      if (user)
        throw new WhetstoneError('conflict', `'${user.name}' was made from this run.`, {
          where: id,
          hint: 'Remove that first, or archive this run to hide it.',
        });
      db.transaction(() => {
        db.prepare('update runs set visible = 0 where id = ?').run(id);
        // release its inputs at once
        db.prepare('delete from run_inputs where run_id = ?').run(id);
      })();
      tidy();
    },
  };
};
