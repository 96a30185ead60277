import type { Chart, ChartReplay, Condition } from '../../../engine/schema/chart.ts';

/** A box of the diagram: a state at a place of the order, or a state outside the order (`place` is null). */
export interface Box {
  readonly key: string;
  readonly state: string;
  readonly place: number | null;
  readonly isForbidden: boolean;
  readonly conditions: readonly string[];
  /** The state holds at the step that is shown. */
  readonly isInside: boolean;
  /** Its place of the order was reached at that step or before. */
  readonly isReached: boolean;
}

/** Comparisons as signs. */
export const signs: Readonly<Record<Condition['is'], string>> = {
  '<': '<',
  '<=': '≤',
  '=': '=',
  '!=': '≠',
  '>=': '≥',
  '>': '>',
};

/** A condition in signs: `gap to the first car ≤ 1`, `lane = lane of the first car − 1`. */
export function conditionText({ value, is, than, plus }: Condition): string {
  const other = typeof than === 'number' ? String(than + plus) : than;
  const more = typeof than === 'number' || plus === 0 ? '' : plus < 0 ? ` − ${-plus}` : ` + ${plus}`;
  return `${value} ${signs[is]} ${other}${more}`;
}

/**
 * The boxes of the order, one after the other, and those of all other states, at a step of a replay if there
 * is one.
 */
export function diagramOf(
  chart: Chart,
  replay?: ChartReplay,
  step = 0,
): { readonly order: readonly Box[]; readonly others: readonly Box[] } {
  const inside = replay?.inside[step] ?? [];
  const reached = replay?.reached[step] ?? 0;
  const boxOf = (state: string, place: number | null): Box => {
    const index = chart.states.findIndex(({ name }) => name === state);
    return {
      key: `${state} ${place}`,
      state,
      place,
      isForbidden: chart.forbidden.includes(state),
      conditions: (chart.states[index]?.when ?? []).map(conditionText),
      isInside: inside.includes(index),
      isReached: place !== null && place < reached,
    };
  };
  return {
    order: chart.order.map((state, place) => boxOf(state, place)),
    others: chart.states.flatMap(({ name }) => (chart.order.includes(name) ? [] : [boxOf(name, null)])),
  };
}
