import type { SearchWord } from '../../../preload/wire/row-search.ts';
import { firstLine } from '../../lib/format.ts';

/** Characters shown before a match, and up to which a match needs no excerpt. */
const BEFORE = 16;
const VISIBLE = 32;

/** One line of a text: its beginning, line breaks as spaces, or the surroundings of the first match of a search further down. */
export function excerpt(text: string, words: readonly SearchWord[]): string {
  const places = words.map(({ pattern }) => text.search(pattern)).filter((at) => at >= 0);
  const first = Math.min(...places);
  const line = firstLine(text.slice(0, 400).trimStart().replaceAll(/\s+/g, ' '));
  if (places.length === 0 || (first < VISIBLE && first < line.length)) return line;
  return `…${text
    .slice(first - BEFORE, first + 160)
    .replaceAll(/\s+/g, ' ')
    .trimStart()}`;
}
