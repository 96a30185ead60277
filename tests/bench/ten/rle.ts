import type { SideRuns } from '../effects/effect.ts';
import type { Claim, TenSystem } from './system.ts';

/** Updates of a run, sixteen of them from each batch: steps of all copies together. */
interface Effort {
  readonly updates: number;
  readonly batch: number;
}
const rewarded: Effort = { updates: 1600, batch: 512 };
/** A batch has one whole episode of a copy, without reward, in the large rooms. */
const unrewarded: Effort = { updates: 480, batch: 4096 };
const stepsOf = ({ updates, batch }: Effort): number => (updates / 16) * batch;
const EPISODES = 100;

/** Method of a side; `free`: parameters with which the world's rewards do not count. */
interface Explorer {
  readonly title: string;
  readonly method: string;
  readonly free?: object;
}
const explorers: Readonly<Record<string, Explorer>> = {
  rle: { title: 'RLE', method: 'rle', free: { earnedWeight: 0 } },
  ppo: { title: 'PPO', method: 'control-ppo' },
  rnd: { title: 'RND', method: 'rnd', free: { earnedWeight: 0 } },
  // in the large rooms it does not come to the only reward
  noise: { title: 'noise in weights', method: 'noisy-ppo' },
  // neither rewards nor bonuses: what is left of PPO is its entropy bonus
  entropy: { title: 'the entropy bonus alone', method: 'rle', free: { earnedWeight: 0, bonusWeight: 0 } },
};

/** Worlds in the order from dense to sparse; where nothing is rewarded, only coverage is compared. */
const worlds = ['four-rooms', 'key-door', 'deep-sea'];
/** A random walk does not cross them in an episode, so that to go along a direction pays. */
const FREE = 'large-rooms';

const side = (explorer: string, world: string): string => `${explorer}-${world}`;
const effortOf = (world: string): Effort => (world === FREE ? unrewarded : rewarded);

const nodeOf = (explorer: string, world: string, seed: number): object => {
  const { method, free } = explorers[explorer];
  const { updates, batch } = effortOf(world);
  return {
    id: side(explorer, world),
    spec: {
      method: { id: method, params: { copies: 8, ...(world === FREE && free) } },
      models: { policy: { kind: 'network' } },
      task: { kind: 'control', id: `control/${world}` },
      budget: { steps: updates, batch },
      evaluation: { problems: EPISODES },
      seed,
    },
  };
};

const last = async (runs: SideRuns, name: string): Promise<number> => (await runs.metric(name)).slice(-1)[0];

const measures = {
  evenness: {
    claim: 'visits are spread wider',
    measure: (steps: string) =>
      `entropy of the visits of all ${steps} steps to states, over the log of the number of states`,
    number: (runs: SideRuns) => last(runs, 'coverage/spread'),
  },
  share: {
    claim: 'more states are visited',
    measure: (steps: string) => `share of the states that were visited in ${steps} steps`,
    number: (runs: SideRuns) => last(runs, 'coverage/states'),
  },
  return: {
    claim: 'more return',
    measure: (steps: string) => `mean return of ${EPISODES} episodes after ${steps} steps`,
    number: (runs: SideRuns) => last(runs, 'eval/return'),
  },
} as const;

const claimOf = (baseline: string, world: string, by: keyof typeof measures): Claim => {
  const where = world === FREE ? `${FREE} without reward` : world;
  const { claim, measure, number } = measures[by];
  return {
    claim: `RLE against ${explorers[baseline].title}, ${where}: ${claim}`,
    method: side('rle', world),
    baseline: side(baseline, world),
    better: 'higher',
    measure: measure(stepsOf(effortOf(world)).toLocaleString('en')),
    number,
  };
};

const baselines = ['ppo', 'rnd', 'noise'];
const freeBaselines = ['entropy', 'rnd', 'noise'];

/**
 * Worlds with countable states, where every method acts as often and has the settings of its own paper; what
 * they share is the PPO of `control-ppo`. The large rooms are the paper's own case without reward (its
 * section 5.1); they took the place of four rooms of 104 cells, which a random walk covers in an episode.
 */
export const rle: TenSystem = {
  id: 'rle',
  cites: 'arXiv:2407.13755',
  plan: (seed) => ({
    nodes: [
      ...worlds.flatMap((world) => ['rle', ...baselines].map((explorer) => nodeOf(explorer, world, seed))),
      ...['rle', ...freeBaselines].map((explorer) => nodeOf(explorer, FREE, seed)),
    ],
  }),
  quickSteps: 32,
  claims: [
    ...worlds.flatMap((world) =>
      baselines.flatMap((baseline) => [
        claimOf(baseline, world, 'evenness'),
        claimOf(baseline, world, 'return'),
      ]),
    ),
    ...freeBaselines.flatMap((baseline) => [
      claimOf(baseline, FREE, 'share'),
      claimOf(baseline, FREE, 'evenness'),
    ]),
  ],
};
