import { maskedSums, ragged, rowCount, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Divergence of the policy from its start on these prompts: the mean log-ratio of answers paired with the
 * next row's prompt, at least 0. Every row has the same number, without gradient (arXiv:2402.01306, the
 * reference point z₀; answers rotate by one row as in TRL).
 */
export const mismatchedPoint = stage({
  id: 'mismatchedPoint',
  station: 'reference',
  needs: ['prompt', 'tokens', 'mask', 'model/policy', 'model/initial'],
  adds: ['row/reference-point'],
  run: async (
    { prompt, tokens, mask, 'model/policy': policy, 'model/initial': initial },
    { text: { context } },
  ) => {
    const rows = rowCount(tokens);
    const pieces = Array.from({ length: rows }, (_, r) => {
      const from = (r + rows - 1) % rows;
      const own = rowOf(mask, from);
      return { head: rowOf(prompt, r), answer: rowOf(tokens, from).filter((_token, t) => own[t] === 1) };
    });
    const torn = ragged(pieces, Int32Array, ({ head, answer }) => [...head, ...answer].slice(0, context));
    const scored = ragged(pieces, Uint8Array, ({ head, answer }) =>
      [...head.map(() => 0), ...answer.map(() => 1)].slice(0, context),
    );
    const [now, before] = [
      maskedSums(await policy.logp(torn), scored),
      maskedSums(await initial.logp(torn), scored),
    ];
    const gained = now.reduce((sum, value, r) => sum + value - before[r], 0) / Math.max(rows, 1);
    return { columns: { 'row/reference-point': new Float64Array(rows).fill(Math.max(0, gained)) } };
  },
});
