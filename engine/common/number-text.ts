/**
 * Reads numbers typed into a field or after a flag by one rule everywhere, and refuses the rest with a
 * reason.
 */

export interface Bounds {
  readonly integer?: boolean;
  readonly low?: number | null;
  readonly high?: number | null;
  /** Excludes the bound itself. */
  readonly openLow?: boolean;
  readonly openHigh?: boolean;
}

export type ReadNumber =
  { readonly ok: true; readonly value: number } | { readonly ok: false; readonly message: string };

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const refused = (message: string): ReadNumber => ({ ok: false, message });

/**
 * Parses a decimal number with an optional point and exponent (`0.0003`, `3e-4`), and ignores blanks around
 * it. Refuses other numbers that JavaScript reads (`0x10`, `Infinity`), notations that differ by country
 * (`1,5`), separators (`1_000`), digits of other scripts, and numbers that a double cannot hold: a run would
 * use another number than was typed.
 */
export function readNumber(text: string, bounds: Bounds = {}): ReadNumber {
  const trimmed = text
    .trim()
    .replace(/^\u2212/, '-')
    .replace(/e\u2212/i, 'e-');
  if (trimmed === '') return refused('a number is missing');
  if (!DECIMAL.test(trimmed)) return refused(`“${shortened(trimmed)}” is not a number${adviceFor(trimmed)}`);
  const value = Number(trimmed);
  const digits = trimmed.replace(/e.*$/i, '');
  if (!Number.isFinite(value)) return refused(`“${shortened(trimmed)}” is too large`);
  if (value === 0 && /[1-9]/.test(digits))
    return refused(`“${shortened(trimmed)}” is too small to tell from 0`);
  return within(value, bounds);
}

/** Checks a number against its bounds. */
export function within(
  value: number,
  { integer = false, low = null, high = null, openLow = false, openHigh = false }: Bounds,
): ReadNumber {
  if (integer && !Number.isInteger(value)) return refused('must be a whole number');
  if (low !== null && (openLow ? value <= low : value < low))
    return refused(`must be ${openLow ? 'more than' : 'at least'} ${low}`);
  if (high !== null && (openHigh ? value >= high : value > high))
    return refused(`must be ${openHigh ? 'less than' : 'at most'} ${high}`);
  if (integer && !Number.isSafeInteger(value)) return refused('is too large to be kept to the last digit');
  return { ok: true, value: value === 0 ? 0 : value };
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

function adviceFor(text: string): string {
  if (text.includes(',')) return ': use a point for decimals (0.5), and nothing between thousands (1000)';
  if (/^[+-]?\d[\d_’' ]*\d(\.\d*)?$/.test(text)) return ': write it without anything between its digits';
  return '';
}
