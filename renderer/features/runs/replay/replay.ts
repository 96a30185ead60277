/** Gauges with sentences, and the lines of charts, from the metrics of replayed rows. */
import { LEAST_EFFECTIVE } from '../../../../engine/common/least-effective.ts';
import type { Line } from '../../../charts/series.ts';
import { count, percent, rate } from '../../../lib/format.ts';
import { markOf, type RunMark } from '../../../lib/run-colors.svelte.ts';

interface Curve {
  readonly name: string;
  readonly lines: readonly Line[];
}

/** Curves of one role's replay, by what is behind `replay/` in their names. */
export interface Replayed {
  /** Empty where the names of metrics have no role. */
  readonly role: string;
  readonly curves: ReadonlyMap<string, Line>;
}

/** The roles of a run that replay stored rows; empty for a run without replay. */
export function replayedBy(curves: readonly Curve[]): Replayed[] {
  const found = curves.flatMap(({ name, lines }) => {
    const [, role = '', metric] = /^(?:([^/]+)\/)?replay\/(.+)$/.exec(name) ?? [];
    return metric && lines[0]?.steps.length ? [{ role, metric, line: lines[0] }] : [];
  });
  return [...Map.groupBy(found, ({ role }) => role)].map(([role, own]) => ({
    role,
    curves: new Map(own.map(({ metric, line }) => [metric, line])),
  }));
}

/** A number on a scale, with its place on it from 0 to 1. */
export interface Gauge {
  readonly title: string;
  /** The value in short. */
  readonly text: string;
  readonly value: number;
  readonly domain: readonly [number, number];
  readonly at: number;
  /** Places between which most rows are. */
  readonly band?: readonly [number, number];
  /** A place below which the run doctor warns. */
  readonly limit?: { readonly at: number; readonly text: string };
  readonly isLow: boolean;
  /** Its meaning, in sentences. */
  readonly words: readonly string[];
}

/** Points of a curve that a gauge averages: whether a batch has one of few heavy rows is chance. */
const NEWEST = 20;
/** Mean of the newest values; null where it was not measured. */
function lastOf({ curves }: Replayed, name: string): number | null {
  const values = curves.get(name)?.values.subarray(-NEWEST);
  return values?.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}
/** The greatest or least finite value of some curves. */
const extreme = ({ curves }: Replayed, names: readonly string[], pick: 'max' | 'min'): number =>
  names
    .flatMap((name) => [...(curves.get(name)?.values ?? [])])
    .filter((value) => Number.isFinite(value))
    .reduce((a, b) => Math[pick](a, b), pick === 'max' ? -Infinity : Infinity);

/** Explains what an effective sample size means for an update. */
export function effectiveWords(share: number): string {
  if (share < LEAST_EFFECTIVE)
    return 'A few rows have nearly all the weight: an update learns from these, and its gradient is noisy.';
  if (share < 0.9) return `An update counts as if it had ${percent(share)} of its rows, weighed alike.`;
  return share > 0.9995
    ? 'All replayed rows weigh alike.'
    : 'Weights are nearly even: nearly every replayed row counts.';
}

function effectiveGauge(replayed: Replayed): Gauge[] {
  const share = lastOf(replayed, 'effective_sample_size');
  if (share === null) return [];
  const heaviest = lastOf(replayed, 'heaviest');
  return [
    {
      title: 'Effective sample size',
      text: `${percent(share)} of rows`,
      value: share,
      domain: [0, 1],
      at: clamped(share),
      limit: { at: LEAST_EFFECTIVE, text: `the run doctor warns below ${percent(LEAST_EFFECTIVE)}` },
      isLow: share < LEAST_EFFECTIVE,
      words: [
        effectiveWords(share),
        ...(heaviest === null ? [] : [`The heaviest row has ${percent(heaviest, 1)} of the weight.`]),
      ],
    },
  ];
}

const clamped = (at: number): number => (Number.isFinite(at) ? Math.min(1, Math.max(0, at)) : 0);
const batches = (age: number): string =>
  `${age < 10 ? String(Number(age.toPrecision(2))) : count(age)} batches`;

function ageGauge(replayed: Replayed): Gauge[] {
  const age = lastOf(replayed, 'age');
  if (age === null) return [];
  const [p10, p50, p90] = ['age/p10', 'age/p50', 'age/p90'].map((name) => lastOf(replayed, name));
  const most = Math.max(1, extreme(replayed, ['age', 'age/p90'], 'max'));
  return [
    {
      title: 'Age of replayed rows',
      text: batches(age),
      value: age,
      domain: [0, most],
      at: clamped(age / most),
      ...(p10 !== null && p90 !== null && { band: [clamped(p10 / most), clamped(p90 / most)] as const }),
      isLow: false,
      words: [
        ...(p50 === null || p90 === null
          ? []
          : [
              `That is the mean; half are older than ${batches(p50)}, one in ten is older than ${batches(p90)}.`,
            ]),
        'The older a row, the less the policy that made it is like the one that learns.',
      ],
    },
  ];
}

/** How many times the mean, in two digits. */
const times = (weight: number): string =>
  weight < 0.01 ? 'under .01' : weight < 1 ? rate(weight, 2) : String(Number(weight.toPrecision(2)));

/** Weights over their mean, on a log scale. */
function spreadGauge(replayed: Replayed): Gauge[] {
  const [p10, p50, p90, most] = ['p10', 'p50', 'p90', 'max'].map((id) => lastOf(replayed, `weight/${id}`));
  if (p10 === null || p50 === null || p90 === null || most === null) return [];
  const low = extreme(replayed, ['weight/p10'], 'min');
  const high = extreme(replayed, ['weight/max'], 'max');
  const place = (weight: number): number =>
    high > low && low > 0 ? clamped(Math.log(weight / low) / Math.log(high / low)) : 0.5;
  const alike = most - p10 < 1e-6;
  return [
    {
      title: 'Spread of weights',
      text: alike ? 'all alike' : `up to ${times(most)} ×`,
      value: p50,
      domain: [low, high],
      at: place(p50),
      ...(!alike && { band: [place(p10), place(p90)] as const }),
      isLow: false,
      words: alike
        ? ['Every replayed row has the same weight.']
        : [
            `The heaviest row has ${times(most)} × the mean weight; eight in ten rows have ` +
              (p90 - p10 < 1e-3 * p50 ? 'the same weight.' : `${times(p10)} to ${times(p90)} ×.`),
            'The scale is logarithmic.',
          ],
    },
  ];
}

/** Gauges of the newest steps: effective sample size, age, spread of weights, as far as they were measured. */
export const gaugesOf = (replayed: Replayed): Gauge[] => [
  ...effectiveGauge(replayed),
  ...ageGauge(replayed),
  ...spreadGauge(replayed),
];

/** The steps that gauges are of, in words. */
export function newestText({ curves }: Replayed): string {
  const { steps } = curves.get('age') ?? curves.get('share') ?? { steps: new Float64Array() };
  const [first, last] = [steps.at(-NEWEST) ?? steps[0], steps.at(-1)];
  if (last === undefined) return '';
  return first === last
    ? `Gauges are of step ${count(last)}.`
    : `Gauges are means of steps ${count(first)} to ${count(last)}.`;
}

/** How much of an update is replayed, in a sentence; null if that was not measured. */
export function shareText(replayed: Replayed): string | null {
  const share = lastOf(replayed, 'share');
  if (share === null) return null;
  if (share === 0) return 'No row of the newest batches was replayed.';
  return share === 1
    ? 'All rows that an update learns from are stored ones.'
    : `${percent(share)} of the rows that an update learns from are stored ones.`;
}

const named = (line: Line | undefined, label: string, mark: RunMark): Line[] =>
  line ? [{ ...line, id: `${line.id}/${label}`, label, mark }] : [];
const bounds: Readonly<Record<string, { label: string; mark: RunMark }>> = {
  max: { label: 'heaviest', mark: { ...markOf(1), dash: [2, 3] } },
  p90: { label: '90 % below', mark: { ...markOf(0), dash: [7, 4] } },
  p50: { label: 'median', mark: markOf(0) },
  p10: { label: '10 % below', mark: { ...markOf(0), dash: [2, 3] } },
};
const quantileLines = ({ curves }: Replayed, metric: string): Line[] =>
  Object.entries(bounds).flatMap(([id, { label, mark }]) =>
    named(curves.get(`${metric}/${id}`), label, mark),
  );

/** The effective sample size over the run, and the share below which the run doctor warns. */
export function effectiveLines({ curves }: Replayed): Line[] {
  const line = curves.get('effective_sample_size');
  if (!line) return [];
  return [
    ...named(line, 'share that counts', markOf(0)),
    {
      id: `${line.id}/least`,
      label: 'doctor warns',
      mark: { ...markOf(1), dash: [7, 4] },
      steps: line.steps,
      values: line.values.map(() => LEAST_EFFECTIVE),
    },
  ];
}

/** Quantiles of ages; of a run that measured none, their mean. */
export function ageLines(replayed: Replayed): Line[] {
  const lines = quantileLines(replayed, 'age');
  return lines.length > 0 ? lines : named(replayed.curves.get('age'), 'mean', markOf(0));
}

export const weightLines = (replayed: Replayed): Line[] => quantileLines(replayed, 'weight');
