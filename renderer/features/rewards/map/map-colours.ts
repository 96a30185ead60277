import type { EnsembleReport } from '../../../../preload/contract/ensembles.ts';
import type { JudgeMap } from '../../../../preload/contract/judge-maps.ts';
import { indexesOf, type CloudColour } from '../../../charts/cloud/styles.ts';

/** Quantities that the map can be coloured by. */
export const colours = {
  score: 'score',
  side: 'chosen or rejected',
  error: 'error',
  margin: 'margin',
  ensemble: 'disagreement',
} as const;
export type Colour = keyof typeof colours;
export const isColour = (text: string | undefined): text is Colour =>
  text !== undefined && Object.hasOwn(colours, text);

/** The colour of every point, and what each colour means. */
export interface Coloured {
  readonly colour: CloudColour;
  /** Value of each point: a number, or the index of a name; NaN for a point without one. */
  readonly values: Float64Array;
  readonly style: Uint8Array;
  /** Names of values, with the number of points of each. */
  readonly names: readonly { readonly name: string; readonly points: number }[];
  /** Points without a value. */
  readonly without: number;
}

/** Shares of the values at the ends of a scale: values beyond have the last colour, so that outliers leave it. */
const [LOW, HIGH] = [0.02, 0.98];

const scaleOf = (values: Float64Array): CloudColour => {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const at = (share: number): number => sorted.at(Math.floor(share * (sorted.length - 1))) ?? 0;
  return { kind: 'numbers', low: at(LOW), high: at(HIGH) };
};

/** A value of each pair for both of its points. */
const twice = (values: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: 2 * values.length }, (_none, at) => values[at >> 1]);

const errorNames = ['right', 'wrong', 'equal scores'];
const errorIndex = (hit: number): number => (Number.isNaN(hit) ? NaN : hit === 1 ? 0 : hit === 0 ? 1 : 2);

const spreads = (map: JudgeMap, ensemble: EnsembleReport | null): Float64Array => {
  const known = new Map(Array.from(ensemble?.positions ?? [], (position, at) => [position, at]));
  return map.positions.map((position) => ensemble?.spread[known.get(position) ?? -1] ?? NaN);
};

/** Values of all points by a colour, and their names for one of names. */
function valuesOf(
  map: JudgeMap,
  colour: Colour,
  ensemble: EnsembleReport | null,
): { values: Float64Array; names?: readonly string[] } {
  switch (colour) {
    case 'score':
      return { values: map.scores };
    case 'side':
      return { values: map.scores.map((_score, at) => at % 2), names: ['chosen', 'rejected'] };
    case 'error':
      return { values: twice(map.hits.map(errorIndex)), names: errorNames };
    case 'margin':
      return { values: twice(map.margins.map((margin, at) => (Number.isNaN(map.hits[at]) ? NaN : margin))) };
    case 'ensemble':
      return { values: twice(spreads(map, ensemble)) };
  }
}

/**
 * The points of a map by a colour. A margin, an error or a disagreement is that of the pair; they are unknown for
 * pairs without a preferred answer, and for pairs that not all judges of the ensemble were inspected on.
 */
export function coloured(map: JudgeMap, by: Colour, ensemble: EnsembleReport | null): Coloured {
  const { values, names = [] } = valuesOf(map, by, ensemble);
  const colour: CloudColour = names.length > 0 ? { kind: 'values' } : scaleOf(values);
  const has = (index: number) => values.reduce((found, value) => found + Number(value === index), 0);
  return {
    colour,
    values,
    style: indexesOf(colour, values),
    names: names
      .map((name, index) => ({ name, points: has(index) }))
      .filter(({ points }, at) => points > 0 || at < 2),
    without: values.reduce((found, value) => found + Number(Number.isNaN(value)), 0),
  };
}
