import type { TravelAnswer, TravelStop } from '../../../../preload/contract/travel.ts';

/** One answer of a run at one evaluation, with the answer that came before it. */
export interface Cell {
  readonly stop: TravelStop;
  /** The chosen answer; null if the evaluation drew fewer. */
  readonly answer: TravelAnswer | null;
  /** The same answer of the run's evaluation before; null at its first. */
  readonly before: TravelAnswer | null;
}

/** One evaluation step: a cell per run, null where the run was not evaluated there. */
export interface Row {
  readonly step: number;
  readonly cells: readonly (Cell | null)[];
}

/** Rows by step, columns by run; `nth`: which of an evaluation's answers is shown, from 0. */
export function rowsOf(stops: readonly TravelStop[], runIds: readonly string[], nth: number): Row[] {
  const chosen = ({ answers }: TravelStop): TravelAnswer | null =>
    answers.find(({ sample }) => sample === nth) ?? answers.at(nth) ?? null;
  const byRun = runIds.map((id) => {
    const own = stops.filter(({ runId }) => runId === id).toSorted((a, b) => a.step - b.step);
    return new Map(
      own.map((stop, at): [number, Cell] => [
        stop.step,
        { stop, answer: chosen(stop), before: at > 0 ? chosen(own[at - 1]) : null },
      ]),
    );
  });
  const steps = [...new Set(byRun.flatMap((own) => [...own.keys()]))].sort((a, b) => a - b);
  return steps.map((step) => ({ step, cells: byRun.map((own) => own.get(step) ?? null) }));
}

/** Most rows on the page, around the current one. */
const shownRows = 21;

/** The rows around one: [first, end). */
export function windowAround(at: number, count: number): readonly [number, number] {
  const first = Math.max(0, Math.min(at - Math.floor(shownRows / 2), count - shownRows));
  return [first, Math.min(count, first + shownRows)];
}

/** The row of the last evaluation up to a step; the last one without a step. */
export function rowAt(rows: readonly Row[], step: number | null): number {
  if (step === null) return rows.length - 1;
  const at = rows.findLastIndex((row) => row.step <= step);
  return at < 0 ? 0 : at;
}
