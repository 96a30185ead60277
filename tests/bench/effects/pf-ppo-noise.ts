import type { Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/pairs', params: { letters: 4, length: 5 } } as const;
const sampling = { maxTokens: 8 };
/** Batches, each learned from twice. */
const BATCHES = 20;

/**
 * The share of letters "a", as a reward model sees it that can tell the best and the worst answers apart, and
 * errs in between: there its score is a fixed random number of the answer.
 */
const noisy = `({ completion }) => {
  const text = completion.trim();
  const share = (text.match(/a/g) ?? []).length / Math.max(5, text.length);
  if (share <= 0.2 || share >= 0.8) return share;
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619) >>> 0;
  return 0.2 + 0.6 * ((hash >>> 8) / 16777216);
}`;

const sharpened = (seed: number, keep: number) => ({
  method: { id: 'pf-ppo', params: { groupSize: 8, keep, kept: 'best-worst', klWeight: 0.02 } },
  task,
  models: from('base'),
  rewards: [{ id: 'snippet', params: { code: noisy } }],
  optimizer: { learningRate: 1e-3 },
  budget: { steps: 2 * BATCHES, batch: 8 },
  sampling,
  evaluation: { problems: 96, samples: 4 },
  seed: seed + 100,
});

export const pfPpoNoise: Effect = {
  id: 'pf-ppo-noise',
  cluster: 11,
  system: 'pf-ppo',
  title:
    'PPO on the answers whose rewards can be trusted, the best and the worst of a group, earns more of the true ' +
    'reward than PPO on all of them (letters "a", a reward that is noise in its middle)',
  cites: 'arXiv:2409.06957',
  method: 'pf-ppo, 4 of 8 answers per prompt',
  baseline: 'pf-ppo with all 8 answers: PPO on several answers per prompt',
  measure: 'gold reward (share of letters "a" of well-formed answers) at the end',
  better: 'higher',
  note:
    'Second attempt; with three times the steps both sides reach .996. The noise is even, so that on average over ' +
    'the middle answers no filter is needed, while the filter halves the answers of an update.',
  plan: (seed) => ({
    nodes: [
      {
        id: 'base',
        spec: {
          ...imitation(60, 'constant'),
          models: smallPolicy(24),
          task,
          sampling,
          evaluation: unmeasured,
          seed,
        },
      },
      { id: 'method', spec: sharpened(seed, 4) },
      { id: 'baseline', spec: sharpened(seed, 8) },
    ],
  }),
  number: async (runs) => (await runs.evaluation()).gold,
};
