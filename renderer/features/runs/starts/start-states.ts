import type { Line } from '../../../charts/series.ts';
import type { StartStates } from '../../../../preload/contract/start-states.ts';
import { endMarks, startKinds, type EndMark, type StartKind } from '../../../../preload/wire/start-kinds.ts';
import { count, percent, plural } from '../../../lib/format.ts';
import { markOf } from '../../../lib/run-colors.svelte.ts';

export type Matrix = StartStates['matrices'][number];

const titles: Readonly<Record<StartKind, string>> = {
  prompt: 'prompts',
  right: 'right beginnings',
  wrong: 'wrong beginnings',
  unmarked: 'unmarked beginnings',
};
export const titleOf = (kind: StartKind): string => titles[kind];

const sum = (counts: readonly number[]): number => counts.reduce((all, n) => all + n, 0);
/** Share of `part` in `all`; NaN where there is none. */
const share = (part: number, all: number): number => (all === 0 ? Number.NaN : part / all);
const rowOf = (answers: Matrix['answers'], kind: StartKind): readonly number[] =>
  answers[startKinds.indexOf(kind)];
const shareOfEnd = (answers: Matrix['answers'], kind: StartKind, end: EndMark): number => {
  const row = rowOf(answers, kind);
  return share(row[endMarks.indexOf(end)], sum(row));
};

/** A row of the matrix: a kind of start with its answers by their end. */
export interface MatrixRow {
  readonly kind: StartKind;
  readonly all: number;
  readonly share: number;
  readonly cells: readonly { readonly end: EndMark; readonly answers: number; readonly share: number }[];
}

/** Kinds of start that some answer has; ends without any answer are left out. */
export function rowsOf({ answers }: Matrix): MatrixRow[] {
  const total = sum(answers.flat());
  const shown = endMarks.filter((_end, at) => answers.some((row) => row[at] > 0));
  return startKinds
    .map((kind) => {
      const row = rowOf(answers, kind);
      const cells = shown.map((end) => {
        const own = row[endMarks.indexOf(end)];
        return { end, answers: own, share: share(own, sum(row)) };
      });
      return { kind, all: sum(row), share: share(sum(row), total), cells };
    })
    .filter(({ all }) => all > 0);
}

/** A query for the answers of a cell; without an end for those of its row. */
export const queryOf = (purpose: Matrix['purpose'], kind: StartKind, end?: EndMark): string =>
  [`purpose=${purpose}`, `start=${kind}`, ...(end ? [`is:${end}`] : [])].join(' ');

/** What became of right and wrong beginnings, in sentences; empty without either. */
export function conclusionsOf({ answers }: Matrix): string[] {
  const text = (kind: StartKind, end: EndMark, words: string): string[] => {
    const row = rowOf(answers, kind);
    if (sum(row) === 0) return [];
    const own = row[endMarks.indexOf(end)];
    return [
      `${percent(share(own, sum(row)))} of the ${titleOf(kind)} ended ${end}: ${words} (${count(own)} of ${count(sum(row))}).`,
    ];
  };
  return [...text('wrong', 'right', 'repaired'), ...text('right', 'wrong', 'damaged')];
}

const line = (id: string, index: number, { steps }: StartStates['windows'], values: number[]): Line => ({
  id,
  label: id,
  mark: markOf(index),
  steps,
  values: Float64Array.from(values),
});

/** Shares of the kinds of start among the answers of each window; kinds without any answer are left out. */
export const mixLines = ({ windows }: StartStates): Line[] =>
  startKinds.flatMap((kind, index) => {
    const values = windows.answers.map((answers) => share(sum(rowOf(answers, kind)), sum(answers.flat())));
    return values.some((value) => value > 0) ? [line(titleOf(kind), index, windows, values)] : [];
  });

const rates = [
  { id: 'repaired', kind: 'wrong', end: 'right', index: 2 },
  { id: 'damaged', kind: 'right', end: 'wrong', index: 1 },
  { id: 'solved', kind: 'prompt', end: 'right', index: 0 },
] as const;

/** Repair and damage over the steps, and the share of prompts that were solved. */
export const rateLines = ({ windows }: StartStates): Line[] =>
  rates.flatMap(({ id, kind, end, index }) => {
    const values = windows.answers.map((answers) => shareOfEnd(answers, kind, end));
    // before the first such beginning nothing is missing
    const first = values.findIndex((value) => !Number.isNaN(value));
    if (first < 0) return [];
    const shown = { ...windows, steps: windows.steps.subarray(first) };
    return [line(id, index, shown, values.slice(first))];
  });

/** Bins of one line each, and the sentence for a single depth. */
export function depthBins(depths: StartStates['depths']) {
  const [low, high] = [depths[0]?.lines ?? 0, depths.at(-1)?.lines ?? -1];
  const bins = Array.from({ length: high - low + 1 }, (_none, at) => ({
    from: low + at - 0.5,
    to: low + at + 0.5,
  }));
  const counts = bins.map((_bin, at) => depths.find(({ lines }) => lines === low + at)?.answers ?? 0);
  return {
    bins,
    counts,
    text: `Back-track depth: every beginning was cut back by ${plural(low, 'line')}.`,
  };
}
