import type { PolicyMeasures } from '../../../engine/evaluate/index.ts';
import type { Claim } from './claim.ts';
import { after } from './world.ts';

const task = { kind: 'world', id: 'toy/copy', params: { letters: 6, length: 3, wrong: 0.8 } } as const;
const K = 16;

/** A bonus for answers whose representation is new within their group, beside the verifier's reward alone. */
export const repExpCoverage: Claim = {
  id: 'rep-exp-coverage',
  title: 'A bonus for new representations keeps more problems solvable by some of 16 answers (copying three letters, after imitation of half-wrong answers)',
  cites: 'arXiv:2510.11686',
  method: 'grpo, verifier + 0.1 · rep-exp', baseline: 'grpo, verifier',
  measure: `pass@${K} on held-out problems after 30 steps of 8 × 8 answers`, better: 'higher',
  of: (device, side, seed) => after(device, { method: { id: 'sft' }, task, optimizer: { learningRate: 1e-2 }, budget: { steps: 60, batch: 32 }, sampling: { maxTokens: 5 }, evaluation: { problems: 0 }, seed }, async (start) => {
    const seen = await start({
      method: { id: 'grpo', params: { klWeight: 0 } }, task, rewards: [{ id: 'verifier' }, ...(side === 'method' ? [{ id: 'rep-exp', weight: 0.1 }] : [])],
      optimizer: { learningRate: 2e-3 }, budget: { steps: 30, batch: 8 }, sampling: { maxTokens: 5 }, evaluation: { problems: 60, samples: K }, seed: seed + 100,
    });
    const result = seen.findLast((event) => event.type === 'result' && event.kind === 'evaluation');
    const found = result?.type === 'result' ? (result.value as PolicyMeasures).passAtK.find(({ k }) => k === K) : undefined;
    if (!found) throw new Error(`the run told no pass@${K}`);
    return found.value;
  }),
};
