import type { Claim } from './claim.ts';
import { fresh, mean } from './world.ts';

/**
 * The verdict reads the first two letters alone, so length earns nothing. Where the loss of an answer is divided by its length, a long wrong
 * answer is punished less for each token than a short one.
 */
export const drGrpoLength: Claim = {
  id: 'dr-grpo-length',
  title: 'Wrong answers do not grow longer without division by length and deviation (copying two letters; answers of up to 16, right where they begin with them)',
  cites: 'arXiv:2503.20783',
  method: 'grpo, preset dr-grpo', baseline: 'grpo, klWeight 0',
  measure: 'mean length of wrong answers, last 10 of 60 steps less the first 10, in tokens', better: 'lower',
  of: async (device, side, seed) => {
    const params = side === 'method' ? { sd: 'none', average: 'constant', klWeight: 0 } : { klWeight: 0 };
    const seen = await fresh(device, {
      method: { id: 'grpo', params }, task: { kind: 'world', id: 'toy/copy', params: { letters: 4 } }, rewards: [{ id: 'match/pattern', params: { pattern: '^(..)' } }],
      optimizer: { learningRate: 2e-3 }, budget: { steps: 60, batch: 8 }, sampling: { maxTokens: 16 }, evaluation: { problems: 0 }, seed,
    });
    const wrong = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows.filter((row) => row.purpose === 'train' && Object.values(row.scores).every((score) => score <= 0)) : []));
    const between = (from: number, to: number) => mean(wrong.filter(({ step }) => step > from && step <= to).map(({ behaviorLogp }) => behaviorLogp.length));
    return between(50, 60) - between(0, 10);
  },
};
