/** Further evaluations of a run as a table: pages and the command line say the same. */
import type { FurtherEvaluations } from '../../engine/schema/evaluation.ts';
import { metricName } from './metric-names.ts';
import { number, rate, withInterval } from './numbers.ts';

export const furtherHead: readonly string[] = ['evaluation', 'measure', 'value'];

/** A row of cells under `furtherHead` for each measure; brackets hold 95 % intervals. */
export const furtherCells = ({ evaluations }: FurtherEvaluations): string[][] =>
  evaluations.flatMap(({ name, measures }) =>
    measures.map(({ name: measure, value, interval }) => {
      const write = metricName(`eval/${name}/${measure}`)?.isRate ? rate : number;
      return [name, measure, interval ? withInterval(value, interval) : write(value)];
    }),
  );
