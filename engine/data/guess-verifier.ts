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

/** Kinds of references, with the verifier for each; the first kind that fits all references is suggested. */
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
    return false; // a reference may begin with a brace without being JSON
  }
};

/** Inspects references in a stream of rows, and suggests the verifier for them. */
export class VerifierGuess {
  #left = kinds;
  /** Rows that have a reference. */
  count = 0;

  add({ reference, prompt }: { readonly reference: string | null; readonly prompt: string }): void {
    if (reference === null) return;
    this.count++;
    this.#left = this.#left.filter(([, is]) => is(reference, prompt));
  }

  /** A reward's id: comparison of words if references are of no other kind; null without any. */
  get suggestion(): string | null {
    return this.count === 0 ? null : (this.#left[0]?.[0] ?? 'match/normalised');
  }
}
