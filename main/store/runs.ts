import { WhetstoneError, type ErrorFacts } from '../../engine/schema/errors.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run, RunState } from '../../preload/contract/runs.ts';
import { found, type StoreContext } from './context.ts';
import { uuid } from './uuid.ts';

type Row = {
  id: string; name: string; notes: string; tags: string; archived: number; state: RunState; method: string; spec: string;
  created_at: number; started_at: number | null; ended_at: number | null; attempt: number; step: number; total_steps: number | null;
  phase: string; seconds_left: number | null; parameters: number | null; error: string | null; inputs: string;
};

/** What a run is made from. `artifact` is the file that the engine reads, relative to the workspace. */
export interface RunInput {
  readonly kind: 'checkpoint' | 'dataset' | 'label-set';
  readonly ref: string;
  readonly hash: string;
  readonly artifact: string | null;
}

const select = `
  select r.*, (select json_group_array(json_object('kind', i.kind, 'ref', i.ref)) from run_inputs i where i.run_id = r.id) inputs from runs r`;

const fromRow = (r: Row): Run => {
  const inputs = JSON.parse(r.inputs) as Pick<RunInput, 'kind' | 'ref'>[];
  const refs = (kind: RunInput['kind']): string[] => inputs.filter((i) => i.kind === kind).map((i) => i.ref);
  return {
    id: r.id, name: r.name, notes: r.notes, tags: JSON.parse(r.tags) as string[], archived: r.archived === 1, state: r.state, method: r.method,
    spec: RunSpec.parse(JSON.parse(r.spec)), createdAt: r.created_at, startedAt: r.started_at, endedAt: r.ended_at, attempt: r.attempt, step: r.step,
    totalSteps: r.total_steps, phase: r.phase, secondsLeft: r.seconds_left, parameters: r.parameters,
    error: r.error === null ? null : JSON.parse(r.error) as ErrorFacts,
    lineage: { checkpoints: refs('checkpoint'), datasets: refs('dataset'), labelSets: refs('label-set') },
  };
};
const going: readonly RunState[] = ['queued', 'running', 'stopping'];

export const runQueries = ({ db }: StoreContext) => {
  const get = (id: string): Run => fromRow(found(db.prepare<[string], Row>(`${select} where r.id = ?`).get(id), 'run', id));
  const set = db.prepare('update runs set state = ?, error = ?, ended_at = ?, seconds_left = null where id = ?');

  return {
    get,
    list: (archived: boolean): Run[] => db.prepare<[number], Row>(`${select} where r.archived = ? order by r.id desc`).all(Number(archived)).map(fromRow),

    create: db.transaction((spec: RunSpec, inputs: readonly RunInput[]): Run => {
      const id = uuid();
      const now = Date.now();
      const name = spec.name || `${spec.method.id} ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`;
      db.prepare("insert into runs (id, name, state, method, spec, created_at, queued_at) values (?, ?, 'queued', ?, ?, ?, ?)").run(id, name, spec.method.id, JSON.stringify(spec), now, now);
      for (const i of inputs) db.prepare('insert into run_inputs values (?, ?, ?, ?, ?)').run(id, i.kind, i.ref, i.hash, i.artifact);
      return get(id);
    }),

    inputs: (id: string): RunInput[] => db.prepare<[string], RunInput>('select kind, ref, hash, artifact from run_inputs where run_id = ?').all(id),

    /** The run that has waited longest. */
    nextQueued: (): Run | null => {
      const row = db.prepare<[], Row>(`${select} where r.state = 'queued' order by r.queued_at, r.id limit 1`).get();
      return row ? fromRow(row) : null;
    },

    /**
     * Back into the queue, for another attempt. `isWorkedOn`: the engine has it. Looked up and written in one step, as in `stop`, so that
     * an end that comes in between is not written over. A run whose end could not be stored (a full disk) counts as over.
     */
    enqueue: db.transaction((id: string, isWorkedOn: boolean): Run => {
      const { name, state } = get(id);
      if (state === 'done') throw new WhetstoneError('conflict', `'${name}' is done: it has taken all of its steps.`, { where: id, hint: 'Launch a new run from its checkpoint.' });
      if (state === 'queued' || isWorkedOn) throw new WhetstoneError('conflict', `'${name}' is ${state} already.`, { where: id });
      db.prepare("update runs set state = 'queued', queued_at = ?, error = null, ended_at = null, phase = '' where id = ?").run(Date.now(), id);
      return get(id);
    }),

    /** A queued run leaves the queue; one that the engine has is `stopping`; one that nobody works on any more is `interrupted`. */
    stop: db.transaction((id: string, isWorkedOn: boolean): Run => {
      const { name, state } = get(id);
      if (!going.includes(state)) throw new WhetstoneError('conflict', `'${name}' is ${state}, so there is nothing to stop.`, { where: id });
      const next = state === 'queued' ? 'stopped' : isWorkedOn ? 'stopping' : 'interrupted';
      set.run(next, null, going.includes(next) ? null : Date.now(), id);
      return get(id);
    }),

    /** Opens the next attempt and says its number. Throws `cancelled` where the run has left the queue. */
    beginAttempt: db.transaction((id: string, resumedFrom: string | null): number => {
      const { attempt: before, state } = get(id);
      if (state !== 'queued') throw new WhetstoneError('cancelled', 'The run has left the queue.', { where: id });
      const attempt = before + 1;
      db.prepare('insert into attempts (run_id, attempt, started_at, resumed_from) values (?, ?, ?, ?)').run(id, attempt, Date.now(), resumedFrom);
      db.prepare("update runs set state = 'running', attempt = ?, started_at = coalesce(started_at, ?), ended_at = null, error = null, phase = 'starting' where id = ?").run(attempt, Date.now(), id);
      return attempt;
    }),

    setState(id: string, state: RunState, error: ErrorFacts | null = null): Run {
      set.run(state, error && JSON.stringify(error), going.includes(state) ? null : Date.now(), id);
      return get(id);
    },

    /** Runs that a killed main left going: nobody works on them any more. */
    interruptLeftovers(): void {
      const error: ErrorFacts = { kind: 'cancelled', message: 'Whetstone was closed while this run was going on.', hint: 'Resume it: it continues from its newest checkpoint.' };
      const queued: ErrorFacts = { kind: 'cancelled', message: 'Whetstone was closed while this run was waiting in the queue.', hint: 'Resume it to queue it again.' };
      db.prepare("update runs set state = 'interrupted', error = ?, ended_at = ?, seconds_left = null where state in ('running', 'stopping')").run(JSON.stringify(error), Date.now());
      db.prepare("update runs set state = 'interrupted', error = ?, ended_at = ? where state = 'queued'").run(JSON.stringify(queued), Date.now());
    },

    edit: db.transaction((id: string, { name, notes, tags }: { name?: string; notes?: string; tags?: string[] }): Run => {
      const now = get(id);
      db.prepare('update runs set name = ?, notes = ?, tags = ? where id = ?').run(name ?? now.name, notes ?? now.notes, JSON.stringify(tags ?? now.tags), id);
      return get(id);
    }),

    archive(id: string, archived: boolean): Run {
      get(id);
      db.prepare('update runs set archived = ? where id = ?').run(Number(archived), id);
      return get(id);
    },

    /** Deletes the run with its points, samples, checkpoints' rows and results. */
    remove: db.transaction((id: string): void => {
      const run = get(id);
      if (going.includes(run.state)) throw new WhetstoneError('conflict', `'${run.name}' is still ${run.state}.`, { where: id, hint: 'Stop it first.' });
      const user = db.prepare<[string, string], { name: string }>(`
        select r.name from checkpoints c join run_inputs i on i.kind = 'checkpoint' and i.ref = c.id join runs r on r.id = i.run_id where c.run_id = ? and r.id <> c.run_id
        union all select name from label_sets where run_id = ? limit 1`).get(id, id);
      if (user) throw new WhetstoneError('conflict', `'${user.name}' was made from this run.`, { where: id, hint: 'Remove that first, or archive this run to hide it.' });
      db.prepare('delete from runs where id = ?').run(id);
    }),
  };
};
