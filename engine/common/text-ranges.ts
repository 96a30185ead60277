/** A range `[start, end)` in UTF-16 code units, with a label. */
interface TextRange {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** True if an offset is between the two halves of a surrogate pair. */
export const splitsCharacter = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));

/** Spans in the order of their beginnings. */
export const inOrder = <S extends TextRange>(spans: readonly S[]): S[] =>
  spans.toSorted((a, b) => a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : 1));

/** True if two spans of one label share text. */
export const overlap = (a: TextRange, b: TextRange): boolean =>
  a.label === b.label && a.start < b.end && b.start < a.end;
