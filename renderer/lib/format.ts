/** Formats for display; numbers themselves are written as in reports and on the command line. */
import { metricName } from '../../preload/wire/metric-names.ts';
import { count, number, rate } from '../../preload/wire/numbers.ts';

export {
  count,
  delta,
  digitsFor,
  divergence,
  duration,
  number,
  rate,
  withInterval,
} from '../../preload/wire/numbers.ts';

/** Writes values of a metric: a rate as `.634`, anything else with four significant digits. */
export const metricText = (name: string): ((value: number) => string) =>
  metricName(name)?.isRate ? (value) => rate(value) : number;

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

/** Names in a line: all of a few, the first two of many. */
export const listed = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ');

/** Labels of entries: those that several entries share have more on each. */
export function distinct<T>(
  entries: readonly T[],
  label: (entry: T) => string,
  more: (entry: T) => string,
): readonly string[] {
  const labels = entries.map(label);
  const times = new Map<string, number>();
  for (const each of labels) times.set(each, (times.get(each) ?? 0) + 1);
  return labels.map((each, at) => (times.get(each) === 1 ? each : `${each} · ${more(entries[at])}`));
}

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
