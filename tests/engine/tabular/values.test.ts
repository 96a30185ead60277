/** Agents that differ in how values are learned: each against a hand calculation, and against its ablation. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';
import { descend, digitsOf } from '../../../engine/tabular/kernel/digits.ts';
import { earned, TabularRun, type TabularSpec } from '../../../engine/tabular/run.ts';
import { bandit, worldOfArrows } from './tiny.ts';

const seeds = [0, 1, 2, 3, 4];
const resultsOf = (agent: string, world: string, more: Partial<TabularSpec> = {}) =>
  seeds.map((seed) => new TabularRun({ agent, world, steps: 20_000, seed, ...more }).result());

describe('stream-q', () => {
  it('cuts its first step as calculated by hand', () => {
    const world = worldOfArrows([[{ to: -1, reward: 10 }]]);
    const run = new TabularRun(
      { agent: 'stream-q', world: 'one', steps: 10, seed: 0, params: { rate: 1, kappa: 2 } },
      world,
    );
    const { q } = run.agent.memory as { q: number[] };
    // α·κ·max(|δ|, 1)·‖z‖₁ = 20, so that the step is 1/20 of δ = 10; then 1/19 of 9.5
    run.step();
    expect(q[0]).toBeCloseTo(0.5, 12);
    run.step();
    expect(q[0]).toBeCloseTo(1, 12);
  });

  it('learns with a step size at which it would diverge without the bound', () => {
    const bounded = resultsOf('stream-q', 'key-door', { params: { rate: 3 } });
    for (const run of bounded) expect(run.discounted).toBeGreaterThan(0.9 * run.optimum);
    const world = controlWorldById('control/key-door', 'world');
    const largest = (kappa: number) => {
      const run = new TabularRun(
        { agent: 'stream-q', world: 'key-door', steps: 20_000, seed: 0, params: { rate: 3, kappa } },
        world,
      );
      run.result();
      return Math.max(...(run.agent.memory as { q: number[] }).q.map(Math.abs));
    };
    expect(largest(2)).toBeLessThan(2);
    expect(largest(1e-9)).not.toBeLessThan(1e6);
  });

  it('carries a reward farther back than one step at a time does', () => {
    const sum = (agent: string) =>
      resultsOf(agent, 'four-rooms').reduce((all, run) => all + (run.regret ?? NaN), 0);
    expect(sum('stream-q')).toBeLessThan(0.7 * sum('q-learning'));
  });
});

describe('sequence-q', () => {
  it('keeps the optimum with a decision every fourth step, where a repeated action fails', () => {
    const world = controlWorldById('control/key-door', 'world');
    for (const seed of seeds) {
      const run = new TabularRun({ agent: 'sequence-q', world: 'key-door', steps: 20_000, seed });
      const { discounted, optimum } = run.result();
      expect(discounted).toBeGreaterThan(0.9 * optimum);
      const { q } = run.agent.memory as { q: number[] };
      let action = 0;
      const repeated = (state: number, t: number): number => {
        const row = q.slice(4 * state, 4 * state + 4);
        if (t % 4 === 0) action = row.indexOf(Math.max(...row));
        return action;
      };
      expect(earned(world, repeated, { seed, discount: 0.99, slip: 0 }).return).toBe(0);
    }
  });

  it('looks at the world only where it decides', () => {
    const run = new TabularRun({ agent: 'sequence-q', world: 'key-door', steps: 5000, seed: 0 });
    run.result();
    const policy = run.agent.policy();
    const seen = [0, 1, 2, 3].map((t) => policy(0, t));
    const blind = run.agent.policy();
    expect([0, 1, 2, 3].map((t) => blind(t === 0 ? 0 : 20, t))).toEqual(seen);
  });
});

describe('sqirl', () => {
  /** The second action leads to 1 for who chooses well, and to 0 in random behaviour. */
  const trap = worldOfArrows([
    [{ to: -1, reward: 0.4 }, { to: 1 }],
    [
      { to: -1, reward: 1 },
      { to: -1, reward: -1 },
    ],
  ]);
  it.each([
    [1, 0.4],
    [2, 1],
    [3, 1],
  ])('with %i steps of lookahead earns %f where two are needed', (k, expected) => {
    for (const seed of seeds) {
      const spec = { agent: 'sqirl', world: 'trap', steps: 200, seed, params: { k, episodes: 40 } };
      const { return: found, facts } = new TabularRun(spec, trap).result();
      expect(facts.needed).toBe(2);
      expect(found).toBe(expected);
    }
  });
});

describe('hnpg', () => {
  it('solves with the log what it does not solve from its own returns', () => {
    const solved = (weight: number) =>
      resultsOf('hnpg', 'key-door', { steps: 5000, params: { weight, logged: 0.4 } }).filter(
        (run) => run.return === 1,
      ).length;
    expect(solved(0.5)).toBeGreaterThanOrEqual(4);
    expect(solved(0)).toBe(0);
  });

  it('learns from its own returns where there is no log', () => {
    const world = worldOfArrows([
      [{ to: 1 }, { to: -1, reward: 0.3 }],
      [{ to: -1, reward: 1 }, { to: -1 }],
    ]);
    for (const seed of seeds) {
      const spec = { agent: 'hnpg', world: 'two', steps: 500, seed, params: { logged: 0, eta: 1 } };
      expect(new TabularRun(spec, world).result().return).toBe(1);
    }
  });
});

describe('arsq', () => {
  it.each([2, 3, 4, 5, 8, 11])('gives each of %i actions its own digits', (actions) => {
    const every = Array.from({ length: actions }, (_, action) => digitsOf(action, actions));
    expect(new Set(every.map((digits) => digits.join(';'))).size).toBe(actions);
    every.forEach((digits, action) => {
      let at = 0;
      expect(descend(actions, () => digits[at++][1]).action).toBe(action);
    });
  });

  // the best first digit on average is not that of the best action
  const rewards = [0.8, 0.7, 1, 0];
  it.each([0.5, 0.1, 0.02])('has soft values and a soft policy in closed form at τ = %f', (tau) => {
    const spec = { agent: 'arsq', world: 'bandit', steps: 15_000, seed: 0, discount: 0.9 };
    const params = { tau, rate: 0.05, logged: 0.5, random: 1 };
    const run = new TabularRun({ ...spec, params }, bandit(rewards));
    run.result();
    const { values } = run.agent.memory as { values: number[] };
    const mean = rewards.reduce((sum, reward) => sum + Math.exp(reward / tau) / 4, 0);
    expect(values[0]).toBeCloseTo(tau * Math.log(mean), 6);
    // actions that it takes, in proportion to exp(r/τ)
    const taken = [0, 0, 0, 0];
    for (let step = 0; step < 4000; step++) taken[run.agent.act(0, 0)]++;
    rewards.forEach((reward, arm) => {
      const chance = Math.exp(reward / tau) / (4 * mean);
      expect(Math.abs(taken[arm] / 4000 - chance)).toBeLessThan(4 * Math.sqrt(0.25 / 4000));
    });
  });

  it('finds the best action and the way through the door, which digits apart from each other do not', () => {
    for (const seed of seeds) {
      const found = (joint: number) => {
        const params = { joint, tau: 0.02, rate: 0.05, logged: 0.5, random: 1 };
        const spec = { agent: 'arsq', world: 'bandit', steps: 4000, seed, params };
        return new TabularRun(spec, bandit(rewards)).result().return;
      };
      expect([found(1), found(0)]).toEqual([1, 0.8]);
    }
    for (const run of resultsOf('arsq', 'key-door', { steps: 10_000 }))
      expect(run.discounted).toBeGreaterThan(0.95 * run.optimum);
    for (const run of resultsOf('arsq', 'key-door', { steps: 10_000, params: { joint: 0 } }))
      expect(run.return).toBe(0);
  });
});
