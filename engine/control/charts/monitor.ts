/** Follows a chart along a trajectory: how far its order has come, and in which states it has been. */
import type { CompiledChart } from './chart.ts';

/** How far one trajectory has come. Plain data. */
export interface Followed {
  /** States of the order that were reached, one after the other. */
  readonly reached: number;
  /** Steps since one was in the last of them. */
  readonly since: number;
}

/** The step at which a state was entered; 0 is the start. */
export interface Visit {
  readonly state: string;
  readonly step: number;
}

export const unfollowed: Followed = { reached: 0, since: 0 };

/**
 * The next observation of a trajectory, which reaches at most one state of the order. A chart with a limit
 * begins again if that state comes too late.
 */
export const follow = (
  { chart: { within = Infinity }, states, order }: CompiledChart,
  { reached, since }: Followed,
  observations: ArrayLike<number>,
  at = 0,
): Followed => {
  if (reached === order.length) return { reached, since: 0 };
  const isLate = reached > 0 && since + 1 > within;
  const next = isLate ? 0 : reached;
  if (states[order[next]](observations, at)) return { reached: next + 1, since: 0 };
  // without a limit the steps do not matter, and equal states stay equal
  const isInside = next === 0 || within === Infinity || states[order[next - 1]](observations, at);
  return { reached: next, since: isInside ? 0 : since + 1 };
};

/**
 * The auxiliary reward of a step (Text-to-Drive): 1/n for each state of an order of n that is reached for the
 * first time, so that a whole order earns 1 and nothing is paid twice; −`penalty` for each forbidden state.
 * `best`: the most states that were reached before the step.
 */
export const chartReward = (
  { states, order, forbidden }: CompiledChart,
  best: number,
  { reached }: Followed,
  observations: ArrayLike<number>,
  at: number,
  penalty: number,
): number =>
  (reached > best ? 1 / order.length : 0) -
  penalty * forbidden.filter((state) => states[state](observations, at)).length;

/**
 * The same chart as a reward that knows no order: 1/n for each state of an order of n that holds after the
 * step, and the same penalty. It pays for staying.
 */
export const statesReward = (
  { states, order, forbidden }: CompiledChart,
  observations: ArrayLike<number>,
  at: number,
  penalty: number,
): number => {
  const holding = (wanted: readonly number[]) => wanted.filter((state) => states[state](observations, at));
  return holding(order).length / order.length - penalty * holding(forbidden).length;
};

/** What a trajectory did, by its chart. */
export interface Summary {
  /** The states in the order in which they were entered. */
  readonly visits: readonly Visit[];
  /** Share of the order that was completed, at most; and whether all of it was. */
  readonly share: number;
  readonly complete: boolean;
}

/** Replays a trajectory of T × O observations, its start first. */
export const replay = (compiled: CompiledChart, observations: readonly ArrayLike<number>[]): Summary => {
  const { chart, states, order } = compiled;
  const visits: Visit[] = [];
  let [now, best] = [unfollowed, 0];
  let before = states.map(() => false);
  observations.forEach((seen, step) => {
    const inside = states.map((holds) => holds(seen, 0));
    inside.forEach((holds, s) => {
      if (holds && !before[s]) visits.push({ state: chart.states[s].name, step });
    });
    before = inside;
    now = follow(compiled, now, seen);
    best = Math.max(best, now.reached);
  });
  return { visits, share: best / order.length, complete: best === order.length };
};

/**
 * A summary as a sentence: the states in the order in which they were entered, and how far the order came.
 */
export const inWords = (
  { order }: Pick<CompiledChart, 'order'>,
  { visits, share, complete }: Summary,
): string => {
  const said = visits.map(({ state, step }) => `${state} (${step === 0 ? 'at the start' : `step ${step}`})`);
  const reached = Math.round(share * order.length);
  const end = complete
    ? 'the order is complete'
    : `${reached} of ${order.length} ${order.length === 1 ? 'state' : 'states'} of the order were reached`;
  return `${said.length > 0 ? said.join(', then ') : 'No state was entered'}; ${end}.`;
};
