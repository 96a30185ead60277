/**
 * A record of a file, with the line (from 1) on which it begins; or the error, and the start of its text.
 * `place`: file and line, if the line does not count from the start of one file.
 */
export type ParsedRecord =
  { readonly line: number; readonly value: unknown; readonly place?: string } | Broken;

export interface Broken {
  readonly line: number;
  readonly place?: string;
  readonly reason: string;
  readonly text: string;
  /** A hint, if there is more to do than correct the line. */
  readonly hint?: string;
}

/**
 * Turns decoded text into records. Broken ones are reported, not thrown: the caller decides whether they end
 * the import.
 */
export type RecordReader = (
  chunks: AsyncIterable<string>,
  limits: Limits,
) => AsyncIterable<readonly ParsedRecord[]>;

export interface Limits {
  /** Longest record, in characters; a longer one is broken, and is skipped without being kept in memory. */
  readonly recordCharacters: number;
}

const KEPT = 300;
export const broken = (line: number, reason: string, text: string, hint?: string): Broken => ({
  line,
  reason,
  text: text.slice(0, KEPT),
  ...(hint !== undefined && { hint }),
});

export const tooLong = (line: number, { recordCharacters }: Limits, text: string): ParsedRecord =>
  broken(
    line,
    `is longer than ${recordCharacters.toLocaleString('en')} characters`,
    text,
    line === 1
      ? 'A file that is one long line is mostly one JSON object: save its list of rows by itself ([…]), ' +
          'or one row a line.'
      : undefined,
  );

/** Parses one JSON record; anything but an object is broken. */
export const jsonRecord = (line: number, text: string): ParsedRecord => {
  try {
    const value = parseJson(text);
    return isObject(value)
      ? { line, value }
      : broken(line, `holds ${kindOf(value)} where an object is needed`, text);
  } catch (error) {
    return broken(line, `is not valid JSON (${(error as SyntaxError).message})`, text, remedyFor(text));
  }
};

/**
 * Parses JSON, but keeps integers that a float64 cannot hold as text: mostly row ids. Without such digits in
 * the text, this is `JSON.parse`.
 */
const parseJson = (text: string): unknown => {
  if (!sixteenDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, ...[context]: { source?: string }[]) => {
    const source = context?.source;
    const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isRounded && source !== undefined && /^-?\d+$/.test(source) ? source : value;
  });
};

const sixteenDigits = /\d{16}/;

const remedyFor = (text: string): string | undefined => {
  if (/[{[,]\s*$/.test(text)) {
    return (
      'It looks as if one object goes over several lines. Write one object a line, or put the objects in ' +
      'a list ([…]).'
    );
  }
  const word = /[:[,]\s*(NaN|-?Infinity|None|True|False)\b/.exec(text)?.[1];
  return word === undefined ? undefined : `JSON has no ${word}: write null, a number, true or false there.`;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The kind of a value, as text for messages. */
export const kindOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
};
