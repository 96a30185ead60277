/** A record of a file, with the line (from 1) on which it begins; or what is wrong with it, and the beginning of its text. */
export type Found =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly reason: string; readonly text: string };

/** Turns decoded text into records. Broken ones are reported, not thrown: the caller decides whether they end the import. */
export type RecordReader = (chunks: AsyncIterable<string>, limits: Limits) => AsyncIterable<readonly Found[]>;

export interface Limits {
  /** Longest record, in characters; a longer one is broken, and is skipped without being kept in memory. */
  readonly recordCharacters: number;
}

const KEPT = 300;
export const broken = (line: number, reason: string, text: string): Found => ({ line, reason, text: text.slice(0, KEPT) });

export const tooLong = (line: number, { recordCharacters }: Limits, text: string): Found =>
  broken(line, `is longer than ${recordCharacters.toLocaleString('en')} characters`, text);

/** Parses one JSON record; anything but an object is broken. */
export const jsonRecord = (line: number, text: string): Found => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { line, value } : broken(line, `holds ${kindOf(value)} where an object is needed`, text);
  } catch (error) {
    return broken(line, `is not valid JSON (${(error as SyntaxError).message})`, text);
  }
};

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The kind of a value, in words for people. */
export const kindOf = (value: unknown): string =>
  value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : typeof value === 'string' ? 'text' : `a ${typeof value}`;
