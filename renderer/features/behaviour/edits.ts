/** Edits of a chart. Each returns a new chart, and leaves the given one as it is. */
import type { Chart, Condition } from '../../../engine/schema/chart.ts';

/** Most states and conditions that a chart and a state may have, and most places of an order. */
export const most = { states: 20, conditions: 8, order: 12 } as const;

const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, each) => each !== at);

/** A name that no state has: `state`, `state 2`, … */
const freeName = ({ states }: Chart): string => {
  const isTaken = (name: string) => states.some((state) => state.name === name);
  let [name, count] = ['state', 1];
  while (isTaken(name)) name = `state ${++count}`;
  return name;
};

/** Adds a state that holds where an observation is at least 0, at the end of the order if there is room. */
export function addState(chart: Chart, observation: string): Chart {
  const name = freeName(chart);
  const when: Condition[] = [{ value: observation, is: '>=', than: 0, plus: 0 }];
  const order = chart.order.length < most.order ? [...chart.order, name] : chart.order;
  return { ...chart, states: [...chart.states, { name, when }], order };
}

/** Renames a state in the list of states and in the order. */
export function renameState(chart: Chart, from: string, to: string): Chart {
  const renamed = (name: string) => (name === from ? to : name);
  return {
    ...chart,
    states: chart.states.map((state) => ({ ...state, name: renamed(state.name) })),
    order: chart.order.map(renamed),
    forbidden: chart.forbidden.map(renamed),
  };
}

/** Why a state cannot be called so; null if it can. */
export function nameFault({ states }: Chart, from: string, to: string): string | null {
  if (to.trim() === '') return 'A name is missing.';
  if (to.length > 60) return 'At most 60 characters.';
  return to !== from && states.some(({ name }) => name === to) ? `There is a state '${to}' already.` : null;
}

/** True if a chart would be left without states, or without an order. */
export const isNeeded = ({ states, order }: Chart, name: string): boolean =>
  states.length === 1 || order.every((each) => each === name);

export function removeState(chart: Chart, name: string): Chart {
  return {
    ...chart,
    states: chart.states.filter((state) => state.name !== name),
    order: chart.order.filter((each) => each !== name),
    forbidden: chart.forbidden.filter((each) => each !== name),
  };
}

/** Changes the conditions of a state. */
export const setConditions = (chart: Chart, name: string, when: readonly Condition[]): Chart => ({
  ...chart,
  states: chart.states.map((state) => (state.name === name ? { ...state, when: [...when] } : state)),
});

export const setCondition = (when: readonly Condition[], at: number, condition: Condition): Condition[] =>
  when.map((each, index) => (index === at ? condition : each));

export const removeCondition = (when: readonly Condition[], at: number): Condition[] => without(when, at);

/** Moves a place of the order by `step` places; the same chart at its ends. */
export function movePlace(chart: Chart, place: number, step: 1 | -1): Chart {
  const to = place + step;
  if (to < 0 || to >= chart.order.length) return chart;
  const order = [...chart.order];
  [order[place], order[to]] = [order[to], order[place]];
  return { ...chart, order };
}

export const addPlace = (chart: Chart, name: string): Chart => ({ ...chart, order: [...chart.order, name] });

export const removePlace = (chart: Chart, place: number): Chart => ({
  ...chart,
  order: without(chart.order, place),
});

/** Marks a state as forbidden, or takes the mark away. */
export const toggleForbidden = (chart: Chart, name: string): Chart => ({
  ...chart,
  forbidden: chart.forbidden.includes(name)
    ? chart.forbidden.filter((each) => each !== name)
    : [...chart.forbidden, name],
});

/** Sets the most steps from one state of the order to the next; null: no limit. */
export function setWithin({ within: _before, ...chart }: Chart, within: number | null): Chart {
  return within === null ? chart : { ...chart, within };
}
