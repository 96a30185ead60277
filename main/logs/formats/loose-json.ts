import { fromJson } from '../../store/json.ts';

/** Strings, which stay as they are, and the numbers that Python writes and JSON does not have. */
const spelled = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/** Parses JSON in which NaN and the infinities may occur, as Python writes them. Throws `SyntaxError`. */
export function looseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    const quoted = text.replace(spelled, (found) =>
      found.startsWith('"') ? found : `{"$number":"${found}"}`,
    );
    return fromJson(quoted);
  }
}

const named = new Map([
  ['NaN', Number.NaN],
  ['nan', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['inf', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
]);

/** A logged value as a number: a number, a truth value as 0 or 1, or the name of a non-finite one; else null. */
export const numberOf = (value: unknown): number | null => {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' ? (named.get(value) ?? null) : null;
};

export type Json = { readonly [key: string]: unknown };
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
