import type { Columns } from '../../kernel/columns.ts';
import { observedOf, observedRow } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { answerPlaces } from '../math/places.ts';

/**
 * Targets of action values: y = r + γ · max_a Q⁻(s', a) by the snapshot `average` (Mnih et al. 2015), or with
 * `double` its value of the action that the current network finds best (van Hasselt et al., arXiv:1509.06461,
 * eq. 4). Behind a terminal state nothing follows; behind an episode that was cut off at the limit the value
 * of its last state does.
 */
export const tdTarget = ({ gamma, double }: { readonly gamma: number; readonly double: boolean }) =>
  stage({
    id: `tdTarget(${gamma}${double ? ', double' : ''})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'credit/earned', 'row/terminal', 'model/average', 'model/policy'],
    adds: ['returns'],
    run: async ({ tokens, mask, ...rest }) => {
      const { 'credit/earned': earned, 'row/terminal': terminal } = rest;
      const { 'model/average': target, 'model/policy': policy } = rest;
      const values = new Float64Array(tokens.values.length);
      const steps = answerPlaces(mask).flatMap((places, r) =>
        places.map((at, step) => ({ at, r, ends: step === places.length - 1 && terminal[r] === 1 })),
      );
      if (steps.length === 0) return { columns: { returns: { ...earned, values } } };
      const reached = reachedBy(tokens, steps);
      const { logits } = await target.act(reached, steps.length);
      const chooser = double ? (await policy.act(reached, steps.length)).logits : logits;
      const names = logits.length / steps.length;
      steps.forEach(({ at, ends }, n) => {
        const own = chooser.subarray(n * names, (n + 1) * names);
        const best = own.indexOf(Math.max(...own));
        values[at] = earned.values[at] + (ends ? 0 : gamma * logits[n * names + best]);
      });
      return { columns: { returns: { ...earned, values } } };
    },
  });

/** [N × F]: what was observed after each step. */
const reachedBy = (
  tokens: Columns['tokens'],
  steps: readonly { readonly at: number; readonly r: number }[],
): Float32Array => {
  const width = tokens.observed?.width ?? 0;
  const rows = steps.map(({ at, r }) => {
    const behind = (at - tokens.offsets[r]) * width;
    return observedRow(tokens, r).subarray(behind, behind + width);
  });
  return observedOf(rows, width).values;
};
