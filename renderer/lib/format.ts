/**
 * Formats numbers for people: as many digits as their uncertainty allows, a real minus sign, no percent
 * signs in tables.
 */

const MINUS = '\u2212';
const signed = (text: string): string => text.replace(/-/g, MINUS);
const dropZero = (text: string): string => text.replace(/^(-?)0\./, '$1.');

/** A rate in 0–1 as `.634`; `digits` after the point. */
export const rate = (value: number, digits = 3): string =>
  Number.isFinite(value) ? signed(dropZero(value.toFixed(digits))) : notFinite(value);

/** Digits after the point that an uncertainty of `half` allows: two significant digits of it, at most 4. */
export const digitsFor = (half: number): number =>
  half > 0 && Number.isFinite(half) ? Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(half)))) : 3;

/** `.634 ± .021`, from a value and its interval. The interval may be asymmetric: half its width is written. */
export function withInterval(value: number, interval: readonly [number, number]): string {
  const half = (interval[1] - interval[0]) / 2;
  const digits = digitsFor(half);
  return `${rate(value, digits)} ± ${rate(half, digits)}`;
}

/** A difference, always with its sign. */
export const delta = (value: number, digits = 3): string => (value > 0 ? '+' : '') + rate(value, digits);

/** A number of any size: about four significant digits, thin exponents only where they help. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e6 || size < 1e-3) return signed(value.toExponential(2).replace('e+', 'e'));
  if (Number.isInteger(value)) return count(value);
  return signed(value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4));
}

const notFinite = (value: number): string =>
  Number.isNaN(value) ? 'not a number' : value > 0 ? '∞' : `${MINUS}∞`;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
/** A count with grouped thousands. */
export const count = (value: number): string => signed(whole.format(value));
/** A count in three digits: `950`, `12.3 k`, `124 M`. */
export function compact(value: number): string {
  const units = ['', ' k', ' M', ' B'];
  let power = 0;
  while (value >= 999.5 && power < units.length - 1) {
    value /= 1000;
    power += 1;
  }
  return `${power === 0 ? count(value) : Number(value.toPrecision(3))}${units[power]}`;
}
/** `1 pair`, `12 pairs`. */
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** Percent for prose only. */
export const percent = (value: number, digits = 0): string => `${(value * 100).toFixed(digits)} %`;

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let power = 0;
  while (value >= 1000 && power < units.length - 1) {
    value /= 1000;
    power += 1;
  }
  return `${value >= 100 || power === 0 ? value.toFixed(0) : value.toFixed(1)} ${units[power]}`;
}

/** A span of time in two units at most: `12 s`, `4 min 05 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, '0')} s`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, '0')} min`;
}

const day = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});
export const dateTime = (at: number): string => day.format(at);

/** Coarse age of an entry: a list is read by the day, not by the second. */
export function ago(at: number, now: number): string {
  const s = Math.max(0, (now - at) / 1000);
  if (s < 60) return 'just now';
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`;
  return day.format(at);
}

/** The first line of a text, cut to `length` characters. */
export function firstLine(text: string, length = 160): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

/** Labels of fields whose names alone do not say what they hold. */
const labels = new Map([
  ['heldout', 'Held-out share'],
  ['onlyCorrect', 'Correct answers only'],
]);

/**
 * `learningRate` → `Learning rate`; `klWeight` → `KL weight`; `passAt1` → `pass@1`; `timeMs` → `Time (ms)`;
 * `datasetId` → `Dataset`, since a person chooses one by its name.
 */
export function humanize(key: string): string {
  const label = labels.get(key);
  if (label !== undefined) return label;
  const words = key
    .replace(/[-_]+/g, ' ')
    .replace(/([a-z])([A-Z0-9])/g, '$1 $2')
    .toLowerCase()
    .trim()
    .replace(/ id$/, '');
  return (words.charAt(0).toUpperCase() + words.slice(1))
    .replace(/\b(kl|auc|ece|sd|sft)\b/gi, (short) => short.toUpperCase())
    .replace(/ ms$/, ' (ms)')
    .replace(/ mb$/, ' (MB)')
    .replace(/^pass at (\d+)$/i, 'pass@$1');
}
