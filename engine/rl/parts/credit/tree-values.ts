/** Credit of steps by values backed up the tree of a prompt's answers. */
import type { Columns } from '../../kernel/columns.ts';
import { rowOf } from '../../kernel/rows.ts';
import { stage, type TextPort } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { answerStart } from '../math/places.ts';
import { type Step, stepsOf } from '../math/steps.ts';
import { type Leaf, type TreeNode, treeOf } from '../math/tree.ts';

/** Lengths of an answer behind each of its steps; the last is its whole length. */
export const stepLengths = (
  tokens: ArrayLike<number>,
  step: Step,
  text: Pick<TextPort, 'decode'>,
): number[] =>
  stepsOf(
    new Uint8Array(tokens.length).fill(1),
    (t) => step === 'line' && text.decode([tokens[t]]).includes('\n'),
    step,
  ).map(([, last]) => last + 1);

type Answered = Pick<Columns, 'problem' | 'groupId' | 'tokens' | 'mask' | 'weight' | 'reward/total'> & {
  readonly 'row/given': Float64Array;
};

/** A row's path in its group's tree: the states from where it begins to its end. */
export interface Path {
  readonly row: number;
  /** Position of its answer's first token in the row. */
  readonly start: number;
  readonly states: readonly TreeNode[];
  /** The rows of its group, by the leaves' numbers. */
  readonly group: readonly number[];
}

/** The path of each row. */
export const pathsOf = (
  { problem, groupId, tokens, mask, weight, 'reward/total': rewards_R, 'row/given': given }: Answered,
  step: Step,
  text: Pick<TextPort, 'decode'>,
): readonly Path[] => {
  const paths = new Array<Path>(problem.length);
  for (const group of groupsOf(groupId)) {
    const starts = group.map((r) => answerStart(problem[r], rowOf(mask, r)));
    const leaves = group.map((r, at): Leaf => {
      const answer = [...rowOf(tokens, r).subarray(starts[at])];
      return {
        tokens: answer,
        given: given[r],
        ends: stepLengths(answer, step, text),
        value: rewards_R[r],
        weight: weight[r],
      };
    });
    treeOf(leaves).paths.forEach((states, at) => {
      paths[group[at]] = { row: group[at], start: starts[at], states, group };
    });
  }
  return paths;
};

/**
 * Backed-up values of the tree of each group, by steps of the sampled tokens: `stepEnd` marks where a state ends,
 * `credit/step` has there V(state behind the step) − V(state before it), and `returns` on each token the value of
 * the state before its step: the target of a critic. `row/root` is the value of the state that a row began in.
 */
export const treeValues = ({ step }: { readonly step: Step }) =>
  stage({
    id: `treeValues(${step})`,
    station: 'credit',
    needs: ['problem', 'groupId', 'tokens', 'mask', 'weight', 'reward/total', 'row/given'],
    adds: ['stepEnd', 'credit/step', 'returns', 'row/root'],
    run: async (rows, { text }) => {
      const { mask } = rows;
      const stepEnd = new Uint8Array(mask.values.length);
      const [credit, returns] = [0, 1].map(() => new Float64Array(mask.values.length));
      const root = new Float64Array(rows.weight.length);
      for (const { row, start, states } of pathsOf(rows, step, text)) {
        const first = mask.offsets[row] + start;
        root[row] = states[0].value;
        states.slice(1).forEach((state, at) => {
          const before = states[at];
          stepEnd[first + state.length - 1] = 1;
          credit[first + state.length - 1] = state.value - before.value;
          returns.fill(before.value, first + before.length, first + state.length);
        });
      }
      const { offsets } = mask;
      return {
        columns: {
          stepEnd: { ...mask, values: stepEnd },
          'credit/step': { axis: 'T', values: credit, offsets },
          returns: { axis: 'T', values: returns, offsets },
          'row/root': root,
        },
      };
    },
  });

/**
 * Advantage of each token by the states of its tree: that of its step, V(behind) − V(before); or, against the
 * `group`, V(behind) − the mean reward of the group’s answers (q-values, centred without a deviation).
 */
export const treeAdvantages = ({ against }: { readonly against: 'parent' | 'group' }) =>
  stage({
    id: `treeAdvantages(${against})`,
    station: 'credit',
    needs: ['mask', 'groupId', 'weight', 'reward/total', 'stepEnd', 'credit/step', 'returns'],
    adds: ['advantage'],
    run: async ({
      mask,
      groupId,
      weight,
      'reward/total': rewards_R,
      stepEnd,
      'credit/step': credit,
      returns,
    }) => {
      const values = new Float64Array(mask.values.length);
      for (const group of groupsOf(groupId)) {
        const total = group.reduce((sum, r) => sum + weight[r], 0);
        const mean = group.reduce((sum, r) => sum + weight[r] * rewards_R[r], 0) / (total || 1);
        for (const r of group) {
          let ahead = 0;
          for (let at = mask.offsets[r + 1] - 1; at >= mask.offsets[r]; at--) {
            if (stepEnd.values[at])
              ahead = credit.values[at] + (against === 'group' ? returns.values[at] - mean : 0);
            if (mask.values[at]) values[at] = ahead;
          }
        }
      }
      return { columns: { advantage: { axis: 'T', values, offsets: mask.offsets } } };
    },
  });
