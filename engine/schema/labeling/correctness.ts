import * as z from 'zod';
import { splitSteps, stepRanges, type StepRange } from '../../common/answer-steps.ts';
import type { LabelMode } from './mode.ts';

const Offset = z.int().min(0);

/**
 * True if an answer is correct. `firstWrong`: number of the first wrong step, from 0; the steps before it are
 * right, the ones after it are not judged. `steps`: offsets of the steps in the answer, in UTF-16 code units,
 * so that a later change of the way to split answers changes no label.
 */
export const Correctness = z.strictObject({
  correct: z.boolean(),
  firstWrong: z.int().min(0).optional(),
  steps: z
    .array(z.tuple([Offset, Offset]))
    .min(1)
    .max(20_000),
});
export type Correctness = z.infer<typeof Correctness>;

/** A sentence on what is wrong with the offsets of steps; null if nothing is. */
const stepFault = (steps: readonly StepRange[], length: number): string | null => {
  if (steps.some(([start, end], at) => start > end || start < (at === 0 ? 0 : steps[at - 1][1])))
    return 'the steps overlap or are not in order';
  return steps.some(([, end]) => end > length) ? 'a step ends after the answer' : null;
};

const fault = ({ correct, firstWrong, steps }: Correctness, length: number): string | null => {
  if (correct && firstWrong !== undefined) return 'a correct answer has no wrong step';
  if (firstWrong !== undefined && firstWrong >= steps.length)
    return `the answer has no step ${firstWrong} (they count from 0, and there are ${steps.length})`;
  return stepFault(steps, length);
};

export const correctness: LabelMode = {
  id: 'correctness',
  title: 'Correctness',
  summary: 'Is an answer correct, and which step is the first wrong one?',
  answers: { least: 1, most: 1 },
  value: (_count, _options, [answer = '']) =>
    Correctness.extend({
      steps: Correctness.shape.steps.default(() =>
        stepRanges(splitSteps(answer)).map(([start, end]): [number, number] => [start, end]),
      ),
    }).superRefine((value, { addIssue }) => {
      const message = fault(value, answer.length);
      if (message !== null) addIssue({ code: 'custom', message, path: ['steps'] });
    }),
  // one answer alone implies none; of the answers to one prompt, the correct ones are preferred on export
  pairs: () => [],
  score: (value) => Number(Correctness.parse(value).correct),
};
