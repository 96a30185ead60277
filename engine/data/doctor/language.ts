/** Guesses the language of a text: by script, and within a script by common words and letters. */
import { cyrillic, latin, type Profile } from './language-profiles.ts';

/** ISO 639-1 code, or `und` where a text shows none: code, numbers, names, too few words. */
export type Language = string;

/** Scripts, and the language of each where it is one alone; kana decide for Japanese before Han. */
const scripts: readonly (readonly [language: Language, script: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['bn', /\p{Script=Bengali}/gu],
  ['ta', /\p{Script=Tamil}/gu],
  ['th', /\p{Script=Thai}/gu],
];

interface Table {
  /** By word: its languages, each with 1 ⁄ the number of languages that have the word. */
  readonly words: ReadonlyMap<string, readonly Language[]>;
  readonly letters: ReadonlyMap<string, readonly Language[]>;
}

const tableOf = (profiles: Readonly<Record<string, Profile>>): Table => {
  const words = new Map<string, Language[]>();
  const letters = new Map<string, Language[]>();
  const add = (to: Map<string, Language[]>, entry: string, language: Language) => {
    const known = to.get(entry) ?? [];
    if (!known.includes(language)) to.set(entry, [...known, language]);
  };
  for (const [language, profile] of Object.entries(profiles)) {
    for (const word of profile.words.split(' ')) add(words, word, language);
    for (const letter of profile.letters) add(letters, letter, language);
  }
  return { words, letters };
};
const latinTable = tableOf(latin);
const cyrillicTable = tableOf(cyrillic);

/** Characters of a text that are read. */
const READ = 1000;
/** Weight of a letter that only some languages have, relative to a common word. */
const LETTER = 0.4;
/** Least evidence: points altogether, points per word, and the lead over the next language. */
const LEAST = { points: 1.2, perWord: 0.12, lead: 1.15 };

const byWords = (text: string, { words, letters }: Table): Language => {
  const found = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const points = new Map<Language, number>();
  const credit = (languages: readonly Language[], weight: number) => {
    for (const language of languages)
      points.set(language, (points.get(language) ?? 0) + weight / Math.sqrt(languages.length));
  };
  for (const word of found) credit(words.get(word) ?? [], 1);
  for (const character of text.match(/\P{ASCII}/gu) ?? []) credit(letters.get(character) ?? [], LETTER);
  const [[best, most], [, next]] = [...points, ['und', 0] as const, ['und', 0] as const].sort(
    (a, b) => b[1] - a[1],
  );
  return most >= LEAST.points && most >= LEAST.perWord * found.length && most >= LEAST.lead * next
    ? best
    : 'und';
};

/** The language of a text, from its first 1,000 characters. */
export const languageOf = (text: string): Language => {
  const plain = text.slice(0, READ).normalize('NFC').toLowerCase();
  const count = (pattern: RegExp) => plain.match(pattern)?.length ?? 0;
  const letters = count(/\p{L}/gu);
  if (letters === 0) return 'und';
  if (count(/\p{Script=Latin}/gu) > letters / 2) return byWords(plain, latinTable);
  if (count(/\p{Script=Cyrillic}/gu) > letters / 2) return byWords(plain, cyrillicTable);
  const [japanese] = scripts;
  // Japanese mixes kana with Han; a twentieth is more than a quoted name
  if (count(japanese[1]) > letters / 20) return japanese[0];
  return scripts.find(([, script]) => count(script) > letters / 3)?.[0] ?? 'und';
};

/** Rows by language, the commonest first. */
export const languages = (
  rows: Iterable<{ readonly id: string; readonly text: string }>,
): { readonly language: Language; readonly rows: readonly string[] }[] => {
  const found = new Map<Language, string[]>();
  for (const { id, text } of rows) {
    const language = languageOf(text);
    const own = found.get(language);
    if (own) own.push(id);
    else found.set(language, [id]);
  }
  return [...found]
    .map(([language, own]) => ({ language, rows: own }))
    .sort((a, b) => b.rows.length - a.rows.length || (a.language < b.language ? -1 : 1));
};
