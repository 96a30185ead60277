import { promptIdOf } from '../../../engine/random/hash.ts';
import { stream } from '../../../engine/random/random.ts';
import { mean, type Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const letters = [...'abcd'];
const WINDOW = 10;
const sampling = { maxTokens: 16 };

/** Copies of two letters, half of them two random letters; then up to eight superfluous letters. */
const demonstrations = (seed: number) =>
  letters
    .flatMap((a) => letters.map((b) => a + b))
    .flatMap((reference, at) => {
      const draw = stream(seed, 'answers', at);
      const prompt = `${reference}>`;
      const promptId = promptIdOf(prompt);
      const any = (n: number) => Array.from({ length: n }, () => draw.pick(letters)).join('');
      const answers = Array.from({ length: 24 }, (_, i) => (i % 2 ? reference : any(2)) + any(draw.int(9)));
      return answers.map((answer) => ({ promptId, prompt, reference, correct: null, answer }));
    });

/**
 * The verdict reads only the first two letters, so length earns nothing. If the loss of an answer is divided
 * by its length, a long wrong answer is punished less per token than a short one. The initial policy writes
 * answers of all lengths, right and wrong: from random weights the drift of the end token itself would hide
 * the effect.
 */
export const drGrpoLength: Effect = {
  id: 'dr-grpo-length',
  cluster: null,
  system: null,
  title:
    'Wrong answers do not grow longer without division by length and deviation (copying two letters; what ' +
    'follows them does not count)',
  cites: 'arXiv:2503.20783',
  method: 'grpo, preset dr-grpo',
  baseline: 'grpo, klWeight 0',
  measure: 'mean length of wrong answers, last 10 of 60 steps less the first 10, in tokens',
  better: 'lower',
  data: (seed) => ({ prompts: demonstrations(seed) }),
  plan: (seed, { prompts }) => {
    const task = { kind: 'dataset', datasetId: prompts, heldout: 0, onlyCorrect: false };
    const sharpened = (params: object) => ({
      method: { id: 'grpo', params },
      task,
      models: from('base'),
      rewards: [{ id: 'match/pattern', params: { pattern: '^(..)' } }],
      optimizer: { learningRate: 1e-3, schedule: 'constant' },
      budget: { steps: 60, batch: 8 },
      sampling,
      evaluation: unmeasured,
      seed: seed + 100,
    });
    return {
      nodes: [
        {
          id: 'base',
          spec: { ...imitation(150), models: smallPolicy(24), task, sampling, evaluation: unmeasured, seed },
        },
        { id: 'method', spec: sharpened({ scaleBy: 'none', average: 'constant', klWeight: 0 }) },
        { id: 'baseline', spec: sharpened({ klWeight: 0 }) },
      ],
    };
  },
  number: async (runs) => {
    const answers = await runs.answers('train');
    const steps = (await runs.metric('loss')).length;
    const wrong = answers.filter(({ scores }) => !Object.values(scores).some((score) => score > 0));
    const within = (after: number, to: number) =>
      mean(wrong.filter(({ step }) => step > after && step <= to).map(({ tokens }) => tokens));
    return within(steps - WINDOW, steps) - within(0, WINDOW);
  },
};
