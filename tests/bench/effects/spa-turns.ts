import type { Effect } from './effect.ts';
import { from, smallPolicy, unmeasured } from './shared.ts';

/** A world, its base, and batches of answers: of the policy on each side, and of the estimator before. */
interface Trial {
  readonly letters: number;
  readonly turns: number;
  readonly context: number;
  /** Updates of imitation, from which the base has begun to take turns. */
  readonly imitated: number;
  readonly rounds: number;
  readonly warmup: number;
  /** Batches of the baseline. */
  readonly against: number;
  readonly estimatorRate: number;
}

const two: Trial = {
  letters: 6,
  turns: 2,
  context: 24,
  imitated: 25,
  rounds: 20,
  warmup: 5,
  against: 25,
  estimatorRate: 3e-3,
};
const six: Trial = {
  letters: 4,
  turns: 6,
  context: 48,
  imitated: 100,
  rounds: 10,
  warmup: 80,
  against: 10,
  estimatorRate: 7e-4,
};

const planOf =
  (trial: Trial): Effect['plan'] =>
  (seed) => {
    const { letters, turns, context, imitated, rounds, warmup, against, estimatorRate } = trial;
    const task = { kind: 'world', id: 'toy/turns', params: { letters, turns } } as const;
    const sampling = { maxTokens: 5 * turns - 2 };
    const steady = { schedule: 'constant', warmup: 0 } as const;
    const learned = (id: string, steps: number, params: object = {}) => ({
      method: { id, params: { epochs: 2, ...params } },
      task,
      models: from('base'),
      rewards: [{ id: 'verifier' }],
      optimizer: { learningRate: 3e-3, ...steady },
      budget: { steps, batch: 64 },
      sampling,
      evaluation: { problems: 48, samples: 4, world: { id: task.id, params: task.params } },
      seed: seed + 100,
    });
    return {
      nodes: [
        {
          id: 'base',
          spec: {
            method: { id: 'sft' },
            optimizer: { learningRate: 1e-2, beta2: 0.95, schedule: 'linear' },
            budget: { steps: imitated, batch: 32 },
            models: smallPolicy(context),
            task,
            sampling,
            evaluation: unmeasured,
            seed,
          },
        },
        {
          id: 'method',
          spec: {
            // a batch is learned from four times by the estimator, twice by policy and critic
            ...learned('spa-rl', warmup * 4 + rounds * 8, { warmup }),
            roles: { estimator: { optimizer: { learningRate: estimatorRate, ...steady } } },
          },
        },
        { id: 'baseline', spec: learned('ppo', against * 4) },
      ],
    };
  };

const shared = {
  cluster: 7,
  system: 'spa-rl',
  cites: 'arXiv:2505.20732',
  baseline: 'ppo',
  measure: 'mean reward of answers to held-out prompts',
  better: 'higher',
  number: async (runs) => (await runs.evaluation()).gold,
} satisfies Partial<Effect>;

/**
 * From a policy that has begun to take turns. Both sides sample as many answers; the estimator's warm-up is part of
 * them, and costs the policy a fifth of its updates.
 */
export const spaTurns: Effect = {
  ...shared,
  id: 'spa-turns',
  title:
    'A reward split among the turns of an episode is learned from faster than one at its end (a letter is ' +
    'told after the first turn, and repeated in the second)',
  method: 'spa-rl',
  quickSteps: 12,
  note:
    'Behind on four seeds of five. It was −.231 while the estimator’s error was spread over both turns, which the ' +
    'spread of the seeds does not tell from this. All of the reward depends on the last turn, where a split has ' +
    'nothing to say, and the warm-up takes a fifth of the answers: the policy has 40 updates against 50.',
  plan: planOf(two),
};

/** Second attempt, as in the paper: more turns, equal updates of the policy, an estimator trained before them. */
export const spaTurnsSix: Effect = {
  ...shared,
  id: 'spa-turns-six',
  title: 'The same with six turns, five of which repeat a letter, and their mean as the reward at the end',
  method: 'spa-rl, its estimator trained on 80 more batches before the policy is',
  quickSteps: 12,
  note:
    'Equal updates of the policy; the estimator’s batches come on top, nine times the answers in all. On seeds 101 ' +
    'and 102 its error after 40 to 150 batches was .04 to .1, no less than the reward’s own variance (about .045 if ' +
    'turns err independently): it had not learned which turn earns. With 150 the method was behind there (.71 and ' +
    '.86 against .80 and .93).',
  plan: planOf(six),
};
