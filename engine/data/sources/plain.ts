import { TextDecoder } from 'node:util';

const utf8 = new TextDecoder('utf-8', { fatal: true });

const textIn = (bytes: Uint8Array): string | null => {
  try {
    const text = utf8.decode(bytes);
    return text.includes('\u0000') ? null : text;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
};

/**
 * A value of a Parquet column as plain JSON: dates as ISO 8601, integers beyond float64 as text, NaN and the
 * infinities as text, bytes as text where they are UTF-8, else as a remark on their number.
 */
export const plainValue = (value: unknown): unknown => {
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : `${value}`;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array)
    return textIn(value) ?? `(binary, ${value.length.toLocaleString('en')} bytes, not imported)`;
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value as ArrayLike<unknown>, plainValue);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainValue(each)]));
};
