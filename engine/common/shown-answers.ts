/** The text of a prompt that shows earlier answers, what a verifier says about them, or the right answer. */

/** An earlier answer, as a prompt may show it. */
export interface ShownAnswer {
  readonly text: string;
  readonly reward: number;
  /** What the verifier says about it. */
  readonly reason: string;
  /** Its number among the answers to the prompt; absent for another text. */
  readonly sample?: number;
}

export interface Template {
  /** The whole prompt, with `{prompt}`, `{attempts}` and `{answer}`, the right one. */
  readonly shown: string;
  /** One earlier answer, with `{attempt}`, `{verdict}` and `{reason}`. */
  readonly attempt: string;
  /** The words of `{verdict}`, from a reward of ½ and below it. */
  readonly right: string;
  readonly wrong: string;
}

/** The words of a verdict, unless a method has parameters for them. */
export const WORDS = { right: 'right', wrong: 'wrong' } as const;

/**
 * The template of an attempt with a mark behind it that is among the characters which a model can write; with
 * none of the usual marks, the attempt alone.
 */
export const markedAttempt = (canWrite: (character: string) => boolean): string =>
  `{attempt}${[';', ' ', '\n'].find(canWrite) ?? ''}`;

export const NAMES = /\{(prompt|attempts|answer|attempt|verdict|reason)\}/g;
const filled = (template: string, values: { readonly [name: string]: string }): string =>
  template.replaceAll(NAMES, (name: string, key: string) => values[key] ?? name);

/** The whole text of a prompt that shows these answers, in their order. */
export const shownText = (
  { shown, attempt, right, wrong }: Template,
  { prompt, reference }: { readonly prompt: string; readonly reference: string | null },
  answers: readonly ShownAnswer[],
): string => {
  const attempts = answers.map(({ text, reward, reason }) =>
    filled(attempt, { attempt: text, verdict: reward >= 0.5 ? right : wrong, reason }),
  );
  return filled(shown, { prompt, answer: reference ?? '', attempts: attempts.join('') });
};
