import type { Claim } from './claim.ts';
import { after, curve, mean } from './world.ts';

const ANSWERS = 32, BATCHES = 60;
const task = { kind: 'world', id: 'toy/copy', params: { wrong: 0.5 } } as const;

/**
 * Both are unbiased estimates of one gradient, so the difference of their mean squared norms is the difference of their variances. They are
 * taken again and again at one policy (learning rate 0) that is right on some prompts and wrong on others.
 */
export const rlooVariance: Claim = {
  id: 'rloo-variance',
  title: 'Leave-one-out on the same prompt varies less than a baseline from other prompts (copying two letters, after imitation of half-wrong answers)',
  cites: 'arXiv:2402.14740',
  method: 'rloo, 8 prompts × 4 answers', baseline: 'reinforce, 32 prompts × 1 answer, mean of the others as baseline',
  measure: 'mean squared norm of the gradient over 60 batches of 32 answers', better: 'lower',
  of: (device, side, seed) => after(device, { method: { id: 'sft' }, task, optimizer: { learningRate: 1e-2 }, budget: { steps: 60, batch: 32 }, sampling: { maxTokens: 4 }, evaluation: { problems: 0 }, seed }, async (start) => {
    const method = side === 'method' ? { id: 'rloo', params: { size: 4, klWeight: 0 } } : { id: 'reinforce', params: { klWeight: 0 } };
    const seen = await start({
      method, task, optimizer: { learningRate: 0 }, budget: { steps: BATCHES, batch: side === 'method' ? ANSWERS / 4 : ANSWERS },
      sampling: { maxTokens: 4 }, evaluation: { problems: 0 }, seed: seed + 100,
    });
    return mean(curve(seen, 'grad_norm').map((norm) => norm ** 2));
  }),
};
