/** Dynamics, rewards and ends of control worlds against Gymnasium's, step by step. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';

interface Case {
  readonly world: string;
  readonly start: readonly number[];
  readonly actions: readonly number[];
  readonly states: readonly (readonly number[])[];
  readonly observations: readonly (readonly number[])[];
  readonly rewards: readonly number[];
  readonly ends: readonly boolean[];
}
const file = join(import.meta.dirname, '..', '..', 'support', 'oracles', 'control.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly Case[] };

/** Largest difference of two lists of numbers. */
const farthest = (ours: ArrayLike<number>, theirs: readonly number[]): number =>
  Math.max(...theirs.map((value, k) => Math.abs(value - ours[k])));

describe('the physics', () => {
  it.each(cases.map((each, at) => [at, each.world, each] as const))('of case %i, %s', (_at, id, expected) => {
    const world = controlWorldById(id, 'world');
    expect(expected.start).toHaveLength(world.stateSize);
    const state = Float64Array.from(expected.start);
    const observed = new Float32Array(world.observations.length);
    expected.actions.forEach((action, t) => {
      const reward = world.advance(state, 0, [action], 0);
      world.observe(state, 0, observed, 0);
      expect(farthest(state, expected.states[t]), `state after step ${t}`).toBeLessThan(1e-6);
      expect(farthest(observed, expected.observations[t]), `observation after ${t}`).toBeLessThan(1e-6);
      expect(Math.abs(reward - expected.rewards[t]), `reward of step ${t}`).toBeLessThan(1e-6);
      expect(world.isTerminal(state, 0), `end after step ${t}`).toBe(expected.ends[t]);
    });
  });

  it('ends and goes on in the cases of each world that can end', () => {
    for (const id of ['control/cart-pole', 'control/mountain-car', 'control/acrobot']) {
      const own = cases.filter(({ world }) => world === id);
      expect(new Set(own.flatMap(({ ends }) => ends)), id).toEqual(new Set([true, false]));
    }
  });
});
