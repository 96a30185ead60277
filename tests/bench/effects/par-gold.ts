import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import type { Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/pairs', params: { letters: 4, length: 5 } } as const;
const sampling = { maxTokens: 8 };
const NATS = 10;

/**
 * Gold reward where the divergence first reaches `NATS`, interpolated between two evaluations; that of the
 * last one if it never does.
 */
const goldAt = (measures: readonly PolicyEvaluation[]): number => {
  const at = measures.findIndex(({ kl }) => (kl ?? 0) >= NATS);
  if (at < 1) return measures[at < 0 ? measures.length - 1 : 0].gold;
  const [before, after] = [measures[at - 1], measures[at]];
  const [low, high] = [before.kl ?? 0, after.kl ?? 0];
  return before.gold + ((after.gold - before.gold) * (NATS - low)) / (high - low);
};

const raw = { id: 'reward-model', params: { checkpointId: { node: 'judge' } } };
const sharpened = (seed: number, reward: object) => ({
  method: { id: 'rloo', params: { groupSize: 8, klWeight: 0 } },
  task,
  models: from('base'),
  rewards: [reward],
  optimizer: { learningRate: 2e-3 },
  budget: { steps: 120, batch: 8 },
  sampling,
  evaluation: { problems: 48, samples: 8, every: 1 },
  seed: seed + 100,
});

/**
 * The reward model has only compared strings of five letters, so it prefers longer ones with more letters
 * "a", which are worth nothing. The best answer alone costs ln 4⁵ ≈ 7 nats: the rest is spent on the reward
 * model's error.
 */
export const parGold: Effect = {
  id: 'par-gold',
  cluster: null,
  system: 'par',
  title:
    'A bounded preference reward is worth more at the same divergence than a reward model’s score (many ' +
    'letters "a", but five letters at most)',
  cites: 'arXiv:2502.18770',
  method: 'rloo, par of a Bradley–Terry reward model',
  baseline: 'rloo, the reward model',
  measure:
    `gold reward where the divergence from the start reaches ${NATS} nats (looked at after every step; ` +
    'never: at the end, after 120 steps)',
  better: 'higher',
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
      {
        id: 'judge',
        spec: {
          method: { id: 'bradley-terry', params: { trunk: 'trained' } },
          task,
          models: from('base'),
          optimizer: { learningRate: 3e-3 },
          budget: { steps: 30, batch: 8 },
          sampling,
          evaluation: unmeasured,
          seed: seed + 50,
        },
      },
      { id: 'method', spec: sharpened(seed, { id: 'par', params: { reward: raw } }) },
      { id: 'baseline', spec: sharpened(seed, raw) },
    ],
  }),
  number: async (runs) => goldAt(await runs.evaluations()),
};
