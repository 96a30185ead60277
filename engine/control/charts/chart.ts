/**
 * Charts of behaviour: states over the observations of a world, and the order in which they are to be
 * reached.
 */
import { WhetstoneError } from '../../common/errors.ts';
import { Chart, type Condition } from '../../schema/chart.ts';

/** The name of an observation without its unit or range: the text before a bracket or a comma. */
export const shortName = (observation: string): string => observation.split(/ \(|,/)[0];

/** True if a state holds in the observation of O numbers that begins at `at`. */
export type Holds = (observations: ArrayLike<number>, at: number) => boolean;

/** A chart whose states can be asked. `states`: each one's predicate; `order`, `forbidden`: their indices. */
export interface CompiledChart {
  readonly chart: Chart;
  readonly states: readonly Holds[];
  readonly order: readonly number[];
  readonly forbidden: readonly number[];
}

const compare: { readonly [K in Condition['is']]: (a: number, b: number) => boolean } = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
};

/**
 * Compiles a chart for a world's observations. Throws `invalid-input` with the path of a field that is no
 * chart's, names an observation that is not there, a state twice, or a state that is not there.
 */
export const compileChart = (given: unknown, observations: readonly string[]): CompiledChart => {
  const read = Chart.safeParse(given);
  if (!read.success) {
    const [{ path, message }] = read.error.issues;
    throw new WhetstoneError('invalid-input', `The chart is invalid: ${message}`, { where: path.join('.') });
  }
  const chart = read.data;
  const names = observations.map(shortName);
  const columnOf = (value: string, where: string): number => {
    const column = names.indexOf(shortName(value));
    if (column >= 0) return column;
    throw new WhetstoneError('invalid-input', `The world has no observation '${value}'.`, {
      where,
      hint: `It has: ${names.join('; ')}.`,
    });
  };
  const holds = ({ value, is, than, plus }: Condition, where: string): Holds => {
    const left = columnOf(value, `${where}.value`);
    const test = compare[is];
    // observations are float32, and 0.3 is another number there
    const wanted = typeof than === 'number' ? Math.fround(than + plus) : NaN;
    if (typeof than === 'number') return (seen, at) => test(Math.fround(seen[at + left]), wanted);
    const right = columnOf(than, `${where}.than`);
    return (seen, at) => test(Math.fround(seen[at + left]), Math.fround(seen[at + right] + plus));
  };
  const stateOf = (state: string, where: string): number => {
    const index = chart.states.findIndex((each) => each.name === state);
    if (index >= 0) return index;
    throw new WhetstoneError('invalid-input', `The chart has no state '${state}'.`, { where });
  };
  const states = chart.states.map(({ name: own, when }, s): Holds => {
    if (stateOf(own, `states.${s}`) !== s)
      throw new WhetstoneError('invalid-input', `There are two states '${own}'.`, {
        where: `states.${s}.name`,
      });
    const all = when.map((condition, c) => holds(condition, `states.${s}.when.${c}`));
    return (seen, at) => all.every((one) => one(seen, at));
  });
  return {
    chart,
    states,
    order: chart.order.map((state, o) => stateOf(state, `order.${o}`)),
    forbidden: chart.forbidden.map((state, f) => stateOf(state, `forbidden.${f}`)),
  };
};
