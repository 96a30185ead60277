import { stage } from '../../kernel/stage.ts';
import { type Path, pathsOf } from '../math/paths.ts';
import type { Step } from '../math/steps.ts';
import type { TreeNode } from '../math/tree.ts';

/**
 * Qualities of the states of a tree (arXiv:2406.03816, section 3.1): v_0 = 0 at the prompt, then
 * v_k = max(0, v_{k−1} + (1 − v_{k−1}) ⁄ (m_k + 1) · (1 − 2·r_k)). r_k is 0 if a right answer follows in the tree,
 * and m_k the fewest steps to one; else r_k is 1, and m_k the fewest steps to any end. On a right answer of K steps
 * v_k = k ⁄ K. Right is a reward above `threshold`.
 */
export const qualitiesOf = (
  paths: readonly Path[],
  rewards_R: ArrayLike<number>,
  threshold: number,
): ReadonlyMap<TreeNode, number> => {
  const parents = new Map<TreeNode, TreeNode>();
  const left = new Map<TreeNode, { right: number; any: number }>();
  for (const { row, states } of paths)
    states.forEach((state, at) => {
      if (at > 0) parents.set(state, states[at - 1]);
      const steps = states.length - 1 - at;
      const { right, any } = left.get(state) ?? { right: Infinity, any: Infinity };
      const isRight = rewards_R[row] > threshold;
      left.set(state, { right: isRight ? Math.min(right, steps) : right, any: Math.min(any, steps) });
    });
  const qualities = new Map<TreeNode, number>();
  const quality = (state: TreeNode): number => {
    const known = qualities.get(state);
    if (known !== undefined) return known;
    const parent = parents.get(state);
    const { right, any } = left.get(state) ?? { right: Infinity, any: 0 };
    const before = parent ? quality(parent) : 0;
    const sign = right < Infinity ? 1 : -1;
    const steps = right < Infinity ? right : any;
    const value = parent ? Math.max(0, before + (sign * (1 - before)) / (steps + 1)) : 0;
    qualities.set(state, value);
    return value;
  };
  for (const state of left.keys()) quality(state);
  return qualities;
};

/** `returns`: on each sampled token the quality of the state before its step, the target of a value model. */
export const processTargets = ({ step, threshold }: { readonly step: Step; readonly threshold: number }) =>
  stage({
    id: `processTargets(${step})`,
    station: 'credit',
    needs: ['problem', 'groupId', 'tokens', 'mask', 'weight', 'reward/total', 'row/given'],
    adds: ['returns'],
    run: async (rows, { text }) => {
      const paths = pathsOf(rows, step, text);
      const qualities = qualitiesOf(paths, rows['reward/total'], threshold);
      const values = new Float64Array(rows.mask.values.length);
      for (const { row, start, states } of paths) {
        const first = rows.mask.offsets[row] + start;
        states
          .slice(1)
          .forEach((state, at) =>
            values.fill(qualities.get(states[at]) ?? 0, first + states[at].length, first + state.length),
          );
      }
      return { columns: { returns: { axis: 'T', values, offsets: rows.mask.offsets } } };
    },
  });
