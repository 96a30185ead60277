/** Agents that learn from a log: against value iteration on it, closed forms, and learning without their part. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';
import { spearman } from '../../../engine/evaluate/association.ts';
import { stream } from '../../../engine/random/random.ts';
import { dualValue } from '../../../engine/tabular/kernel/dual.ts';

import { faulty, modelOf } from '../../../engine/tabular/kernel/model.ts';
import { greedyPolicy, stepsTo, valueIteration } from '../../../engine/tabular/kernel/plan.ts';
import { earned, TabularRun, type TabularSpec } from '../../../engine/tabular/run.ts';

const seeds = [0, 1, 2, 3, 4];
const resultsOf = (agent: string, world: string, more: Partial<TabularSpec> = {}) =>
  seeds.map((seed) => new TabularRun({ agent, world, steps: 20_000, seed, ...more }).result());
const rooms = controlWorldById('control/four-rooms', 'world');

describe('f-dvl', () => {
  it('has the dual value of a χ² divergence in closed form', () => {
    expect(dualValue([1, 2, 6], [1, 1, 2], 0.5, 10)).toBeCloseTo(3.75, 9);
    // (1 − λ) = λ·½·(1 + (1 − v)/2β) where only the larger of two values counts
    const [lambda, beta] = [0.9, 0.01];
    expect(dualValue([1, 0], [1, 1], lambda, beta)).toBeCloseTo(
      1 + 2 * beta - (4 * beta * (1 - lambda)) / lambda,
      9,
    );
  });

  it('reaches the optimum from random behaviour, which imitation by counts does not', () => {
    for (const run of resultsOf('f-dvl', 'key-door')) expect(run.discounted).toBeCloseTo(run.optimum, 6);
    for (const run of resultsOf('f-dvl', 'key-door', { params: { lambda: 0.501, beta: 1000 } }))
      expect(run.return).toBe(0);
  });
});

describe('h2o', () => {
  it('plans around what the simulator has wrong, and beyond what the log has seen', () => {
    const solved = (agent: string, steps: number, params: object) =>
      resultsOf(agent, 'four-rooms', { steps, params: params as TabularSpec['params'] }).filter(
        (run) => run.discounted > run.optimum - 1e-6,
      ).length;
    const model = modelOf(rooms);
    const simulated = seeds.filter((seed) => {
      const simulator = faulty(model, 0.3, stream(seed, 'tabular-agent'));
      const policy = greedyPolicy(valueIteration(simulator, 0.99).q, 4);
      return earned(rooms, policy, { seed, discount: 0.99, slip: 0 }).return === 1;
    });
    expect(simulated.length).toBeLessThan(2);
    expect(solved('h2o', 20_000, { wrong: 0.3 })).toBe(5);
    expect(solved('h2o', 10_000, { wrong: 0.1 })).toBe(5);
    expect(solved('f-dvl', 10_000, {})).toBeLessThan(3);
  });
});

describe('hilp', () => {
  it('has distances in the order of least steps, and reaches a goal that it was told last', () => {
    const model = modelOf(rooms);
    for (const seed of [0, 1, 2]) {
      const run = new TabularRun({
        agent: 'hilp',
        world: 'four-rooms',
        steps: 20_000,
        seed,
        params: { random: 0.8 },
      });
      const { discounted, optimum } = run.result();
      expect(discounted).toBeGreaterThan(0.9 * optimum);
      const { phi } = (run.agent.memory as { fitted: { phi: number[] } }).fitted;
      const dims = phi.length / model.states;
      const [steps, apart]: [number[], number[]] = [[], []];
      for (let goal = 0; goal < model.states; goal += 5)
        stepsTo(model, goal).forEach((least, state) => {
          if (state === goal || least === Infinity) return;
          steps.push(least);
          apart.push(
            Math.hypot(
              ...Array.from({ length: dims }, (_, k) => phi[state * dims + k] - phi[goal * dims + k]),
            ),
          );
        });
      expect(spearman(steps, apart)).toBeGreaterThan(0.9);
    }
  });
});
