/** Random draws, as a stream gives them. */
export interface Draws {
  /** Uniform in (0, 1). */
  next(): number;
  /** Uniform whole number from 0 to n − 1. */
  int(n: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * Several ways to say one problem, in a world of instructions. Its functions depend only on their arguments.
 */
export interface Wordings {
  /** Kinds of changes from a plain prompt. */
  readonly kinds: readonly string[];
  /** A prompt with the same meaning and these kinds of changes; null for a text that is no problem. */
  say(prompt: string, kinds: readonly string[], draw: Draws): string | null;
  /** The kinds of changes in a prompt. */
  kindsOf(prompt: string): readonly string[];
  /** The right answer: equal for prompts of the same meaning; null for a text that is no problem. */
  answer(prompt: string): string | null;
}
