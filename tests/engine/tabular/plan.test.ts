/** Enumerated dynamics, and plans in them, against the worlds themselves and closed forms. */
import { describe, expect, it } from 'vitest';
import { controlWorldById, Copies } from '../../../engine/control/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { modelOf, reachable, slippery } from '../../../engine/tabular/kernel/model.ts';
import {
  greedyPolicy,
  leastLookahead,
  occupancy,
  policyValues,
  stepsTo,
  valueIteration,
} from '../../../engine/tabular/kernel/plan.ts';
import { chain, worldOfArrows } from './tiny.ts';

const ids = ['control/four-rooms', 'control/deep-sea', 'control/key-door'];
const modelFor = (id: string) => modelOf(controlWorldById(id, 'world'));

describe('the model of a world', () => {
  it.each(ids)('%s says what each step of random behaviour does', (id) => {
    const world = controlWorldById(id, 'world');
    const model = modelOf(world);
    const copies = new Copies(world, 1, 0);
    const draw = stream(1, 'test');
    for (let step = 0; step < 3000; step++) {
      const state = copies.indices[0];
      const action = draw.int(model.actions);
      copies.step([action]);
      const next = copies.terminated[0] === 1 ? -1 : copies.lastIndices[0];
      expect(model.outcomes[state * model.actions + action]).toEqual([
        { chance: 1, next, reward: copies.rewards[0] },
      ]);
    }
  });

  it('refuses a world without countable states, and one with several starts', () => {
    expect(() => modelFor('control/cart-pole')).toThrow('control/cart-pole has no countable states');
    const two = worldOfArrows([[{ to: -1 }], [{ to: -1 }]]);
    const start: typeof two.start = (state, at, draw) => {
      state[at] = draw() < 0.5 ? 0 : 1;
    };
    expect(() => modelOf({ ...two, start })).toThrow('several start states');
  });

  it('with slips gives each action its own outcome and a share of all', () => {
    const model = slippery(modelOf(chain(3)), 0.2);
    expect(model.outcomes[0]).toEqual([
      { chance: 0.8, next: 1, reward: 0 },
      { chance: 0.1, next: 1, reward: 0 },
      { chance: 0.1, next: 0, reward: 0 },
    ]);
    for (const state of reachable(model))
      expect(model.outcomes[state * 2].reduce((sum, { chance }) => sum + chance, 0)).toBeCloseTo(1, 12);
  });
});

describe('value iteration', () => {
  it('is γ^(steps − 1) where the only reward is at the end', () => {
    for (const [id, steps] of [
      ['control/four-rooms', 20],
      ['control/key-door', 15],
    ] as const) {
      const model = modelFor(id);
      expect(valueIteration(model, 0.9).values[model.start]).toBeCloseTo(0.9 ** (steps - 1), 9);
    }
  });

  it('ends within its bound of the optimum', () => {
    const model = slippery(modelFor('control/key-door'), 0.3);
    const exact = valueIteration(model, 0.95, { tolerance: 1e-13 }).values;
    for (const tolerance of [0.1, 0.01, 1e-4]) {
      const { values, bound } = valueIteration(model, 0.95, { tolerance });
      expect(bound).toBeLessThanOrEqual(tolerance);
      const worst = Math.max(...values.map((value, state) => Math.abs(value - exact[state])));
      expect(worst).toBeLessThanOrEqual(bound);
      expect(worst).toBeGreaterThan(0);
    }
  });

  it('gives a geometric series for a step that leads back', () => {
    const model = modelOf(
      worldOfArrows([
        [
          { to: 0, reward: 1 },
          { to: -1, reward: 5 },
        ],
      ]),
    );
    expect(valueIteration(model, 0.9, { tolerance: 1e-9 }).values[0]).toBeCloseTo(10, 8);
    expect(policyValues(model, () => 1, 0.9)[0]).toBe(5);
    expect(valueIteration(model, 0.9, { most: 7 }).values[0]).toBeCloseTo(7, 8);
  });

  it('values its own policy as it says, and the visits of that policy sum up to the same', () => {
    const model = slippery(modelFor('control/deep-sea'), 0.2);
    const { q, values } = valueIteration(model, 0.9);
    const policy = greedyPolicy(q, model.actions);
    expect(policyValues(model, policy, 0.9)[model.start]).toBeCloseTo(values[model.start], 8);
    const visits = occupancy(model, policy, 0.9, 1000);
    const paid = model.outcomes.map((row) => row.reduce((sum, each) => sum + each.chance * each.reward, 0));
    expect(visits.reduce((sum, each, pair) => sum + each * paid[pair], 0)).toBeCloseTo(
      values[model.start],
      8,
    );
  });
});

it('counts the least steps to a state', () => {
  const model = modelOf(chain(5));
  expect(stepsTo(model, 4).slice(0, 5)).toEqual([4, 3, 2, 1, 0]);
});

it('finds how far one must look ahead of random behaviour', () => {
  // the second state is worth 1 to who knows, and 0 to random behaviour
  const trap = worldOfArrows([
    [{ to: -1, reward: 0.4 }, { to: 1 }],
    [
      { to: -1, reward: 1 },
      { to: -1, reward: -1 },
    ],
  ]);
  expect(leastLookahead(modelOf(trap), 5)).toBe(2);
  expect(leastLookahead(modelOf(chain(4)), 12)).toBe(1);
});
