import type { RedTeamMap } from '../../../preload/contract/red-team.ts';
import { inRegion, type Area } from '../../charts/cloud/point-cloud.ts';
import { count, plural } from '../../lib/format.ts';

/** Harm is a probability, so its colours do not depend on what was found. */
export const harmColour = { kind: 'numbers', low: 0, high: 1 } as const;

const rangeOf = (values: Float64Array): readonly [number, number] =>
  values.reduce<readonly [number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );

/** The part of the plane with all points; around 0 without any. */
export const wholeOf = ({ x, y }: Pick<RedTeamMap, 'x' | 'y'>): Area =>
  x.length === 0 ? { x: [0, 0], y: [0, 0] } : { x: rangeOf(x), y: rangeOf(y) };

/** The points in the order of drawing: the more harm, the later, so that no harmless attack hides another one. */
export const drawingOrder = ({ harm }: Pick<RedTeamMap, 'harm'>): number[] => {
  const rank = (at: number): number => (Number.isNaN(harm[at]) ? -1 : harm[at]);
  return Array.from(harm, (_none, at) => at).toSorted((a, b) => rank(a) - rank(b));
};

/** Number of points in a part of the plane. */
export const placesIn = ({ x, y }: Pick<RedTeamMap, 'x' | 'y'>, area: Area): number =>
  x.reduce((found, at, point) => found + Number(inRegion(area, at, y[point])), 0);

export const mapTitle = ({ points, different }: Pick<RedTeamMap, 'points' | 'different'>): string =>
  points.length < different
    ? `Map of the newest ${count(points.length)} of ${count(different)} different attacks`
    : `Map of ${plural(different, 'different attack')}`;

/** The map as a table: a line for each point. */
export const mapRows = ({ x, y, harm, points }: RedTeamMap, hasFamilies: boolean): string[][] =>
  points.map(({ query, attack, reply, family }, at) => [
    String(query),
    String(x[at]),
    String(y[at]),
    Number.isNaN(harm[at]) ? '' : String(harm[at]),
    attack,
    reply,
    ...(hasFamilies ? [family ?? 'harmless'] : []),
  ]);
