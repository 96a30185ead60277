/** Returns of networks trained in control worlds against published ones, over seeds. */
import { studentInterval } from '../../engine/evaluate/index.ts';
import { checkSpec } from '../../engine/rl/run/check-spec.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import { found, runToy } from '../support/toy-run.ts';
import { rounded, say } from './figures.ts';

interface Case {
  readonly id: string;
  readonly method: string;
  readonly world: string;
  /**
   * CleanRL's mean and deviation over three seeds after 500,000 steps, as its documentation gives them; of
   * SAC, mean and standard error of 750 episodes of the one run of RL Baselines3 Zoo after 20,000 steps
   * (`benchmark.md`).
   */
  readonly published: readonly [mean: number, deviation: number];
  /** What is compared: the last 100 episodes of training, or 100 episodes after it, without noise. */
  readonly compares: 'training' | 'after';
  /** Where it differs from the method's own settings. */
  readonly params?: object;
  readonly optimizer?: object;
}

const cleanRl = (
  id: string,
  method: string,
  world: string,
  published: Case['published'],
  params = {},
): Case => ({ id, method, world: `control/${world}`, published, compares: 'training', params });

/** CleanRL's PPO expects nothing behind an episode that was cut off. */
const cutOff = { atLimit: 'nothing' };

const cases: readonly Case[] = [
  cleanRl('ppo-cart-pole', 'control-ppo', 'cart-pole', [490.04, 6.12], cutOff),
  cleanRl('ppo-acrobot', 'control-ppo', 'acrobot', [-86.36, 1.32], cutOff),
  cleanRl('dqn-cart-pole', 'dqn', 'cart-pole', [488.69, 16.11]),
  cleanRl('dqn-acrobot', 'dqn', 'acrobot', [-91.54, 7.2]),
  {
    id: 'sac-pendulum',
    method: 'sac',
    world: 'control/pendulum',
    published: [-156.995, 88.714 / Math.sqrt(750)],
    compares: 'after',
    // that of the zoo
    optimizer: { learningRate: 1e-3 },
  },
];

export interface ReturnFigures {
  readonly id: string;
  readonly world: string;
  readonly method: string;
  readonly steps: number;
  readonly seeds: readonly number[];
  /** Of each seed: mean return of the last 100 episodes of training, and of 100 episodes of the last policy. */
  readonly training: readonly number[];
  readonly after: readonly number[];
  /** Mean over the seeds of the one that is compared, with Student's 95 % interval. */
  readonly mean: number;
  readonly interval: readonly [number, number] | null;
  readonly published: readonly [number, number];
  /** True if the interval has a value in common with the published mean ± deviation. */
  readonly agrees: boolean | null;
  readonly stepsPerSecond: number;
}

/** Mean return of the episodes of the newest batches, at least 100 of them if there are. */
const lastEpisodes = (batches: readonly { readonly mean: number; readonly episodes: number }[]): number => {
  let [sum, count] = [0, 0];
  for (const { mean, episodes } of batches.toReversed()) {
    if (count >= 100) break;
    sum += mean * episodes;
    count += episodes;
  }
  return sum / count;
};

const measureOne = async (
  device: Device,
  { method, world, params, optimizer }: Case,
  seed: number,
  isQuick: boolean,
) => {
  const spec = checkSpec({
    method: { id: method, ...(params && { params }) },
    models: { policy: { kind: 'network' } },
    task: { kind: 'control', id: world },
    ...(optimizer && { optimizer }),
    ...(isQuick && { budget: { steps: 320 } }),
    seed,
  });
  const began = performance.now();
  const seen = await runToy(device, spec);
  const seconds = (performance.now() - began) / 1000;
  const measured = new Map<string, { readonly mean: number; readonly episodes: number }>();
  seen.forEach((event) => {
    if (event.type !== 'metrics' || !('return/mean' in event.values)) return;
    // each update repeats the figures of its batch
    const { 'return/mean': mean, 'return/episodes': episodes, 'seconds/rows': made } = event.values;
    measured.set(String(made), { mean, episodes });
  });
  const { epochs = 1, minibatches = 1, warmup = 0 } = spec.method.params as Readonly<Record<string, number>>;
  const batches = Math.ceil(spec.budget.steps / (epochs * minibatches)) + warmup;
  const steps = batches * spec.budget.batch;
  return {
    steps,
    seconds,
    training: rounded(lastEpisodes([...measured.values()]), 5),
    after: rounded(found(seen, 'eval/return'), 5),
  };
};

/** Trains each case with each seed, on one thread. */
export const measureControlReturns = async ({
  seeds,
  only,
  isQuick,
}: {
  readonly seeds: readonly number[];
  readonly only?: string;
  readonly isQuick: boolean;
}): Promise<ReturnFigures[]> => {
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const figures: ReturnFigures[] = [];
  for (const one of cases) {
    if (only !== undefined && !only.split(',').some((part) => one.id.startsWith(part))) continue;
    const runs: Awaited<ReturnType<typeof measureOne>>[] = [];
    for (const seed of seeds) {
      const run = await measureOne(device, one, seed, isQuick);
      say(
        `${one.id}, seed ${seed}: ${run.training} in training, ${run.after} after it, ${rounded(run.seconds, 3)} s`,
      );
      runs.push(run);
    }
    const training = runs.map((run) => run.training);
    const after = runs.map((run) => run.after);
    const { mean, interval } = studentInterval(one.compares === 'after' ? after : training);
    const [centre, deviation] = one.published;
    figures.push({
      id: one.id,
      world: one.world,
      method: one.method,
      steps: runs[0].steps,
      seeds,
      training,
      after,
      mean: rounded(mean, 5),
      interval: interval && [rounded(interval[0], 5), rounded(interval[1], 5)],
      published: one.published,
      agrees: interval && interval[0] <= centre + deviation && interval[1] >= centre - deviation,
      stepsPerSecond: Math.round(
        runs.reduce((sum, run) => sum + run.steps, 0) / runs.reduce((sum, run) => sum + run.seconds, 0),
      ),
    });
  }
  return figures;
};
