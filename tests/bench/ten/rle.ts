import type { SideRuns } from '../effects/effect.ts';
import type { Claim, TenSystem } from './system.ts';

/** Updates of a run, and steps of all copies in a batch, from which sixteen updates are made. */
const UPDATES = 1600;
const BATCH = 512;
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
  noise: { title: 'noise in weights', method: 'noisy-ppo' },
  // neither rewards nor bonuses: what is left of PPO is its entropy bonus
  entropy: { title: 'the entropy bonus alone', method: 'rle', free: { earnedWeight: 0, bonusWeight: 0 } },
};

/** Worlds in the order from dense to sparse; where nothing is rewarded, only coverage is compared. */
const worlds = ['four-rooms', 'key-door', 'deep-sea'];
const FREE = 'free';

const side = (explorer: string, world: string): string => `${explorer}-${world}`;

const nodeOf = (explorer: string, world: string, seed: number): object => {
  const { method, free } = explorers[explorer];
  const isFree = world === FREE;
  return {
    id: side(explorer, world),
    spec: {
      method: { id: method, params: { copies: 8, ...(isFree && free) } },
      models: { policy: { kind: 'network' } },
      task: { kind: 'control', id: `control/${isFree ? 'four-rooms' : world}` },
      budget: { steps: UPDATES, batch: BATCH },
      evaluation: { problems: EPISODES },
      seed,
    },
  };
};

const last = async (runs: SideRuns, name: string): Promise<number> => (await runs.metric(name)).slice(-1)[0];
const spread = (runs: SideRuns): Promise<number> => last(runs, 'coverage/spread');
const reached = (runs: SideRuns): Promise<number> => last(runs, 'eval/return');

const budget = `${((UPDATES / 16) * BATCH).toLocaleString('en')} steps`;
const claimOf = (baseline: string, world: string, measure: 'coverage' | 'return'): Claim => {
  const where = world === FREE ? 'four-rooms without reward' : world;
  const sides = {
    method: side('rle', world),
    baseline: side(baseline, world),
    better: 'higher',
  } as const;
  const against = `RLE against ${explorers[baseline].title}, ${where}`;
  return measure === 'coverage'
    ? {
        ...sides,
        claim: `${against}: visits are spread wider`,
        measure: `entropy of the visits of all ${budget} to states, over the log of the number of states`,
        number: spread,
      }
    : {
        ...sides,
        claim: `${against}: more return`,
        measure: `mean return of ${EPISODES} episodes after ${budget}`,
        number: reached,
      };
};

const baselines = ['ppo', 'rnd', 'noise'];
const freeBaselines = ['entropy', 'rnd'];

/**
 * Worlds with countable states, where every method acts as often and has the settings of its own paper; what
 * they share is the PPO of `control-ppo`.
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
        claimOf(baseline, world, 'coverage'),
        claimOf(baseline, world, 'return'),
      ]),
    ),
    ...freeBaselines.map((baseline) => claimOf(baseline, FREE, 'coverage')),
  ],
};
