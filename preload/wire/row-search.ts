/** A word of a search, and where it occurs in a text. */
export interface SearchWord {
  readonly pattern: RegExp;
  /** Beginnings of words that a matching text has, for the full-text index; empty if the index has none. */
  readonly prefixes: readonly string[];
  /** True if a text with these beginnings always matches. */
  readonly exact: boolean;
}

/** Pattern of the place where a word begins. */
const wordStart = String.raw`(?<![\p{L}\p{N}\p{M}])`;
const letters = /[\p{L}\p{N}]+/gu;
/** Scripts that separate words: only their words are found by the index. */
const separated = /^[0-9A-Za-z\u00C0-\u024F\u0370-\u03FF\u0400-\u04FF]+$/;

/** A word with its signs. */
export function searchWord(text: string): SearchWord {
  const parts: readonly string[] = text.match(letters) ?? [];
  const [first = ''] = parts;
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const fromStart = text.startsWith(first) && separated.test(first);
  return {
    pattern: new RegExp(`${fromStart ? wordStart : ''}${escaped}`, 'giu'),
    prefixes: parts.every((part) => separated.test(part)) ? parts : [],
    exact: text === first && separated.test(text),
  };
}

/** Words in this order, whatever separates them; the last one from its beginning. */
export function phraseOf(text: string): SearchWord {
  const words = text.split(/\s+/).filter(Boolean).map(searchWord);
  if (words.length === 0) return { pattern: /(?!)/gu, prefixes: [], exact: false };
  const source = words.map(({ pattern }) => pattern.source.replace(wordStart, '')).join(String.raw`\s+`);
  const start = words[0].pattern.source.startsWith(wordStart) ? wordStart : '';
  return {
    pattern: new RegExp(start + source, 'giu'),
    prefixes: words.flatMap(({ prefixes }) => prefixes),
    exact: words.length === 1 && words[0].exact,
  };
}

/**
 * The words of a search; a text must have all of them, in any order and case. A word is found from its
 * beginning ("bolt" finds "bolts"), with its signs ("8+9"); signs alone, and scripts without spaces between
 * words, are found anywhere.
 */
export const searchWords = (search: string): readonly SearchWord[] =>
  search.split(/\s+/).filter(Boolean).map(searchWord);

/** A text in parts, of which those that match a word are marked. */
export function marked(
  text: string,
  words: readonly SearchWord[],
): readonly { readonly text: string; readonly isMatch: boolean }[] {
  const found = words
    .flatMap(({ pattern }) => [...text.matchAll(pattern)])
    .map(({ index, 0: { length } }) => ({ from: index, to: index + length }))
    .sort((a, b) => a.from - b.from);
  const parts: { text: string; isMatch: boolean }[] = [];
  let at = 0;
  const upTo = (end: number, isMatch: boolean) => {
    if (end > at) parts.push({ text: text.slice(at, end), isMatch });
    at = Math.max(at, end);
  };
  for (const { from, to } of found) {
    upTo(from, false);
    upTo(to, true);
  }
  upTo(text.length, false);
  return parts;
}
