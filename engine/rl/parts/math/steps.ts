/** The steps of an answer: their first and last tokens. */
import type { PerToken } from '../../kernel/columns.ts';
import type { TextPort } from '../../kernel/columns.ts';

/**
 * Definition of a step: every trained token, a line, or a turn (trained tokens without a world's reply
 * between them).
 */
export type Step = 'token' | 'line' | 'turn';

/**
 * First and last position of each step of a row's trained tokens; a line ends with the token that contains
 * its line break.
 */
export const stepsOf = (
  mask_T: Uint8Array,
  breaks: (t: number) => boolean,
  step: Step,
): (readonly [first: number, last: number])[] => {
  const steps: [number, number][] = [];
  let open = false;
  mask_T.forEach((trained, t) => {
    if (trained && open) steps[steps.length - 1][1] = t;
    else if (trained) steps.push([t, t]);
    open = trained === 1 && step !== 'token' && !(step === 'line' && breaks(t));
  });
  return steps;
};

/** First and last position of each step in the columns, row by row. */
export const stepPlaces = (
  mask: PerToken<Uint8Array>,
  stepEnd: PerToken<Uint8Array>,
): { readonly first: number; readonly last: number }[][] =>
  Array.from({ length: mask.offsets.length - 1 }, (_, r) => {
    const steps: { first: number; last: number }[] = [];
    for (let at = mask.offsets[r], first = -1; at < mask.offsets[r + 1]; at++) {
      if (mask.values[at] && first < 0) first = at;
      if (!stepEnd.values[at] || first < 0) continue;
      steps.push({ first, last: at });
      first = -1;
    }
    return steps;
  });

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
