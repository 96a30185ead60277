import { maskedCounts, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * The policy's confidence in each of its answers, from its own distributions: `row/tokens`, the number of its
 * tokens; `row/logp`, the log-probability of all of them; `row/cross-entropy`, −log p averaged over vocabulary
 * and tokens, which is the cross-entropy from the uniform distribution: self-certainty plus ln V
 * (arXiv:2502.18581, eq. 4). An answer without a token has 0 of each.
 */
export const confidence = stage({
  id: 'confidence',
  station: 'reference',
  needs: ['mask', 'behaviorLogp', 'mean-logp/initial'],
  adds: ['row/tokens', 'row/logp', 'row/cross-entropy'],
  run: async ({ mask, behaviorLogp, 'mean-logp/initial': meanLogp }) => {
    const tokens = maskedCounts(mask);
    return {
      columns: {
        'row/tokens': tokens,
        'row/logp': maskedSums(behaviorLogp, mask),
        'row/cross-entropy': maskedSums(meanLogp, mask).map((sum, r) => -sum / Math.max(1, tokens[r])),
      },
    };
  },
});
