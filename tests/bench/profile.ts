/**
 * Where the time of a training step, or of generation, goes: the runtime's own profile, summed by kind of op
 * and by shape.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '../../engine/runtime/index.ts';
import { answerLengths } from './answers.ts';
import { median, processor, rounded, say } from './figures.ts';
import { endlessModel } from './ours/language.ts';
import { openTraining } from './ours/train.ts';
import { writeAnswers } from './ours/write.ts';
import { sizes, type Config } from './sizes.ts';

/** One node of the graph, or one whole run, from the runtime's profile; microseconds. */
interface Event {
  readonly cat: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
  readonly args?: {
    readonly op_name?: string;
    readonly input_type_shape?: readonly Shapes[];
    readonly output_type_shape?: readonly Shapes[];
  };
}
type Shapes = { readonly [dtype: string]: readonly number[] };

/** Per step: milliseconds, share of all ops, number of ops. */
export interface Row {
  readonly what: string;
  readonly ms: number;
  readonly share: number;
  readonly count: number;
}
export interface Profile {
  readonly config: Config;
  readonly steps: number;
  readonly stepMs: number;
  readonly opsMs: number;
  readonly kinds: readonly Row[];
  readonly shapes: readonly Row[];
}

const WARM_UP = 2;

/** Profiles some steps of one model after the first ones; profiling itself makes a step a little slower. */
export const profileTraining = async ({
  config,
  threads,
  steps,
  rows = 40,
}: {
  config: Config;
  threads: number;
  steps: number;
  rows?: number;
}): Promise<Profile> => {
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-profile-'));
  try {
    const training = await openTraining(sizes[config], {
      id: 'cpu',
      threads,
      profile: join(folder, 'session'),
    });
    for (let at = 0; at < WARM_UP + steps; at++) await training.step();
    await training.close();
    const profile = { config, steps, ...aggregate(longest(await sessions(folder)), steps) };
    report(profile, threads, rows);
    return profile;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * The same for generating one batch of answers: there are several sessions, so everything is summed, and
 * `stepMs` is the whole time, the host's work between runs included. The batch is generated once before,
 * which compiles.
 */
export const profileGeneration = async ({
  config,
  threads,
  batch,
  rows = 40,
}: {
  config: Config;
  threads: number;
  batch: number;
  rows?: number;
}): Promise<Profile> => {
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-profile-'));
  const times = 2;
  const size = sizes[config];
  try {
    const device = await openDevice({ id: 'cpu', threads, profile: join(folder, 'session') });
    const model = endlessModel(size, 1);
    const lengths = answerLengths(size, batch, 1);
    const seconds: number[] = [];
    for (let at = 0; at < times; at++) {
      const start = performance.now();
      await writeAnswers({ device, model, size, lengths, seed: 1 });
      seconds.push(performance.now() - start);
    }
    await device.close();
    const profile = {
      config,
      steps: 1,
      stepMs: rounded(seconds[times - 1]),
      ...added((await sessions(folder)).flatMap(opsOf), times),
    };
    report(profile, threads, rows);
    return profile;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const sessions = async (folder: string): Promise<Event[][]> =>
  Promise.all(
    (await readdir(folder)).map(
      async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Event[],
    ),
  );

/** Events of the session that took the most time: that of the step. */
const longest = (all: readonly Event[][]): Event[] => {
  const total = (events: readonly Event[]) => runsOf(events).reduce((sum, { dur }) => sum + dur, 0);
  return all.toSorted((a, b) => total(b) - total(a))[0] ?? [];
};

const runsOf = (all: readonly Event[]): Event[] =>
  all.filter(({ name }) => name === 'model_run').sort((a, b) => a.ts - b.ts);
/** Ops with a time of their own: a loop's is that of the ops inside it. */
const opsOf = (all: readonly Event[]): Event[] =>
  all.filter(
    ({ cat, name, args }) =>
      cat === 'Node' &&
      name.endsWith('_kernel_time') &&
      args?.op_name !== undefined &&
      args.op_name !== 'Loop',
  );

/** Adds up the last `steps` runs. */
export const aggregate = (all: readonly Event[], steps: number): Omit<Profile, 'config' | 'steps'> => {
  const runs = runsOf(all).slice(-steps);
  return {
    stepMs: rounded(median(runs.map(({ dur }) => dur / 1000))),
    ...added(
      opsOf(all).filter(({ ts }) => ts >= runs[0].ts),
      runs.length,
    ),
  };
};

/** Ops by kind and by shape, divided by the number of repetitions. */
const added = (ops: readonly Event[], times: number): Pick<Profile, 'opsMs' | 'kinds' | 'shapes'> => {
  const opsUs = ops.reduce((sum, { dur }) => sum + dur, 0);
  const by = (key: (event: Event) => string): Row[] =>
    [...Map.groupBy(ops, key)]
      .map(([what, group]) => {
        const us = group.reduce((sum, { dur }) => sum + dur, 0);
        return {
          what,
          ms: rounded(us / 1000 / times),
          share: rounded(us / opsUs, 3),
          count: group.length / times,
        };
      })
      .sort((x, y) => y.ms - x.ms);
  return {
    opsMs: rounded(opsUs / 1000 / times),
    kinds: by(({ args }) => args?.op_name ?? ''),
    shapes: by(
      ({ args }) => `${args?.op_name} ${shown(args?.input_type_shape)} → ${shown(args?.output_type_shape)}`,
    ),
  };
};

const shown = (shapes: readonly Shapes[] = []): string =>
  shapes
    .map((each) =>
      Object.values(each)
        .map((shape) => `[${shape.join(',')}]`)
        .join(),
    )
    .join(' ');

const report = (
  { config, steps, stepMs, opsMs, kinds, shapes }: Profile,
  threads: number,
  rows: number,
): void => {
  say(
    `${processor()}, ${threads} threads; ${config}: ${stepMs} ms a step (median of ${steps}), ${opsMs} ms ` +
      'in ops; the rest is the runtime between them',
  );
  const line = ({ what, ms, share, count }: Row) =>
    `${ms.toFixed(2).padStart(9)} ms ${(100 * share).toFixed(1).padStart(5)} % ` +
    `${count.toFixed(0).padStart(5)} × ${what}`;
  for (const [title, list] of [
    ['by kind', kinds],
    ['by shape', shapes.slice(0, rows)],
  ] as const)
    say(`${title}\n${list.map(line).join('\n')}`);
};
