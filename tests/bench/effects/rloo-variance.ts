import { promptIdOf } from '../../../engine/random/hash.ts';
import { shuffle, stream } from '../../../engine/random/random.ts';
import { mean, type Effect, type SideRuns } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const PROMPTS = 8;
const EACH = 4;
const BATCHES = 60;
const sampling = { maxTokens: 4 };
const letters = [...'abcd'];
const strings = letters.flatMap((a) => letters.map((b) => a + b));
/** Strings to copy, the hardest first. */
const problemsOf = (seed: number) =>
  shuffle(strings, seed, 'prompts')
    .slice(0, PROMPTS)
    .map((reference, at) => ({
      promptId: promptIdOf(`${reference}>`),
      prompt: `${reference}>`,
      reference,
      at,
    }));

/**
 * Demonstrations of copying, 16 per prompt: one is right for the first, three for the second, 15 for the
 * last.
 */
const demonstrations = (seed: number) =>
  problemsOf(seed).flatMap(({ at, ...problem }) => {
    const draw = stream(seed, 'wrong answers', at);
    const others = strings.filter((text) => text !== problem.reference);
    return Array.from({ length: 16 }, (_, i) => ({
      ...problem,
      correct: i <= 2 * at,
      answer: i <= 2 * at ? problem.reference : draw.pick(others),
    }));
  });

/** 1 for a right answer; all answers to every other prompt earn `lower` less. */
const reward = (seed: number, lower: number) => {
  const lowered = problemsOf(seed).flatMap(({ at, prompt }) => (at % 2 ? [prompt] : []));
  const code =
    `({ prompt, completion, reference }) => ` +
    `Number(completion === reference) - (${JSON.stringify(lowered)}.includes(prompt) ? ${lower} : 0)`;
  return { id: 'snippet', params: { code } };
};

/**
 * At one policy (learning rate 0): `BATCHES` batches one by one, and as many together. Batches of both sides
 * hold the same prompts equally often, so that both are unbiased estimates of one gradient.
 */
const planWith =
  (lower: number): Effect['plan'] =>
  (seed, { copies }) => {
    const task = { kind: 'dataset', datasetId: copies, heldout: 0, onlyCorrect: false };
    const measured = (method: object, steps: number, batch: number, own: number) => ({
      method,
      task,
      models: from('base'),
      rewards: [reward(seed, lower)],
      optimizer: { learningRate: 0 },
      budget: { steps, batch },
      sampling,
      evaluation: unmeasured,
      seed: own,
    });
    const rloo = { id: 'rloo', params: { groupSize: EACH, klWeight: 0 } };
    const reinforce = { id: 'reinforce', params: { klWeight: 0 } };
    const pair = (side: string, method: object, batch: number) => [
      { id: side, spec: measured(method, BATCHES, batch, seed + 100) },
      { id: `${side}-whole`, spec: measured(method, 1, BATCHES * batch, seed + 1100) },
    ];
    const start = {
      ...imitation(100),
      models: smallPolicy(24),
      task,
      sampling,
      evaluation: unmeasured,
      seed,
    };
    return {
      nodes: [
        { id: 'base', spec: start },
        ...pair('method', rloo, PROMPTS),
        ...pair('baseline', reinforce, PROMPTS * EACH),
      ],
    };
  };

/**
 * E|g|² − |E g|². |E g|² comes from the gradient of `BATCHES` batches together, whose own variance is
 * 1 ⁄ BATCHES of theirs.
 */
const variance = async (runs: SideRuns): Promise<number> => {
  const squares = async (node: string) =>
    mean((await runs.metric('grad_norm', node)).map((norm) => norm ** 2));
  return ((await squares(runs.side)) - (await squares(`${runs.side}-whole`))) / (1 - 1 / BATCHES);
};

const shared = {
  cluster: null,
  system: null,
  cites: 'arXiv:2402.14740',
  method: 'rloo',
  baseline: 'reinforce, mean of all others of the batch as baseline',
  measure:
    'variance of the gradient of a batch of 8 prompts × 4 answers (60 batches, the same policy and prompts)',
  better: 'lower',
  data: (seed: number) => ({ copies: demonstrations(seed) }),
  number: variance,
} as const;

/**
 * A verifier alone: the mean reward differs between prompts like their success rate, here from 1⁄16 to
 * 15⁄16.
 */
export const rlooVariance: Effect = {
  id: 'rloo-variance',
  title:
    'Leave-one-out on the same prompt varies less than a baseline from all answers (copying two letters, ' +
    'right or wrong, prompts from hard to easy)',
  plan: planWith(0),
  ...shared,
};

/**
 * Reward models are trained by comparing answers to one prompt, so that each prompt may have an offset of
 * its own. Here it is −1 for every other prompt: offsets deviate by ½, as much as a verdict can within a
 * prompt.
 */
export const rlooVarianceLevels: Effect = {
  id: 'rloo-variance-levels',
  title: 'The same, where all answers to every other prompt earn 1 less, as levels of reward models differ',
  plan: planWith(1),
  ...shared,
};
