/** Values of the axes of an experiment. */
import { WhetstoneError } from '../common/errors.ts';
import type { RandomStream } from '../random/random.ts';
import type { ExperimentAxis } from '../schema/experiment.ts';

const refuse = ({ path }: ExperimentAxis, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', `${path}: ${message}`, { where: path, hint });
};

/** Throws `invalid-input` with the axis's path for a range that has no values on its scale. */
export function checkAxis(axis: ExperimentAxis): void {
  if ('values' in axis) return;
  const { from, to, scale } = axis;
  if (from > to) refuse(axis, `The range begins at ${from}, above its end ${to}.`, 'Exchange them.');
  if (scale === 'log' && from <= 0)
    refuse(axis, `A logarithmic range cannot begin at ${from}.`, 'Begin above 0, or use a linear range.');
}

/** Twelve digits: 0.1 + 0.2 is written as 0.3, and powers of ten are exact. */
const tidy = (value: number, isWhole: boolean): number =>
  isWhole ? Math.round(value) : Number(value.toPrecision(12));

/** The point of a range at share `at` of its length, 0–1. */
const within = (axis: Extract<ExperimentAxis, { from: number }>, at: number): number => {
  const { from, to, scale, whole } = axis;
  const value = scale === 'log' ? from * (to / from) ** at : from + (to - from) * at;
  return tidy(Math.min(to, Math.max(from, value)), whole);
};

/**
 * The values of an axis in a grid, each once: those listed, or `count` points of the range, both ends included.
 * Throws `invalid-input` for a range without a count.
 */
export function gridValues(axis: ExperimentAxis): readonly unknown[] {
  checkAxis(axis);
  if ('values' in axis)
    return [...new Map(axis.values.map((value) => [JSON.stringify(value), value])).values()];
  const { count } = axis;
  if (count === undefined)
    return refuse(axis, 'A grid needs the number of values of this range.', 'Add a count.');
  return [
    ...new Set(Array.from({ length: count }, (_, i) => within(axis, count === 1 ? 0 : i / (count - 1)))),
  ];
}

/** One value of an axis, drawn uniformly: from the list, or from the range on its scale. */
export const drawnValue = (axis: ExperimentAxis, draw: RandomStream): unknown =>
  'values' in axis ? draw.pick(axis.values) : within(axis, draw.next());
