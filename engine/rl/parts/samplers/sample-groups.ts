import type { Columns, ModelPort, TextPort } from '../../kernel/columns.ts';
import { gather } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { continuing } from '../math/forest.ts';

/**
 * Several answers per prompt, sampled from the role's own model: a group is compared within itself.
 * Controllers may set the group sizes.
 */
export const sampleGroups = ({ groupSize }: { readonly groupSize: number }) =>
  stage({
    id: `sampleGroups(${groupSize})`,
    station: 'sampler',
    needs: ['promptId', 'problem', 'prompt'],
    adds: ['groupId', 'sample', 'weight', 'tokens', 'mask', 'behaviorLogp', 'completion', 'ended'],
    run: (rows, context) =>
      grouped(rows, context.control.sizes(rows.problem, groupSize, context), context.sample, context.text),
  });

/** Several answers per prompt, sampled from the run's initial model; `row/initial` marks them. */
export const sampleInitialGroups = ({ groupSize }: { readonly groupSize: number }) =>
  stage({
    id: `sampleInitialGroups(${groupSize})`,
    station: 'sampler',
    needs: ['promptId', 'problem', 'prompt', 'model/initial'],
    adds: [
      'groupId',
      'sample',
      'weight',
      'tokens',
      'mask',
      'behaviorLogp',
      'completion',
      'ended',
      'row/initial',
    ],
    run: async ({ 'model/initial': initial, ...rows }, context) => {
      const { columns, from_R } = await grouped(
        rows,
        context.control.sizes(rows.problem, groupSize, context),
        initial.sample,
        context.text,
      );
      return { columns: { ...columns, 'row/initial': new Float64Array(from_R.length).fill(1) }, from_R };
    },
  });

/** Answers to prompts, so many to each; `from_R` is the prompt of each answer. */
export const grouped = async (
  { promptId, problem, prompt }: Pick<Columns, 'promptId' | 'problem' | 'prompt'>,
  sizes: readonly number[],
  write: ModelPort['sample'],
  { maxTokens }: Pick<TextPort, 'maxTokens'>,
) => {
  const from_R = Uint32Array.from(sizes.flatMap((n, p) => new Array<number>(n).fill(p)));
  const rows = from_R.length;
  const sample = sampleNumbers(promptId, sizes);
  const problems = gather(problem, from_R);
  // a sampler that enumerates all outcomes returns their weights
  const { weight = new Float64Array(rows).fill(1), ...answers } = await write(
    gather(prompt, from_R),
    problems,
    sample,
    continuing(problems, maxTokens),
  );
  return { columns: { ...answers, groupId: Float64Array.from(from_R), sample, weight }, from_R };
};

/**
 * Numbers answers 0, 1, … over all groups of one prompt, so that a prompt drawn twice does not get the same
 * answers twice.
 */
export const sampleNumbers = (
  promptId_P: ArrayLike<number | string>,
  size: number | readonly number[],
): Float64Array => {
  const given = new Map<number | string, number>();
  const numbers: number[] = [];
  Array.from(promptId_P).forEach((prompt, p) => {
    const first = given.get(prompt) ?? 0;
    const own = typeof size === 'number' ? size : size[p];
    for (let s = 0; s < own; s++) numbers.push(first + s);
    given.set(prompt, first + own);
  });
  return Float64Array.from(numbers);
};
