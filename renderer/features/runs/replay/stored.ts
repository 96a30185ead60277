/** Contents of a replay buffer at an evaluation: rows by age, by weight, and by both. */
import type { ReplayContents } from '../../../../engine/schema/replay.ts';
import type { Heat } from '../../../charts/plot/marks.ts';
import { newestPerStep } from '../../../lib/attempts.ts';
import { count, number, percent, plural } from '../../../lib/format.ts';

interface Result {
  readonly kind: string;
  readonly step: number;
  readonly attempt: number;
  readonly value: unknown;
}

/** Contents of each buffer, by step: those of the newest attempt. */
export function storedIn(
  results: readonly Result[],
): readonly { readonly buffer: string; readonly at: readonly ReplayContents[] }[] {
  const held = results
    .filter(({ kind }) => kind === 'replay')
    .map((each) => ({ ...each, value: each.value as ReplayContents }));
  return [...Map.groupBy(held, ({ value }) => value.buffer)].map(([buffer, all]) => ({
    buffer,
    at: newestPerStep(all).map(({ value }) => value),
  }));
}

interface Bins {
  readonly bins: readonly { readonly from: number; readonly to: number }[];
  readonly counts: readonly number[];
}
const between = (ends: readonly number[]) => ends.slice(1).map((to, at) => ({ from: ends[at], to }));

/** Rows by age in batches. */
export const byAge = ({ ages, counts }: ReplayContents): Bins => ({
  bins: between(ages),
  counts: ages.slice(1).map((_to, at) => counts.reduce((sum, row) => sum + row[at], 0)),
});

/**
 * Rows and their weight by the logarithm of it, to base 10; a bin's rows count with its middle. Null where all
 * weigh alike.
 */
export function byWeight({ weights, counts }: ReplayContents): (Bins & { weight: readonly number[] }) | null {
  if (counts.length < 2) return null;
  const rows = counts.map((row) => row.reduce((sum, n) => sum + n, 0));
  return {
    bins: between(weights.map(Math.log10)),
    counts: rows,
    weight: rows.map((n, at) => n * Math.sqrt(weights[at] * weights[at + 1])),
  };
}

const ageText = (from: number, to: number): string =>
  to - from <= 1 ? count(from) : `${count(from)}–${count(to - 1)}`;

/** Weight over age, with the logarithm of the number of rows; null where the rows differ in one of them alone. */
export function ageAndWeight({ ages, weights, counts }: ReplayContents): Heat | null {
  if (counts.length < 2 || ages.length < 3) return null;
  return {
    kind: 'heat',
    name: 'rows (log₁₀)',
    x: between(ages).map(({ from, to }) => ageText(from, to)),
    y: between(weights).map(({ from, to }) => `${number(from)}–${number(to)}`),
    values: counts.map((row) => row.map((n) => (n === 0 ? null : Math.log10(n)))),
    texts: counts.map((row) => row.map((n) => plural(n, 'stored row'))),
  };
}

/** Rows of the table behind it, cells without a row left out. */
export const cellsOf = ({ ages, weights, counts }: ReplayContents): readonly (readonly string[])[] =>
  counts.flatMap((row, w) =>
    row.flatMap((n, a) =>
      n === 0 ? [] : [[number(weights[w]), number(weights[w + 1]), ageText(ages[a], ages[a + 1]), count(n)]],
    ),
  );

/** The rows, their ages and weights, in a sentence. */
export function storedText({ rows, effective, ages, weights, counts }: ReplayContents): string {
  const span =
    ages.length > 2 || ages[1] - ages[0] > 1
      ? `${count(ages[0])} to ${count(ages[ages.length - 1] - 1)}`
      : count(ages[0]);
  const [least, most] = [weights[0], weights[weights.length - 1]];
  const weigh =
    counts.length < 2 ? `all of weight ${number(least)}` : `of weight ${number(least)} to ${number(most)}`;
  const alike =
    counts.length < 2 ? '' : ` By these they count as ${percent(effective)} of them, weighed alike.`;
  return `${plural(rows, 'row')}, ${span} batches old, ${weigh}.${alike}`;
}
