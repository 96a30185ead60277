import type { EpisodeEvaluation, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import {
  episodeColumns,
  measureText,
  policyColumns,
  type Measure,
  type MeasureColumn,
} from '../../preload/wire/measures.ts';
import type { Cell, TableBlock } from './input.ts';

/** A policy's table row: the leading cells, and its measures. */
export interface PolicyRow<Evaluation = PolicyEvaluation> {
  readonly lead: readonly Cell[];
  readonly evaluation: Evaluation | null;
  readonly colour: number;
}

/** Table of policies; `lead` are the titles of the leading cells. */
export function policyTable(lead: readonly string[], rows: readonly PolicyRow[]): TableBlock {
  const columns = policyColumns(
    'report',
    rows.flatMap(({ evaluation }) => evaluation ?? []),
  );
  const cellOf = (measure: Measure, colour: number): Cell =>
    typeof measure !== 'string' && measure.interval && measure.value !== null
      ? { value: measure.value, interval: measure.interval, range: [0, 1], colour }
      : measureText(measure);
  return tableOf(lead, rows, columns, cellOf);
}

/** Table of policies in control worlds; their returns have no common axis, so intervals are text. */
export const episodeTable = (
  lead: readonly string[],
  rows: readonly PolicyRow<EpisodeEvaluation>[],
): TableBlock => tableOf(lead, rows, episodeColumns, measureText);

const tableOf = <E>(
  lead: readonly string[],
  rows: readonly PolicyRow<E>[],
  columns: readonly MeasureColumn<E>[],
  cellOf: (measure: Measure, colour: number) => Cell,
): TableBlock => ({
  kind: 'table',
  columns: [
    ...lead.map((title) => ({ title })),
    ...columns.map(({ title, unit, hint }) => ({ title: unit ? `${title}, ${unit}` : title, hint })),
  ],
  rows: rows.map(({ lead: own, evaluation, colour }) => [
    ...own,
    ...columns.map(({ cell }) => (evaluation ? cellOf(cell(evaluation), colour) : '–')),
  ]),
});

/** The table as lines of text, titles first, with intervals in brackets. */
export function policyLines(
  lead: string,
  rows: readonly { readonly name: string; readonly evaluation: PolicyEvaluation }[],
): string[][] {
  const columns = policyColumns(
    'command',
    rows.map(({ evaluation }) => evaluation),
  );
  return [
    [lead, ...columns.map(({ title, interval }) => (interval ? `${title} [${interval}]` : title))],
    ...rows.map(({ name, evaluation }) => [
      name,
      ...columns.map(({ cell }) => measureText(cell(evaluation))),
    ]),
  ];
}
