import type { Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/pairs', params: { letters: 4, length: 5 } } as const;
const sampling = { maxTokens: 8 };
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

/** Groups of a batch, answers per group, and how many of these are trained on; a batch is learned from twice. */
type Groups = readonly [prompts: number, answers: number, kept: number];

const planOf =
  (batches: number, method: Groups, baseline: Groups): Effect['plan'] =>
  (seed) => {
    const sharpened = ([batch, groupSize, keep]: Groups) => ({
      method: { id: 'pf-ppo', params: { groupSize, keep, kept: 'best-worst', klWeight: 0.02 } },
      task,
      models: from('base'),
      rewards: [{ id: 'snippet', params: { code: noisy } }],
      optimizer: { learningRate: 1e-3 },
      budget: { steps: 2 * batches, batch },
      sampling,
      evaluation: { problems: 96, samples: 4 },
      seed: seed + 100,
    });
    return {
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
        { id: 'method', spec: sharpened(method) },
        { id: 'baseline', spec: sharpened(baseline) },
      ],
    };
  };

const shared = {
  cluster: 11,
  system: 'pf-ppo',
  title:
    'PPO on the answers whose rewards can be trusted, the best and the worst of a group, earns more of the true ' +
    'reward than PPO on all of them (letters "a", a reward that is noise in its middle)',
  cites: 'arXiv:2409.06957',
  measure: 'gold reward (share of letters "a" of well-formed answers) at the end',
  better: 'higher',
  number: async (runs) => (await runs.evaluation()).gold,
} satisfies Partial<Effect>;

export const pfPpoNoise: Effect = {
  ...shared,
  id: 'pf-ppo-noise',
  method: 'pf-ppo, 4 of 8 answers per prompt',
  baseline: 'pf-ppo with all 8 answers: PPO on several answers per prompt',
  note:
    'At equal answers sampled; with three times the steps both sides reach .996. The noise is even, so that on average ' +
    'over the middle answers no filter is needed, while the filter halves the answers of an update.',
  plan: planOf(20, [8, 8, 4], [8, 8, 8]),
};

/** At equal updates of equally many answers; the answers that the filter drops are not counted. */
export const pfPpoNoiseUpdates: Effect = {
  ...shared,
  id: 'pf-ppo-noise-updates',
  method: 'pf-ppo, 2 of 5 answers to each of 10 prompts an update',
  baseline: 'pf-ppo with all 5 answers to 4 prompts an update',
  note:
    'The method samples 2.5 times as many answers for updates of as many. Batches of 20 answers were chosen ' +
    'after both sides had been seen on seeds 101 to 104: with 80 it was ahead by .001 to .015. Filter and noise are ' +
    'not told apart here: extremes also have larger advantages.',
  plan: planOf(24, [10, 5, 2], [4, 5, 5]),
};
