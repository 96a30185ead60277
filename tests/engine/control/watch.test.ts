/**
 * Charts as rewards and measures along the episodes of copies, and what a specification with charts refuses.
 */
import { describe, expect, it } from 'vitest';
import { compileChart } from '../../../engine/control/charts/chart.ts';
import { checkChart } from '../../../engine/control/charts/check-chart.ts';
import { laneBehaviours } from '../../../engine/control/charts/lane-behaviours.ts';
import { inWords, replay } from '../../../engine/control/charts/monitor.ts';
import { checkWatched, compileWatched } from '../../../engine/control/charts/watched.ts';
import { controlWorldById, Copies, Watch } from '../../../engine/control/index.ts';
import { WatchedChart } from '../../../engine/schema/chart.ts';
import { caught } from '../../support/errors.ts';

const road = controlWorldById('control/lane-grid', 'world');
const state = (name: string, value: string, is: string, than: number) => ({
  name,
  when: [{ value, is, than }],
});
const watched = (chart: object, more: object = {}) => WatchedChart.parse({ chart, ...more });
const chart = {
  name: 'left, then right',
  states: [state('left', 'lane', '=', 0), state('right', 'lane', '=', 2), state('fast', 'speed', '=', 2)],
  order: ['left', 'right'],
  forbidden: ['fast'],
};
const [KEEP, LEFT, RIGHT, FASTER] = [0, 1, 2, 3];

/** Pay of a watch in each of two copies at each step of their actions. */
const paid = (charts: readonly WatchedChart[], actions: readonly (readonly [number, number])[]) => {
  const copies = new Copies(road, 2, 3);
  const watch = new Watch(compileWatched(road, charts, 'charts'), 2, copies.observations);
  const steps = actions.map((chosen) => {
    copies.step(chosen);
    return [0, 1].map((copy) => watch.step(copy, copies.last));
  });
  return { steps, watch, copies };
};

describe('a watch', () => {
  const actions = [
    [LEFT, KEEP],
    [RIGHT, RIGHT],
    [RIGHT, FASTER],
    [LEFT, LEFT],
  ] as const;

  it('pays progress once in each copy, in the order alone, and takes the penalty', () => {
    const { steps, watch } = paid([watched(chart)], actions);
    expect(steps.map(([first]) => first)).toEqual([0.5, 0, 0.5, 0]);
    // right before left is no progress, and fast for two steps costs .1 each
    steps.map(([, second]) => second).forEach((value, t) => expect(value).toBeCloseTo([0, 0, -0.1, -0.1][t]));
    expect([watch.share(0, 0), watch.share(0, 1)]).toEqual([1, 0]);
  });

  it('pays states for every step in them, in any order', () => {
    const { steps, watch } = paid([watched(chart, { pays: 'states', penalty: 0 })], actions);
    expect(steps.map(([first]) => first)).toEqual([0.5, 0, 0.5, 0]);
    expect(steps.map(([, second]) => second)).toEqual([0, 0.5, 0.5, 0]);
    expect(watch.share(0, 1)).toBe(0);
  });

  it('adds charts by their weights, and only measures those of weight 0', () => {
    const { steps, watch } = paid(
      [watched(chart, { weight: 4 }), watched({ ...chart, name: 'b' }, { weight: 0 })],
      actions,
    );
    expect(steps.map(([first]) => first)).toEqual([2, 0, 2, 0]);
    expect(watch.share(1, 0)).toBe(1);
  });

  it('begins again with an episode, and goes on where it was saved', () => {
    const { watch, copies } = paid([watched(chart)], actions.slice(0, 2));
    const again = new Watch(compileWatched(road, [watched(chart)], 'charts'), 2, copies.observations);
    again.restore(JSON.parse(JSON.stringify(watch.save())) as ReturnType<Watch['save']>);
    copies.step(actions[2]);
    expect(again.step(0, copies.last)).toBe(0.5);
    expect([again.share(0, 0), watch.share(0, 0)]).toEqual([1, 0.5]);
    again.begin(0, copies.observations);
    expect(again.share(0, 0)).toBe(0);
  });
});

describe('the summary of a trajectory in words', () => {
  const compiled = compileChart(chart, road.observations);
  const seen = (lane: number, speed: number, place = 0) => [lane, place, speed, 1, 2, 1, 4];
  it.each([
    ['No state was entered; 0 of 2 states of the order were reached.', [seen(1, 1), seen(1, 1)]],
    ['left (at the start); 1 of 2 states of the order were reached.', [seen(0, 1), seen(1, 1)]],
    [
      'left (step 1), then fast (step 2), then right (step 3); the order is complete.',
      [seen(1, 1), seen(0, 1), seen(0, 2), seen(2, 2)],
    ],
  ])('is: %s', (said, observations) => {
    expect(inWords(compiled, replay(compiled, observations))).toBe(said);
  });
});

describe('the charts of a specification', () => {
  const refused = (...charts: object[]) =>
    caught(() =>
      checkWatched(
        road,
        charts.map((one) => watched(one)),
        'task.charts',
      ),
    );
  it('are taken without a fault, and the examples have none from any start', () => {
    checkWatched(road, [watched(chart), ...laneBehaviours.map((one) => watched(one))], 'task.charts');
    for (const one of laneBehaviours) {
      const missed = Array.from({ length: 12 }, (_, seed) =>
        checkChart(road, compileChart(one, road.observations), { starts: 1, seed, untilClear: true }),
      ).filter(({ example, faults }) => !example || faults.length > 0);
      expect(missed, one.name).toEqual([]);
    }
  });

  it.each<[string, object, string]>([
    [
      'a state that always holds',
      { ...chart, states: [...chart.states, state('on the road', 'lane', '>=', 0)] },
      'task.charts.1.chart.states.3',
    ],
    [
      'one that never does',
      { ...chart, states: [...chart.states, state('racing', 'speed', '>', 2)] },
      'task.charts.1.chart.states.3',
    ],
    [
      'an order that cannot be',
      {
        ...chart,
        states: [state('late', 'place', '>=', 12), state('early', 'place', '<', 10)],
        order: ['late', 'early'],
        forbidden: [],
      },
      'task.charts.1.chart.order.1',
    ],
    [
      'an order that is complete at the start',
      { ...chart, states: [...chart.states, state('middle', 'lane', '=', 1)], order: ['middle'] },
      'task.charts.1.chart.order.0',
    ],
    [
      'an observation that is not there',
      { ...chart, states: [state('tall', 'height', '>', 2)], order: ['tall'], forbidden: [] },
      'task.charts.1.chart.states.0.when.0.value',
    ],
    ['a name that another one has', laneBehaviours[0], 'task.charts.1.chart.name'],
  ])('with %s are refused at its path', (_, one, where) => {
    expect(refused(laneBehaviours[0], one)).toMatchObject({ kind: 'invalid-input', where });
  });

  it('are not refused for what a search of a part did not see', () => {
    const cart = controlWorldById('control/cart-pole', 'world');
    const far = state('far right', cart.observations[0], '>', 2.3);
    const [start] = [state('upright', cart.observations[2], '<', 0.1)];
    checkWatched(cart, [watched({ name: 'far', states: [start, far], order: ['far right'] })], 'task.charts');
  });
});
