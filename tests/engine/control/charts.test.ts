/** Charts of behaviour: planted faults are found, and a chart without one is completed. */
import { describe, expect, it } from 'vitest';
import { checkChart } from '../../../engine/control/charts/check-chart.ts';
import { compileChart } from '../../../engine/control/charts/chart.ts';
import { chartReward, follow, replay, unfollowed } from '../../../engine/control/charts/monitor.ts';
import { controlWorldById } from '../../../engine/control/index.ts';
import { caught } from '../../support/errors.ts';

const road = controlWorldById('control/lane-grid', 'world');
const gap = 'gap to the first car';
const behind = { name: 'behind', when: [{ value: gap, is: '>', than: 0 }] };
const beside = {
  name: 'beside, on the left',
  when: [
    { value: gap, is: '=', than: 0 },
    { value: 'lane', is: '=', than: 'lane of the first car', plus: -1 },
  ],
};
const ahead = { name: 'ahead', when: [{ value: gap, is: '<', than: 0 }] };
const overtake = { name: 'overtake on the left', states: [behind, beside, ahead] };
const order = ['behind', 'beside, on the left', 'ahead'];
const state = (name: string, value: string, is: string, than: number) => ({
  name,
  when: [{ value, is, than }],
});

const checked = (chart: object, world = road, options = {}) =>
  checkChart(world, compileChart(chart, world.observations), { starts: 1, ...options });

describe('a chart', () => {
  it('without a fault is searched whole, and its fewest actions complete it', () => {
    const { faults, example, isComplete } = checked({ ...overtake, order });
    expect(faults).toEqual([]);
    expect(isComplete).toBe(true);
    const compiled = compileChart({ ...overtake, order }, road.observations);
    const summary = replay(compiled, example!.observations);
    expect(summary).toMatchObject({ complete: true, share: 1 });
    expect(summary.visits.map((visit) => visit.state)).toEqual(order);
    expect(example!.actions).toHaveLength(example!.observations.length - 1);
    expect(example!.actions).toContain('left');
  });

  it.each<[string, object, object[]]>([
    [
      'unreachable',
      {
        ...overtake,
        states: [...overtake.states, state('racing', 'speed', '>', 2)],
        order: [...order, 'racing'],
      },
      [{ kind: 'unreachable', state: 'racing' }],
    ],
    [
      'constant',
      { ...overtake, states: [...overtake.states, state('on the road', 'lane', '>=', 0)], order },
      [{ kind: 'constant', state: 'on the road' }],
    ],
    [
      'order',
      {
        name: 'backwards',
        states: [state('late', 'place', '>=', 12), state('early', 'place', '<', 10)],
        order: ['late', 'early'],
      },
      [{ kind: 'order', state: 'early' }],
    ],
    [
      'at start',
      { name: 'at rest', states: [state('in the middle', 'lane', '=', 1)], order: ['in the middle'] },
      [{ kind: 'at start', state: 'in the middle' }],
    ],
    [
      'any order',
      {
        name: 'weave',
        states: [state('left', 'lane', '=', 0), state('middle', 'lane', '=', 1)],
        order: ['middle', 'left'],
      },
      [],
    ],
    [
      'any order',
      {
        name: 'there and back',
        states: [state('left', 'lane', '=', 0), state('middle', 'lane', '=', 1)],
        order: ['middle', 'left', 'middle'],
      },
      [{ kind: 'any order', state: 'middle' }],
    ],
  ])('with the planted fault %s', (_, chart, found) => {
    const { faults } = checked(chart);
    expect(faults).toMatchObject(found);
    expect(faults).toHaveLength(found.length);
  });

  it('of a world with continuous states is searched in part, and says so', () => {
    const cart = controlWorldById('control/cart-pole', 'world');
    const chart = { name: 'spin', states: [state('over', 'angle', '>', 3)], order: ['over'] };
    const { faults, isComplete, example } = checked(chart, cart, { most: 2000, starts: 2 });
    expect(isComplete).toBe(false);
    expect(example).toBeNull();
    expect(faults).toMatchObject([
      { kind: 'unreachable', message: expect.stringMatching(/searched/) as string },
    ]);
    const maze = controlWorldById('control/point-maze', 'world');
    const still = { name: 'stay', states: [state('right', maze.observations[0], '>', -9)], order: ['right'] };
    expect(checked(still, maze, { most: 500, starts: 1 }).faults.map(({ kind }) => kind)).toContain(
      'constant',
    );
  });

  it('that other starts would refute is told to be so for the starts that were drawn', () => {
    const lane = state('the first car on the left', 'lane of the first car', '=', 0);
    const others = state('moving', 'speed', '>', 0);
    const found = checked({ name: 'lanes', states: [lane, others], order: ['the first car on the left'] });
    // cars keep their lanes: it depends on the start alone
    expect(found.faults.map(({ kind }) => kind)).toEqual([
      expect.stringMatching(/unreachable|constant|at start/),
    ]);
    const many = checked({ name: 'lanes', states: [lane], order: ['the first car on the left'] }, road, {
      starts: 12,
      most: 2_000,
    });
    expect(many.faults).toEqual([]);
    expect(many.example?.actions).toEqual([]);
  });

  it('compares numbers as observations have them', () => {
    const sea = controlWorldById('control/deep-sea', 'world');
    const row = sea.observations.findIndex((name) => name.startsWith('row'));
    const compiled = compileChart(
      { name: 'a third', states: [state('there', sea.observations[row], '=', 0.3)], order: ['there'] },
      sea.observations,
    );
    const seen = new Float32Array(sea.observations.length);
    seen[row] = 0.3;
    expect(compiled.states[0](seen, 0)).toBe(true);
  });

  it('does not lose the way that completes it at the end of the search', () => {
    const chart = { name: 'go', states: [state('gone', 'place', '>=', 6)], order: ['gone'] };
    for (let most = 20; most < 80; most++) {
      const { faults } = checked(chart, road, { most });
      expect(
        faults.every(({ kind }) => kind === 'unreachable'),
        `${most}`,
      ).toBe(true);
    }
  });

  it.each<[string, object, string]>([
    [
      'an observation that is not there',
      { ...overtake, states: [state('a', 'height', '<', 1)], order: ['a'] },
      'states.0.when.0.value',
    ],
    ['a state that is not there', { ...overtake, order: ['behind', 'above'] }, 'order.1'],
    ['two states of one name', { ...overtake, states: [behind, behind], order: ['behind'] }, 'states.1.name'],
    ['no order', { ...overtake, order: [] }, 'order'],
    [
      'a number that is none',
      { ...overtake, states: [state('a', 'lane', '<', NaN)], order: ['a'] },
      'states.0.when.0.than',
    ],
    [
      'an unknown comparison',
      { ...overtake, states: [state('a', 'lane', '~', 1)], order: ['a'] },
      'states.0.when.0.is',
    ],
    ['a field nobody knows', { ...overtake, order, ordre: [] }, ''],
  ])('with %s is refused', (_, chart, where) => {
    expect(caught(() => compileChart(chart, road.observations))).toMatchObject({
      kind: 'invalid-input',
      where,
    });
  });
});

describe('a chart as a reward', () => {
  const compiled = compileChart({ ...overtake, order, forbidden: ['ahead'] }, road.observations);
  /** lane, place, speed, lane and gap of the first car, of the second one. */
  const seen = (lane: number, between: number) => [lane, 0, 1, 1, between, 2, 9];
  const trajectory = [seen(0, 2), seen(0, 1), seen(0, 0), seen(0, -1), seen(0, 0), seen(0, -1)];

  it('pays each state of the order once, 1 in all, and forbidden ones cost each time', () => {
    let [now, best] = [unfollowed, 0];
    const paid = trajectory.map((one) => {
      now = follow(compiled, now, one);
      const reward = chartReward(compiled, best, now, one, 0, 0.1);
      best = Math.max(best, now.reached);
      return reward;
    });
    const third = 1 / 3;
    [third, 0, third, third - 0.1, 0, -0.1].forEach((value, t) => expect(paid[t]).toBeCloseTo(value, 12));
  });

  it('begins the order again if the next state comes too late', () => {
    const limited = compileChart({ ...overtake, order, within: 1 }, road.observations);
    expect(replay(limited, trajectory).share).toBe(1);
    // level, but in another lane: neither behind nor beside
    const late = trajectory.toSpliced(2, 0, seen(2, 0));
    expect(replay(compiled, late).share).toBe(1);
    expect(replay(limited, late).share).toBeCloseTo(1 / 3, 12);
    // however long it was behind before
    for (const length of [1, 2, 3, 4, 5, 8]) {
      const behindFor = Array.from({ length }, () => seen(0, 1));
      expect(replay(limited, [...behindFor, ...trajectory.slice(2)]).share, `${length}`).toBe(1);
    }
  });
});
