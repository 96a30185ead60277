/** Agents that keep out of hazards: against a closed form, and against learning without their part. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { hazardsOf, worstAhead } from '../../../engine/tabular/kernel/hazards.ts';
import { modelOf } from '../../../engine/tabular/kernel/model.ts';
import { stepsTo } from '../../../engine/tabular/kernel/plan.ts';
import { TabularRun, type TabularSpec } from '../../../engine/tabular/run.ts';
import { worldOfArrows } from './tiny.ts';

const seeds = [0, 1, 2, 3, 4];
const resultsOf = (agent: string, world: string, params: object) =>
  seeds.map((seed) =>
    new TabularRun({
      agent,
      world,
      steps: 20_000,
      seed,
      params: params as NonNullable<TabularSpec['params']>,
    }).result(),
  );
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

it('hazards leave a way to the reward', () => {
  for (const id of ['four-rooms', 'deep-sea', 'key-door']) {
    const model = modelOf(controlWorldById(`control/${id}`, 'world'));
    for (const seed of seeds) {
      const hazards = hazardsOf(model, 0.3, stream(seed, 'test'));
      expect(hazards.length).toBeGreaterThan(5);
      expect(hazards).not.toContain(model.start);
      const outcomes = model.outcomes.map((row) => row.filter(({ next }) => !hazards.includes(next)));
      const paying = outcomes.flatMap((row, pair) =>
        row.some(({ reward }) => reward > 0) ? [Math.floor(pair / model.actions)] : [],
      );
      const ways = paying.map((state) => stepsTo({ ...model, outcomes }, state)[model.start]);
      expect(Math.min(...ways)).toBeLessThan(Infinity);
    }
  }
});

describe('fisor', () => {
  const world = worldOfArrows([
    [{ to: 1 }, { to: 5 }],
    [{ to: 2 }, { to: 2 }],
    [{ to: 3 }, { to: 3 }],
    [{ to: 4 }, { to: 4 }],
    [
      { to: -1, reward: 1 },
      { to: -1, reward: 1 },
    ],
    [{ to: -1, reward: 0.5 }, { to: 5 }],
  ]);
  const model = modelOf(world);
  it('has 2γⁿ − 1 for a hazard n steps ahead that cannot be avoided, and −1 where it can', () => {
    const discount = 0.9;
    const q = worstAhead(model, (pair) => model.outcomes[pair].length > 0, [4], discount);
    for (const [state, n] of [
      [4, 0],
      [3, 1],
      [2, 2],
      [1, 3],
      [0, 4],
    ])
      expect(q[2 * state]).toBeCloseTo(2 * discount ** n - 1, 8);
    expect([q[1], q[10], q[11]]).toEqual([-1, -1, -1].map((each) => expect.closeTo(each, 8) as number));
    // without the action that avoids it in the data, nothing is feasible
    const blind = worstAhead(model, (pair) => pair !== 1 && model.outcomes[pair].length > 0, [4], discount);
    expect(blind[1]).toBe(Infinity);
    expect(blind[0]).toBeGreaterThan(0);
  });

  it('earns without a violation what a learner who is charged for violations earns with some', () => {
    const params = { hazards: 0.3, random: 0.8 };
    const safe = resultsOf('fisor', 'four-rooms', params);
    const charged = resultsOf('fisor', 'four-rooms', { ...params, guided: 0 });
    expect(safe.map(({ facts }) => facts.violations)).toEqual(seeds.map(() => 0));
    expect(total(charged.map(({ facts }) => facts.violations))).toBeGreaterThan(2);
    for (const run of safe) expect(run.discounted).toBeGreaterThan(0.7 * run.optimum);
  });
});

describe('forgetting', () => {
  it('lets the safe set grow to the goal, which labels that stay keep out of it', () => {
    const growing = resultsOf('forgetting', 'key-door', {});
    const kept = resultsOf('forgetting', 'key-door', { keep: 1_000_000 });
    for (const run of growing) {
      expect(run.discounted).toBeGreaterThan(0.95 * run.optimum);
      expect(run.facts.violations).toBeLessThan(20);
      // what is left unsafe are the hazards themselves, a tenth of the states, and a few labels not yet forgotten
      expect(run.facts.unsafe).toBeLessThan(12);
    }
    for (const run of kept) {
      expect(run.return).toBe(0);
      expect(run.facts.unsafe).toBeGreaterThan(20);
    }
  });

  it('violates far less than before it had labels', () => {
    for (const seed of seeds) {
      const run = new TabularRun({ agent: 'forgetting', world: 'key-door', steps: 20_000, seed });
      const memory = run.agent.memory as { hazards: number[]; violations: number; step: number };
      let logged = 0;
      while (memory.step < 2000) {
        const before = memory.step;
        run.step();
        const { gaveUp } = run.agent.memory as unknown as { gaveUp: boolean };
        if (gaveUp && memory.step > before) logged++;
      }
      run.result();
      expect(logged).toBeGreaterThan(50);
      // nine times as many steps
      expect(memory.violations).toBeLessThan(logged / 3);
    }
  });
});
