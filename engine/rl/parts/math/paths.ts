/** The trees of a batch: each row's path of states among the answers of its group. */
import type { Columns } from '../../kernel/columns.ts';
import { rowOf } from '../../kernel/rows.ts';
import type { TextPort } from '../../kernel/columns.ts';
import { groupsOf } from './groups.ts';
import { answerStart } from './places.ts';
import { type Step, stepLengths } from './steps.ts';
import { type Leaf, type TreeNode, treeOf } from './tree.ts';

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
