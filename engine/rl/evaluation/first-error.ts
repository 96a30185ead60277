/** Measures a verifier that writes verdicts: does it find the first wrong line of worked answers? */
import { firstErrorShares, mean } from '../../evaluate/index.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { World } from '../../worlds/index.ts';
import { writeAnswers, type WriteOptions } from '../compute/answers.ts';
import type { Problem } from '../kernel/columns.ts';
import type { VerdictWords } from '../kernel/recipe.ts';
import { shownPrompts, verdictsOf } from '../parts/math/written-verdicts.ts';

/** A worked answer whose first wrong line is known; −1 if all are right. */
export interface Solution {
  readonly problem: Problem;
  readonly answer: string;
  readonly firstError: number;
  readonly correct: boolean;
}

/**
 * Held-out demonstrations of a world that judges lines, wrong ones included; empty for another world. A wrong
 * answer of right lines (its last line is another number) has its error behind the last judged line, and is
 * left out.
 */
export const solutionsOf = (world: World, count: number): Solution[] =>
  Array.from({ length: count }, (_, index) => world.demonstration(index, 0, 'heldout')).flatMap(
    ({ promptId, prompt, reference, answer }) => {
      const { steps, correct } = world.verify(prompt, answer);
      if (!steps) return [];
      // a redundant line of a right answer is no error
      const firstError = correct ? -1 : steps.findIndex(({ holds }) => !holds);
      if (!correct && firstError < 0) return [];
      return [{ problem: { promptId, prompt, reference }, answer, firstError, correct }];
    },
  );

/** A verifier's written verdicts on one solution; null if they have not the right number or other words. */
export interface Judged {
  readonly solution: Pick<Solution, 'firstError' | 'correct'>;
  readonly verdicts: readonly boolean[] | null;
}

/**
 * As in ProcessBench (arXiv:2412.06559): accuracy of the first error's place on wrong answers, of finding
 * none on right ones, and their harmonic mean; and the accuracy of the verdict on the whole, balanced over
 * right and wrong answers. A measure without answers of its kind is left out.
 */
export const firstErrorMeasures = (judged: readonly Judged[]): { readonly [measure: string]: number } => {
  const [wrong, right] = [false, true].map((kind) =>
    judged.filter(({ solution }) => solution.firstError < 0 === kind),
  );
  const agrees = ({ solution, verdicts }: Judged): number =>
    Number(verdicts !== null && verdicts[verdicts.length - 1] === solution.correct);
  const share = (rows: readonly Judged[], of: (row: Judged) => number): number =>
    rows.length === 0 ? 0 : mean(rows.map(of));
  const { inWrong, inRight, f1 } = firstErrorShares(
    judged.map(({ solution, verdicts }) => ({
      firstError: solution.firstError,
      firstBlamed: verdicts && verdicts.slice(0, -1).indexOf(false),
    })),
  );
  return {
    ...(inWrong !== null && { first_error_in_wrong: inWrong }),
    ...(inRight !== null && { first_error_in_right: inRight }),
    ...(f1 !== null && {
      first_error_f1: f1,
      verdict_accuracy: (share(wrong, agrees) + share(right, agrees)) / 2,
    }),
  };
};

/** The verifier's likeliest verdicts on each solution. */
export const judgeSolutions = async (
  solutions: readonly Solution[],
  words: VerdictWords,
  writing: Omit<WriteOptions, 'purpose' | 'step'> & { readonly step: number },
): Promise<Judged[]> => {
  const { tokenizer, maxTokens, model } = writing;
  const due = solutions.map(({ answer }) => answer.split('\n').length);
  const prompts = shownPrompts(
    solutions.map(({ problem, answer }, r) => ({
      shown: problem.prompt + answer,
      cue: words.cue.repeat(due[r]),
    })),
    {
      prompt: (text) => encodePrompt(tokenizer, text),
      encode: (text) => tokenizer.encode(text),
      context: model.config.context,
      maxTokens,
    },
  );
  const { completion } = await writeAnswers(
    prompts,
    solutions.map(({ problem }) => problem),
    new Float64Array(solutions.length),
    { ...writing, purpose: 'verdicts at evaluation', greedy: true },
  );
  return solutions.map((solution, r) => ({
    solution,
    verdicts: verdictsOf(completion[r], words, due[r]),
  }));
};
