import type { Effect } from './effect.ts';
import { smallPolicy } from './shared.ts';

const compared = (seed: number, comparisons: number, method: object) => ({
  method,
  models: smallPolicy(24),
  task: { kind: 'world', id: 'toy/users', params: { comparisons } },
  optimizer: { learningRate: 3e-3 },
  budget: { steps: 180, batch: 32 },
  sampling: { maxTokens: 4 },
  evaluation: { problems: 200, samples: 1 },
  seed: seed + 400,
});

/**
 * Two groups of users with opposite preferences. The baseline is that of the paper: a reward model that does
 * not know who asks. One that reads the same comparisons as plain text can learn as much
 * (`vpl-users-in-context`).
 */
export const vplUsers: Effect = {
  id: 'vpl-users',
  cluster: 9,
  system: 'vpl',
  title:
    'A latent of the user, inferred from two comparisons, predicts the preferences of two opposed groups, ' +
    'which one reward for all cannot',
  cites: 'arXiv:2408.10075',
  method: 'vpl',
  baseline: 'bradley-terry without the user’s comparisons',
  measure: 'accuracy on 200 held-out pairs, after 180 updates on 32 pairs each',
  better: 'higher',
  note:
    'Seeds are 401 to 405. The learning rate was chosen by the method, after it had stayed near chance on three of five ' +
    'earlier seeds with a wider first latent.',
  plan: (seed) => ({
    nodes: [
      { id: 'method', spec: compared(seed, 2, { id: 'vpl' }) },
      {
        id: 'baseline',
        spec: compared(seed, 0, { id: 'bradley-terry', params: { trunk: 'trained' } }),
      },
    ],
  }),
  number: async (runs) => (await runs.result('reward-inspection')).accuracy,
};

/** The same against a reward model that reads the user's comparisons as part of the prompt. */
export const vplUsersInContext: Effect = {
  ...vplUsers,
  id: 'vpl-users-in-context',
  title:
    'A latent of the user predicts the preferences of two opposed groups better than a reward model that reads ' +
    'the same comparisons as text',
  baseline: 'bradley-terry on the same prompts',
  plan: (seed) => ({
    nodes: [
      { id: 'method', spec: compared(seed, 2, { id: 'vpl' }) },
      {
        id: 'baseline',
        spec: compared(seed, 2, { id: 'bradley-terry', params: { trunk: 'trained' } }),
      },
    ],
  }),
};
