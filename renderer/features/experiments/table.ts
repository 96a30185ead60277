import type { Experiment, ExperimentRow } from '../../../preload/contract/experiments.ts';
import { number } from '../../../preload/wire/numbers.ts';
import type { Points } from '../../charts/plot/marks.ts';

export const valueText = (value: unknown): string =>
  typeof value === 'number' ? number(value) : typeof value === 'string' ? value : JSON.stringify(value);

/** The rows from best to worst: those that came furthest first, those without a result last. */
export function orderedRows({ rows, objective }: Experiment): readonly ExperimentRow[] {
  const sign = objective.direction === 'maximize' ? -1 : 1;
  return rows.toSorted(
    (a, b) =>
      b.rung - a.rung ||
      Number(a.mean === null) - Number(b.mean === null) ||
      sign * ((a.mean ?? 0) - (b.mean ?? 0)) ||
      a.configuration - b.configuration,
  );
}

/** The state of a configuration in a few words. */
export function rowState({ runs, cutAt }: ExperimentRow, rungs: number): string {
  if (cutAt !== null) return `cut after rung ${cutAt + 1} of ${rungs}`;
  const counts = Map.groupBy(runs, ({ state }) => state);
  return [...counts].map(([state, of]) => (counts.size === 1 ? state : `${of.length} ${state}`)).join(', ');
}

/** The values of a row, each after its setting. */
export const labelOf = ({ paths }: Experiment, { values }: ExperimentRow): string =>
  values.map((value, at) => `${paths[at].split('.').at(-1) ?? ''} ${valueText(value)}`).join(', ') ||
  'the specification';

/** The objective over a varied setting: one point for each configuration with a result, the best one apart. */
export function pointsOf(experiment: Experiment, axis: number): readonly Points[] {
  const measured = experiment.rows.filter(({ mean }) => mean !== null);
  const marks = (name: string, rows: readonly ExperimentRow[], best: boolean): readonly Points[] =>
    rows.length === 0
      ? []
      : [
          {
            kind: 'points',
            name,
            variable: best ? '--run-1' : '--run-0',
            symbol: best ? 'diamond' : 'circle',
            x: rows.map(({ values, configuration }) => {
              const value = axis < 0 ? configuration + 1 : values[axis];
              return typeof value === 'number' ? value : valueText(value);
            }),
            y: rows.map(({ mean }) => mean ?? Number.NaN),
            yBounds: rows.map(({ interval }) => interval),
            keys: rows.map(({ runs }) => runs[0]?.runId ?? ''),
            texts: rows.map((row) => labelOf(experiment, row)),
          },
        ];
  return [
    ...marks(
      'configuration',
      measured.filter(({ isBest }) => !isBest),
      false,
    ),
    ...marks(
      'best',
      measured.filter(({ isBest }) => isBest),
      true,
    ),
  ];
}

/** True if all values of a setting are positive numbers over more than a factor of 20: better on a log axis. */
export function isLogarithmic({ rows }: Experiment, axis: number): boolean {
  const values = rows.map((row) => row.values[axis]);
  const numbers = values.filter((value): value is number => typeof value === 'number' && value > 0);
  return (
    numbers.length === values.length && numbers.length > 0 && Math.max(...numbers) > 20 * Math.min(...numbers)
  );
}
