/** Random draws, as a stream gives them. */
export interface Draws {
  /** Uniform in (0, 1). */
  next(): number;
  /** Uniform whole number from 0 to n − 1. */
  int(n: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Several ways to ask one problem. Its functions depend only on their arguments. */
export interface Wordings {
  /** Kinds of changes from a plain prompt. */
  readonly kinds: readonly string[];
  /**
   * True if what is said holds the plain prompt as it is, with other text around it: a model is shown all of
   * it, and the verifier reads the plain prompt. Absent where the world reads what is said.
   */
  readonly isAround?: boolean;
  /** A prompt with the same meaning and these kinds of changes; null for a text that is no problem. */
  say(prompt: string, kinds: readonly string[], draw: Draws): string | null;
  /** The kinds of changes in a prompt. */
  kindsOf(prompt: string): readonly string[];
  /** The right answer: equal for prompts of the same meaning; null where it is not known. */
  answer(prompt: string): string | null;
  /** A right answer to learn from, with its worked lines if the world has some; null where none is known. */
  worked(prompt: string): string | null;
}
