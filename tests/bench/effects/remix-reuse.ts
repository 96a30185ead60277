import { mean, type Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 6, length: 4 } } as const;
const sampling = { maxTokens: 6 };
/** Two epochs on each batch on both sides: the same fresh answers and the same number of updates. */
const learner = (seed: number, method: object) => ({
  method,
  task,
  models: from('base'),
  rewards: [{ id: 'verifier' }],
  optimizer: { learningRate: 2e-3 },
  budget: { steps: 80, batch: 4 },
  sampling,
  evaluation: { problems: 100, samples: 4, every: 20 },
  seed: seed + 100,
});

/** Few fresh answers a batch, so that it pays to learn from them more than once. */
export const remixReuse: Effect = {
  id: 'remix-reuse',
  cluster: 12,
  system: 'remix',
  title: 'Earlier answers besides fresh ones give more from the same sampled answers (copying four letters)',
  cites: 'arXiv:2507.06892',
  method: 'remix: as many earlier answers as fresh ones over the first half, two epochs',
  baseline: 'grpo, two epochs on fresh answers alone',
  measure:
    'gold reward of held-out answers, the mean of four evaluations at equal sampled answers and updates',
  better: 'higher',
  plan: (seed) => ({
    nodes: [
      {
        id: 'base',
        spec: { ...imitation(30), models: smallPolicy(24), task, sampling, evaluation: unmeasured, seed },
      },
      { id: 'method', spec: learner(seed, { id: 'remix', params: { groupSize: 8, epochs: 2 } }) },
      { id: 'baseline', spec: learner(seed, { id: 'grpo', params: { groupSize: 8, epochs: 2 } }) },
    ],
  }),
  number: async (runs) => mean((await runs.evaluations()).map(({ gold }) => gold)),
};
