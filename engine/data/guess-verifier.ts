import { chosenOption, optionsIn } from '../answers/choices.ts';
import { isNumber } from '../answers/numbers.ts';

const schemaWords = [
  'type',
  'properties',
  '$schema',
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  'items',
];

/**
 * What references may all be, with the verifier that compares such ones; the first that fits all of them is
 * suggested.
 */
const kinds: readonly (readonly [verifier: string, is: (reference: string, prompt: string) => boolean])[] = [
  ['match/numeric', (reference) => isNumber(reference)],
  [
    'match/choice',
    (reference, prompt) => {
      const options = optionsIn(prompt);
      return options.size > 0
        ? chosenOption(reference, options) !== null
        : /^\(?[A-Ja-j]\)?\.?$/.test(reference.trim());
    },
  ],
  ['match/json-schema', (reference) => isSchema(reference)],
  ['match/unit-test', (reference) => /\bassert(?:\.\w+)?\s*\(/.test(reference)],
];

const isSchema = (text: string): boolean => {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    return Object.keys(JSON.parse(text) as object).some((key) => schemaWords.includes(key));
  } catch {
    return false; // a reference may begin with a brace and be no JSON
  }
};

/** Looks at references while rows pass by, and suggests what compares answers with them. */
export class VerifierGuess {
  #left = kinds;
  /** Rows that have a reference. */
  count = 0;

  add({ reference, prompt }: { readonly reference: string | null; readonly prompt: string }): void {
    if (reference === null) return;
    this.count++;
    this.#left = this.#left.filter(([, is]) => is(reference, prompt));
  }

  /** A reward's id: comparison of words where references are of no other kind; null without any. */
  get suggestion(): string | null {
    return this.count === 0 ? null : (this.#left[0]?.[0] ?? 'match/normalised');
  }
}
