import { WhetstoneError } from '../common/errors.ts';
import { firstOrdinary, inner, ownSpecials, specials, type Tokenizer } from './tokenizer.ts';

/**
 * One token per character (Unicode code point) of an alphabet: exact and small, for worlds with a fixed
 * notation. U+FFFD, which stands for a special token inside an answer, becomes `pad` again, so that every
 * stored answer can be scored and trained on as text.
 */
export const charactersTokenizer = (alphabet: Iterable<string>): Tokenizer => {
  const characters = [...new Set(alphabet)].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0));
  if (characters.length === 0)
    throw new WhetstoneError('invalid-input', 'A character tokenizer needs at least one character.');
  const odd = characters.find((c) => [...c].length !== 1);
  if (odd !== undefined)
    throw new WhetstoneError('invalid-input', `“${odd}” is not one character.`, { where: 'alphabet' });
  const ids = new Map([
    ['\ufffd', specials.pad as number],
    ...characters.map((c, i): [string, number] => [c, i + firstOrdinary]),
  ]);
  return {
    kind: 'characters',
    vocabulary: characters.length + firstOrdinary,
    ...ownSpecials,
    encode: (text) => Int32Array.from([...text], (c, at) => ids.get(c) ?? unknown(c, at, text)),
    spells: (character) => ids.has(character),
    decode: (tokens) =>
      inner(tokens)
        .map((id) => characters[id - firstOrdinary] ?? '\ufffd')
        .join(''),
    toJson: () => ({ type: 'whetstone-characters', version: 1, alphabet: characters.join('') }),
  };
};

/** The set of characters in some texts. */
export const alphabetOf = (texts: Iterable<string>): Set<string> => {
  const found = new Set<string>();
  for (const text of texts) for (const c of text) found.add(c);
  return found;
};

const unknown = (character: string, at: number, text: string): never => {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new WhetstoneError(
    'invalid-input',
    `The character “${character}” (U+${code}) is not in this tokenizer’s alphabet.`,
    {
      where: `character ${at + 1} of “${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`,
      hint: 'Use only characters that the model was trained with, or train a model with the bytes or bpe tokenizer.',
    },
  );
};
