import type { ErrorFacts } from '../../engine/common/errors.ts';
import type { LogEntry } from '../../preload/contract/run-log.ts';
import type { RunState } from '../../preload/wire/run-states.ts';
import { found, type StoreContext } from './context.ts';
import type { Db } from './database.ts';
import { fromJson } from './json.ts';

/** Most entries, the newest. */
const most = 1000;

interface RunRow {
  readonly state: RunState;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly attempt: number;
  readonly step: number;
  readonly error: string | null;
  readonly not_finite: string | null;
  readonly tool: string | null;
}

/** The events of a run, from its attempts, results, checkpoints, findings and changes of state. */
export const runLogQueries = ({ db }: StoreContext) => {
  const parts = partsOf(db);
  const run = db.prepare<[string], RunRow>(`
    select state, created_at, ended_at, attempt, step, error, not_finite,
      (select json_extract(origin, '$.tool') from run_imports i where i.run_id = r.id) tool
    from runs r where id = ? and visible = 1`);
  return {
    /** Oldest first; entries without a time follow those of their step. Throws `not-found`. */
    of(id: string): { entries: LogEntry[]; more: boolean } {
      const row = found(run.get(id), 'run', id);
      const read = Object.values(parts).map((part) => part(id));
      const entries = [
        begun(row),
        ...read.flatMap((entries) => entries.slice(0, most).toReversed()),
        ...(parts.states(id).length > 0 ? [] : ended(row)),
        ...notFinite(row),
      ];
      const more = entries.length > most || read.some((each) => each.length > most);
      return { entries: inOrder(entries).slice(-most), more };
    },
  };
};

const begun = ({ created_at: at, tool }: RunRow): LogEntry => ({
  at,
  attempt: 0,
  step: null,
  kind: 'state',
  text: tool === null ? 'created and queued' : `imported from a log of ${tool}`,
});

const stateWords: { readonly [S in RunState]: string } = {
  queued: 'queued again',
  running: 'running',
  stopping: 'asked to stop',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'failed',
  done: 'done',
};

/** The whole text of an error. */
function errorText(json: string): string {
  const { kind, message, where, hint } = JSON.parse(json) as ErrorFacts;
  return [
    `${kind}: ${message}`,
    ...(where ? [`where: ${where}`] : []),
    ...(hint ? [`hint: ${hint}`] : []),
  ].join('\n');
}

const stateEntry = (
  state: RunState,
  place: Pick<LogEntry, 'at' | 'attempt' | 'step'>,
  error: string | null,
): LogEntry => ({
  ...place,
  kind: error === null ? 'state' : 'error',
  text: stateWords[state],
  ...(error !== null && { detail: errorText(error) }),
});

/** The end of a run of a version that kept no log. */
const ended = ({ state, ended_at: at, attempt, step, error }: RunRow): LogEntry[] =>
  at === null ? [] : [stateEntry(state, { at, attempt, step }, error)];

function notFinite({ not_finite: stored, attempt }: RunRow): LogEntry[] {
  if (stored === null) return [];
  const { metric, step } = JSON.parse(stored) as { metric: string; step: number };
  return [{ at: null, attempt, step, kind: 'warning', text: `${metric} is not finite` }];
}

/**
 * By time, and within a millisecond by attempt, from its start on, then by step; entries that are equal in these
 * keep their order. One without a time comes after the last of its step or an earlier one.
 */
function inOrder(entries: readonly LogEntry[]): LogEntry[] {
  const started = ({ kind }: LogEntry) => (kind === 'attempt' ? 0 : 1);
  const timed = entries
    .filter(({ at }) => at !== null)
    .toSorted(
      (a, b) =>
        (a.at ?? 0) - (b.at ?? 0) ||
        a.attempt - b.attempt ||
        started(a) - started(b) ||
        (a.step ?? 0) - (b.step ?? 0),
    );
  for (const entry of entries.filter(({ at }) => at === null)) {
    const after = timed.findLastIndex(
      ({ step, attempt }) => attempt <= entry.attempt && step !== null && step <= (entry.step ?? Infinity),
    );
    timed.splice(after < 0 ? timed.length : after + 1, 0, entry);
  }
  return timed;
}

const fromText = (step: number | null): string =>
  step === null ? ' from a checkpoint that was deleted since' : ` from the checkpoint of step ${step}`;

/** Newest first. */
type Reader = (runId: string) => LogEntry[];

/** In the order in which entries of one moment are told: a state ends what led to it. */
function partsOf(db: Db) {
  const all = <Row>(sql: string, entry: (row: Row) => LogEntry): Reader => {
    const query = db.prepare<[string, number], Row>(`${sql} limit ?`);
    return (runId) => query.all(runId, most + 1).map(entry);
  };
  type Logged = { at: number; attempt: number; step: number; text: string; detail: string | null };
  return {
    phases: all<Logged>(
      "select * from run_log where run_id = ? and kind = 'phase' order by id desc",
      ({ at, attempt, step, text }) => ({ at, attempt, step, kind: 'phase', text }),
    ),
    attempts: all<{ attempt: number; started_at: number; resumed: number | null; from: string | null }>(
      `select a.attempt, a.started_at, c.step resumed, a.resumed_from "from" from attempts a
        left join checkpoints c on c.id = a.resumed_from where a.run_id = ? order by a.attempt desc`,
      ({ attempt, started_at: at, resumed, from }) => ({
        at,
        attempt,
        step: resumed,
        kind: 'attempt',
        text: `attempt ${attempt} started${from === null ? '' : fromText(resumed)}`,
      }),
    ),
    checkpoints: all<{
      attempt: number;
      step: number;
      created_at: number;
      bytes: number;
      final: number;
      path: string;
    }>(
      'select * from checkpoints where run_id = ? order by step desc',
      ({ attempt, step, created_at: at, bytes, final, path }) => ({
        at,
        attempt,
        step,
        kind: 'checkpoint',
        text: `${final === 1 ? 'final checkpoint' : 'checkpoint'} saved, ${bytes} bytes: ${path}`,
      }),
    ),
    results: all<{ kind: string; attempt: number; step: number; at: number; value: string }>(
      'select * from results where run_id = ? order by attempt desc, sequence desc',
      resultEntry,
    ),
    findings: all<FindingRow>(
      `select f.severity, f.value, e.at, e.attempt from run_findings f join run_examinations e on e.run_id = f.run_id
        where f.run_id = ? order by f.position desc`,
      findingEntry,
    ),
    states: all<Logged>(
      "select * from run_log where run_id = ? and kind = 'state' and text <> 'running' order by id desc",
      ({ text, detail, ...place }) =>
        stateEntry(text as RunState, { at: place.at, attempt: place.attempt, step: place.step }, detail),
    ),
  };
}

type FindingRow = { severity: string; value: string; at: number; attempt: number };

function findingEntry({ value, at, attempt, severity }: FindingRow): LogEntry {
  const { title, text, step } = fromJson<{ title: string; text: string; step: number }>(value);
  return { at, attempt, step, kind: 'warning', text: `run doctor, ${severity}: ${title}`, detail: text };
}

const rate = (value: unknown): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toFixed(3) : 'not a number';

function resultEntry(row: {
  kind: string;
  attempt: number;
  step: number;
  at: number;
  value: string;
}): LogEntry {
  const { kind, value: stored, ...rest } = row;
  const place = { at: rest.at, attempt: rest.attempt, step: rest.step };
  const value = fromJson<Record<string, unknown>>(stored);
  if (kind === 'reward-fault')
    return {
      ...place,
      kind: 'warning',
      text: `${String(value.scorer)} could not score an answer: ${String(value.message)}`,
      detail: `prompt: ${String(value.prompt)}\nanswer: ${String(value.completion)}`,
    };
  if (kind === 'evaluation')
    return {
      ...place,
      kind: 'evaluation',
      text: `pass@1 ${rate(value.passAt1)} on ${String(value.problems)} problems`,
    };
  if (kind === 'episodes')
    return {
      ...place,
      kind: 'evaluation',
      text: `return ${rate(value.return)} in ${String(value.episodes)} episodes`,
    };
  if (kind === 'search' || kind === 'further-evaluations')
    return { ...place, kind: 'evaluation', text: kind.replace('-', ' ') };
  if (kind === 'replay')
    return {
      ...place,
      kind: 'evaluation',
      text: `replay buffer '${String(value.buffer)}' of ${String(value.rows)} rows`,
    };
  if (kind === 'preflight') return { ...place, kind: 'phase', text: 'memory and time estimated' };
  return {
    ...place,
    kind: 'evaluation',
    text: `${kind.replace('-', ' ')}: accuracy ${rate(value.accuracy)} on ${String(value.pairs)} pairs`,
  };
}
