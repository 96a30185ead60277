/**
 * Estimates a run's needs: rehearses its first step on a device that only counts, and takes two real steps.
 */
import { checkSpec } from '../run/check-spec.ts';
import { hash32 } from '../../random/random.ts';
import { sizeOf } from '../../models/model.ts';
import { part, pause } from '../../pace/index.ts';
import { CACHE_BYTES, Device, hardwareOf, openDevice, Tally } from '../../runtime/index.ts';
import type { DeviceId } from '../../schema/device.ts';
import { WhetstoneError, type ErrorKind } from '../../common/errors.ts';
import type { CallProgress, Resources } from '../../schema/messages.ts';
import type { Preflight, Remedy } from '../../schema/preflight.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import { specials } from '../../text/tokenizer.ts';
import { MemoryWatch } from '../run/memory-watch.ts';
import { openSession } from '../run/open-session.ts';
import { openTask, type OpenedTask } from '../run/open-task.ts';
import type { Session } from '../run/session.ts';
import { samples } from '../run/live-role.ts';
import { rehearse } from '../run/train.ts';

/**
 * Mean answer lengths of rehearsed batches: first all at the maximum, then short and long ones. A run has
 * one shape after the other and the session of each keeps its memory, so that few steps with similar answers
 * underestimate: 1,564 MB by three batches of 24 tokens where a run of 25 steps took 2,023.
 */
const ANSWER_TOKENS = [Infinity, 24, 8, 48, 12, 24];
/** Rehearsed batches of stored rows: they are the run's own, and quickly packed. */
const STORED_BATCHES = 24;
/** Held-out problems of a rehearsed evaluation: as many as are sampled at once. */
const EVALUATED = 64;
/**
 * Memory of a session and the host's own objects besides the values of a graph, uncollected garbage
 * included: 43 MB in 40 steps of a tiny model.
 */
const FIXED_BYTES = 40e6;
/**
 * Memory per vocabulary token while a tokenizer is loaded and first used: 1,547 MB of a process that opened
 * a judge on 135 million parameters, twice 538 of them the model's.
 */
const VOCABULARY_BYTES = 4000;
/**
 * Overhead of the runtime's arena over live memory, since freed pieces do not fit later requests: 1.0 to
 * 1.27 times as much in two steps of models of 25 to 150 million parameters, up to 1.4 in runs of 8 to 30
 * steps. Near the upper end, since an admitted run that does not fit loses more than one that needs a
 * confirmation.
 */
const ARENA = 1.35;
/**
 * Maximum memory of sessions. While they come and go within their bound, freed memory is not all returned:
 * 3,577 MB of eight steps, of which the bound explains 3,350.
 */
const SESSION_BYTES = 1.1 * CACHE_BYTES;

export interface PreflightRequest {
  readonly spec: RunSpec;
  readonly resources: Resources;
  readonly limitBytes?: number;
}
export type Need = Omit<Preflight, 'availableBytes' | 'fits' | 'dryRun' | 'remedies'>;

/** Receives the progress of an estimate. */
type Report = (progress: CallProgress<'preflight'>) => void;
const silent: Report = () => undefined;

/** The part of a request that the measurement needs. */
export type Measured = Pick<PreflightRequest, 'spec' | 'resources'>;

/** Opens a run to measure it: on a counting device, or for a few real steps. */
const rehearsed = ({ spec, resources }: Measured, device: Device, opened?: OpenedTask): Promise<Session> =>
  openSession({ runId: 'preflight', attempt: 1, spec, resources, outDir: '' }, device, {
    isRehearsal: true,
    ...(opened && { opened }),
  });

/**
 * Memory and arithmetic of a spec, from the sizes of its graphs, without computing them. Stops counting once
 * the need exceeds `above` bytes. Throws `out-of-memory` for a tensor that the device cannot hold in one
 * piece.
 */
export const needOf = async (
  spec: RunSpec,
  resources: Resources,
  report = silent,
  above = Infinity,
): Promise<Need> => {
  report({ phase: 'opening', done: 0, total: 1 });
  const opened = await part(0, 0.5, () => openTask({ spec, resources }));
  return part(0.5, 1, () => needOfTask({ spec, resources }, opened, report, above));
};

/** The same of a run whose task is open; nothing of that is changed. */
export const needOfTask = async (
  measured: Measured,
  opened: OpenedTask,
  report = silent,
  above = Infinity,
): Promise<Need> => {
  const { spec } = measured;
  const drawn = drawnAnswers();
  const { tally } = drawn;
  const device = new Device({ id: spec.device, tally });
  // opens the full evaluation, so that all its errors are found
  const whole = await part(0, 0.1, () => rehearsed(measured, device, opened));
  const session = { ...whole, task: whole.task.withFewerHeldout(EVALUATED) };
  const { task, roles, clock } = session;
  const batches = (roles.all.some(samples) ? ANSWER_TOKENS.length : STORED_BATCHES) * roles.all.length;
  const total = batches + 1;
  let begun = 0;
  drawn.end(task.tokenizer.ends);
  await rehearse(
    session,
    clock.totalSteps,
    false,
    async () => {
      drawn.next(Math.floor(begun++ / roles.all.length));
      const done = Math.min(begun, batches) - 1;
      report({ phase: 'estimating', done, total });
      await pause(0.1 + (0.9 * done) / total);
    },
    () =>
      clock.step >= device.stepsPerRun &&
      (begun >= batches || tally.sessionBytes >= SESSION_BYTES || totalOf(tally, spec).totalBytes > above),
  );
  const stepFlops = tally.flops / Math.max(1, clock.step);
  report({ phase: 'estimating', done: batches, total });
  await pause(0.1 + (0.9 * batches) / total);
  await rehearse(session, 0, true);
  const counted = totalOf(tally, spec);
  // the fit of a frozen model may need less than loading that model
  const totalBytes = Math.max(
    counted.totalBytes,
    roles.openingBytes > 0
      ? roles.openingBytes + FIXED_BYTES + VOCABULARY_BYTES * roles.main.model.config.vocabulary
      : 0,
  );
  return {
    device: spec.device,
    parameters: sizeOf(roles.main.model),
    ...counted,
    totalBytes,
    stepFlops,
    steps: clock.totalSteps,
    tooLong: whole.task.leftOut.rows,
  };
};

/** The counted total, in bytes. */
const totalOf = (
  { keptBytes, valueBytes, transientBytes, sessionBytes: ofSessions }: Tally,
  { device }: RunSpec,
) => {
  // every session keeps the memory of its values, until the device evicts the oldest
  const sessionBytes = Math.min(ofSessions, Math.max(valueBytes, SESSION_BYTES));
  // a device with its own memory holds the old and the new value of in-place outputs
  const kept = device === 'webgpu' ? 2 * keptBytes : keptBytes;
  const bufferBytes = transientBytes - valueBytes;
  return {
    keptBytes: kept,
    valueBytes,
    bufferBytes,
    sessionBytes,
    totalBytes: Math.round(kept + ARENA * sessionBytes + bufferBytes + FIXED_BYTES),
  };
};

/** A tally whose programs sample answers with a batch's mean length, of tokens of which `ends` end one. */
const drawnAnswers = () => {
  let [mean, end, other]: [number, number, number] = [ANSWER_TOKENS[0], specials.end, specials.end + 1];
  const tally = new Tally((draw) => (hash32(`${draw}`) % mean === 0 ? end : other));
  return {
    tally,
    end: (ends: readonly number[]) => {
      while (ends.includes(other)) other++;
      end = ends[0] ?? other;
    },
    next: (batch: number) => {
      mean = ANSWER_TOKENS[batch % ANSWER_TOKENS.length];
      tally.next();
    },
  };
};

/** Memory available to a run on this device; the variable WHETSTONE_MEMORY_MB and a given limit bound it. */
export const availableBytes = async (id: DeviceId, limitBytes = Infinity): Promise<number> => {
  const named = Number(process.env.WHETSTONE_MEMORY_MB);
  const own = id === 'cpu' ? null : (await hardwareOf([id]))[id].memoryBytes;
  return Math.min(own ?? process.availableMemory(), limitBytes, named > 0 ? named * 1e6 : Infinity);
};

interface Change {
  readonly path: readonly string[];
  readonly values: (now: unknown) => readonly unknown[];
}
const halves =
  (least: number) =>
  (now: unknown): number[] => {
    const found: number[] = [];
    for (
      let value = Math.floor(Number(now) / 2);
      value >= least && found.length < 6;
      value = Math.floor(value / 2)
    )
      found.push(value);
    return found;
  };

/** Changes that reduce memory, least harmful first: each on its own, as small as possible. */
const changes: readonly Change[] = [
  { path: ['budget', 'microTokens'], values: halves(64) },
  { path: ['budget', 'recompute'], values: (now) => (now === false ? [true] : []) },
  { path: ['budget', 'batch'], values: halves(1) },
  { path: ['sampling', 'maxTokens'], values: halves(8) },
  { path: ['models', 'policy', 'architecture', 'context'], values: halves(16) },
  { path: ['adapter', 'kind'], values: (now) => (now === 'none' ? ['lora'] : []) },
  {
    path: ['adapter', 'base'],
    values: (now) => (now === 'float32' ? ['int8', 'int4'] : now === 'int8' ? ['int4'] : []),
  },
];

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Readonly<Record<string, unknown>> | undefined)?.[key],
    value,
  );
const changed = (value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown => ({
  ...(value as object),
  [key]: rest.length === 0 ? to : changed((value as Record<string, unknown>)[key], rest, to),
});

/** Errors that refuse a changed specification. */
const noRemedy: readonly ErrorKind[] = ['invalid-input', 'out-of-memory', 'conflict', 'unsupported'];

/** For each helpful change, the smallest one after which the run fits, or the largest if none suffices. */
export const remediesFor = async (
  spec: RunSpec,
  resources: Resources,
  room: number,
  totalBytes: number,
  report = silent,
): Promise<Remedy[]> => {
  const remedies: Remedy[] = [];
  for (const [done, { path, values }] of changes.entries()) {
    report({ phase: 'seeking', done, total: changes.length });
    await pause(done / changes.length);
    const from = at(spec, path);
    if (from === undefined) continue;
    let best: Remedy | undefined;
    for (const [place, to] of values(from).entries()) {
      const need = await part(done / changes.length, (done + 1) / changes.length, async () =>
        needOf(
          checkSpec(changed(spec, path, to)),
          resources,
          silent,
          place + 1 < values(from).length ? room : Infinity,
        ),
      ).catch((error: unknown) => {
        // for example a context too short for the task's rows, an adapter of random weights, or another
        // adapter than the model's own is no remedy
        if (error instanceof WhetstoneError && noRemedy.includes(error.kind)) return undefined;
        throw error;
      });
      if (!need) break;
      best = { path: [...path], from, to, totalBytes: need.totalBytes, fits: need.totalBytes <= room };
      if (best.fits) break;
    }
    if (best && best.totalBytes < 0.95 * totalBytes) remedies.push(best);
  }
  return remedies.sort((a, b) => Number(b.fits) - Number(a.fits) || a.totalBytes - b.totalBytes);
};

/**
 * Takes two real steps of a run in a fresh process: measures the time of the second one, and the memory of
 * both.
 */
export const dryRunOf = async (
  measured: Measured,
  report = silent,
): Promise<NonNullable<Preflight['dryRun']>> => {
  report({ phase: 'opening', done: 0, total: 1 });
  const device = await openDevice({ id: measured.spec.device });
  const watch = new MemoryWatch();
  const session = await rehearsed(measured, device);
  // with several steps per run of a graph, the second run counts
  const total = 2 * device.stepsPerRun;
  const seconds = await rehearse(session, total, false, (done) => report({ phase: 'stepping', done, total }));
  const peakBytes = watch.peak() - watch.from;
  await device.close();
  // the first step also makes its sessions
  const secondsPerStep = seconds.at(-1) ?? 0;
  return {
    secondsPerStep,
    seconds: (seconds[0] ?? 0) + secondsPerStep * Math.max(0, session.clock.totalSteps - 1),
    peakBytes,
  };
};

/** The estimate of a run; if it does not fit, with remedies. */
export const preflight = async (
  { spec, resources, limitBytes }: PreflightRequest,
  report = silent,
): Promise<Preflight> => {
  const room = await availableBytes(spec.device, limitBytes);
  const need = await needOf(spec, resources, report);
  const fits = need.totalBytes <= room;
  return {
    ...need,
    availableBytes: room,
    fits,
    dryRun: null,
    remedies: fits ? [] : await remediesFor(spec, resources, room, need.totalBytes, report),
  };
};
