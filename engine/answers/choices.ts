/** Multiple choice: reads the options of a question, and the option that an answer names. */
import { afterMark, boxed } from './numbers.ts';

const LETTERS = 'ABCDEFGHIJ';
const LONGEST = 100_000;

/** Normalised text without case, punctuation, articles and extra spaces, for comparison. */
export const normalised = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}]/gu, ' ')
    .split(/\s+/u)
    .filter((word) => word !== '' && word !== 'a' && word !== 'an' && word !== 'the')
    .join(' ');

/**
 * Options of a question by letter: `A. …`, `B) …`, one per line, or `(A) … (B) …` within one. Empty unless
 * it lists options from A on.
 */
export const optionsIn = (question: string): ReadonlyMap<string, string> => {
  const text = question.slice(-LONGEST);
  const lines = [...text.matchAll(/^[ \t]*\(?([A-J])[).:][ \t]+([^\n]+)$/gm)];
  const found = lines.length > 1 ? lines : [...text.matchAll(/\(([A-J])\)([^()\n]+)/g)];
  const options = new Map(found.map(([, letter, option]) => [letter, option.trim()]));
  return [...options.keys()].every((letter, i) => letter === LETTERS[i]) && options.size > 1
    ? options
    : new Map();
};

/**
 * The letter named by a short text: the letter itself (`b`, `(B)`, `B.`, `B) because`), or the words of one
 * option.
 */
const letterOf = (text: string, options: ReadonlyMap<string, string>): string | null => {
  const words = normalised(text);
  const meant = words === '' ? [] : [...options].filter(([, option]) => normalised(option) === words);
  if (meant.length === 1) return meant[0][0];
  const [, alone, marked] =
    /^[^\p{L}\p{N}]*(?:([A-Ja-j])[^\p{L}\p{N}]*$|([A-J])[).:,](?:\s|$|\*))/u.exec(text) ?? [];
  return (alone ?? marked)?.toUpperCase() ?? null;
};

/**
 * The final option of an answer: in its last `\boxed{…}`, after its last `####`, after its last "answer is"
 * or "answer:", as its last line, or the last letter in parentheses. Null if it names none, or one that the
 * question does not have.
 */
export const chosenOption = (answer: string, options: ReadonlyMap<string, string>): string | null => {
  const text = answer.slice(-LONGEST).trim();
  const phrase = [...text.matchAll(/\banswer(?: is)?\s*:?\s*/gi)].at(-1);
  const places = [
    boxed(text)?.content,
    afterMark(text, '####')?.content,
    phrase && text.slice(phrase.index + phrase[0].length).split('\n', 1)[0],
    text.split('\n').at(-1),
    [...text.matchAll(/\(([A-J])\)/g)].at(-1)?.[1],
  ];
  for (const place of places) {
    const letter =
      place === undefined ? null : letterOf(place.replace(/^\\text\{([^{}]*)\}$/, '$1'), options);
    if (letter !== null) return options.size === 0 || options.has(letter) ? letter : null;
  }
  return null;
};
