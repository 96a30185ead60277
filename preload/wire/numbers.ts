/**
 * Numbers as people read them, the same on pages, in reports and on the command line: as many digits as their
 * uncertainty allows, no zero before the point, a real minus sign, no percent signs in tables.
 */

export const MINUS = '\u2212';
const signed = (text: string): string => text.replace(/-/g, MINUS);
const dropZero = (text: string): string => text.replace(/^(-?)0\./, '$1.');

const notFinite = (value: number): string =>
  Number.isNaN(value) ? 'not a number' : value > 0 ? '∞' : `${MINUS}∞`;

/** A rate in 0–1 as `.634`; `digits` after the point. A value that rounds to 0 has no sign. */
export function rate(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const text = value.toFixed(digits);
  return signed(dropZero(Number(text) === 0 ? text.replace('-', '') : text));
}

/** Digits after the point that an uncertainty of `half` allows: two significant digits of it, at most 4. */
export const digitsFor = (half: number): number =>
  half > 0 && Number.isFinite(half) ? Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(half)))) : 3;

/** A number without bounds, with the digits of its uncertainty; a whole one has none. */
export const amount = (value: number, digits: number): string =>
  Number.isInteger(value) ? count(value) : rate(value, digits);

/** A difference, always with its sign. */
export const delta = (value: number, digits = 3): string => (value > 0 ? '+' : '') + rate(value, digits);

/**
 * `.634 [.613, .655]`: a value and its bounds, which need not lie at equal distances. `write` formats all
 * three.
 */
export const withInterval = (
  value: number,
  [low, high]: readonly [number, number],
  write: (value: number, digits: number) => string = rate,
): string => {
  const digits = digitsFor((high - low) / 2);
  return `${write(value, digits)} [${write(low, digits)}, ${write(high, digits)}]`;
};

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
/** A count with grouped thousands. */
export const count = (value: number): string => signed(whole.format(value));

/** A number of any size: about four significant digits, exponents only where they help. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e6 || size < 1e-3) return signed(value.toExponential(2).replace('e+', 'e'));
  if (Number.isInteger(value)) return count(value);
  if (size >= 1) return signed(value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3));
  return rate(value, size >= 0.1 ? 3 : 4);
}

/** Smallest KL divergence shown, in nats: float32 log-probabilities resolve no less. */
const LEAST_KL = 1e-4;
/** A KL divergence in nats: 0 where only rounding errors are left, which may be negative. */
export const divergence = (nats: number): string => number(Math.abs(nats) < LEAST_KL ? 0 : nats);

/** A span of time in two units at most: `12 s`, `4 min 05 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, '0')} s`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, '0')} min`;
}
