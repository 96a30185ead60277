/** Where a training step's time goes: the runtime's own profile of it, added up by kind of op and by shape. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, processor, rounded, say } from './figures.ts';
import { openTraining } from './ours/train.ts';
import { sizes, type Config } from './sizes.ts';

/** One node of the graph that ran, or one whole run, as the runtime writes it; microseconds. */
interface Event {
  readonly cat: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
  readonly args?: { readonly op_name?: string; readonly input_type_shape?: readonly Shapes[]; readonly output_type_shape?: readonly Shapes[] };
}
type Shapes = { readonly [dtype: string]: readonly number[] };

/** Of one step: milliseconds, share of all ops, how many there are. */
export interface Row { readonly what: string; readonly ms: number; readonly share: number; readonly count: number }
export interface Profile { readonly config: Config; readonly steps: number; readonly stepMs: number; readonly opsMs: number; readonly kinds: readonly Row[]; readonly shapes: readonly Row[] }

const WARM_UP = 2;

/** Profiles some steps of one model after the first ones; the profile itself makes a step a little slower. */
export const profileTraining = async ({ config, threads, steps, rows = 40 }: { config: Config; threads: number; steps: number; rows?: number }): Promise<Profile> => {
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-profile-'));
  try {
    const training = await openTraining(sizes[config], { id: 'cpu', threads, profile: join(folder, 'session') });
    for (let at = 0; at < WARM_UP + steps; at++) await training.step();
    await training.close();
    const profile = { config, steps, ...aggregate(await events(folder), steps) };
    report(profile, threads, rows);
    return profile;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Events of the session that took the most time: that of the step. */
const events = async (folder: string): Promise<Event[]> => {
  const files = await Promise.all((await readdir(folder)).map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Event[]));
  const total = (file: readonly Event[]) => file.reduce((sum, { name, dur }) => sum + (name === 'model_run' ? dur : 0), 0);
  return files.sort((a, b) => total(b) - total(a))[0] ?? [];
};

/** Adds up the last `steps` runs. */
export const aggregate = (all: readonly Event[], steps: number): Omit<Profile, 'config' | 'steps'> => {
  const runs = all.filter(({ name }) => name === 'model_run').sort((a, b) => a.ts - b.ts).slice(-steps);
  const nodes = all.filter(({ cat, name, ts, args }) => cat === 'Node' && name.endsWith('_kernel_time') && args?.op_name !== undefined && ts >= runs[0].ts);
  const opsUs = nodes.reduce((sum, { dur }) => sum + dur, 0);
  const by = (key: (event: Event) => string): Row[] => [...Map.groupBy(nodes, key)].map(([what, group]) => {
    const us = group.reduce((sum, { dur }) => sum + dur, 0);
    return { what, ms: rounded(us / 1000 / runs.length), share: rounded(us / opsUs, 3), count: group.length / runs.length };
  }).sort((a, b) => b.ms - a.ms);
  return {
    stepMs: rounded(median(runs.map(({ dur }) => dur / 1000))), opsMs: rounded(opsUs / 1000 / runs.length),
    kinds: by(({ args }) => args?.op_name ?? ''), shapes: by(({ args }) => `${args?.op_name} ${shown(args?.input_type_shape)} → ${shown(args?.output_type_shape)}`),
  };
};

const shown = (shapes: readonly Shapes[] = []): string => shapes.map((each) => Object.values(each).map((shape) => `[${shape.join(',')}]`).join()).join(' ');

const report = ({ config, steps, stepMs, opsMs, kinds, shapes }: Profile, threads: number, rows: number): void => {
  say(`${processor()}, ${threads} threads; ${config}: ${stepMs} ms a step (median of ${steps}), ${opsMs} ms in ops; the rest is the runtime between them`);
  const line = ({ what, ms, share, count }: Row) => `${ms.toFixed(2).padStart(9)} ms ${(100 * share).toFixed(1).padStart(5)} % ${count.toFixed(0).padStart(5)} × ${what}`;
  for (const [title, list] of [['by kind', kinds], ['by shape', shapes.slice(0, rows)]] as const) say(`${title}\n${list.map(line).join('\n')}`);
};
