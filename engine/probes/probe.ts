/** An answer of a held-out pair that is edited. */
export interface ProbedAnswer {
  readonly prompt: string;
  readonly completion: string;
  /** An answer to another prompt; null if there is only one prompt. */
  readonly other: string | null;
}

/**
 * An edit of an answer with a known consequence for its quality. `same`: it adds or changes nothing that
 * matters, so that the score must not move. `lower`: it damages the answer, so that the score must fall.
 */
export interface Probe {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly expects: 'same' | 'lower';
  /** The edited answer; null if the edit does not apply to this one. */
  readonly edit: (answer: ProbedAnswer) => string | null;
}

/** Sentences with the space after them, so that their concatenation is the text. */
export const sentencesOf = (text: string): string[] =>
  text.match(/[^.!?\n]*(?:[.!?]+|\n+|$)\s*/gu)?.filter(Boolean) ?? [];

/** Puts a replacement into the case of the word that it replaces. */
export const inCaseOf = (word: string, replacement: string): string =>
  /^\p{Lu}/u.test(word) ? replacement.charAt(0).toUpperCase() + replacement.slice(1) : replacement;
