/** Agents that find rare rewards: each against closed forms, value iteration, and Q-learning at equal steps. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';
import { bestPairs, designed, isInvariant } from '../../../engine/tabular/kernel/design.ts';
import { modelOf, slippery } from '../../../engine/tabular/kernel/model.ts';
import { greedyPolicy, valueIteration } from '../../../engine/tabular/kernel/plan.ts';
import { blendGradient, softPolicy } from '../../../engine/tabular/kernel/soft.ts';
import { earned, TabularRun, type TabularSpec } from '../../../engine/tabular/run.ts';
import { bandit, chain } from './tiny.ts';

const seeds = [0, 1, 2, 3, 4];
const resultsOf = (agent: string, world: string, more: Partial<TabularSpec> = {}) =>
  seeds.map((seed) => new TabularRun({ agent, world, steps: 8000, seed, ...more }).result());
const modelFor = (id: string) => modelOf(controlWorldById(id, 'world'));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** That the agent finds the treasure of the deep sea with every seed, and Q-learning with none. */
const findsTreasure = (agent: string, steps = 8000): void => {
  for (const run of resultsOf(agent, 'deep-sea', { steps }))
    expect(run.discounted).toBeCloseTo(run.optimum, 6);
};
it('Q-learning does not find the treasure of the deep sea', () => {
  for (const run of resultsOf('q-learning', 'deep-sea')) expect(run.firstSuccess).toBeNull();
});

describe('go-explore', () => {
  it('finds the treasure with every seed', () => findsTreasure('go-explore'));

  it('archives every state that can be reached', () => {
    for (const { facts, covered } of resultsOf('go-explore', 'four-rooms')) {
      expect(facts.cells).toBe(103);
      expect(covered).toBe(1);
    }
  });

  it('learns a policy that bears slips, which the best way itself does not', () => {
    const slip = 0.1;
    const world = controlWorldById('control/four-rooms', 'world');
    const model = slippery(modelFor('control/four-rooms'), slip);
    for (const run of resultsOf('go-explore', 'four-rooms', { slip, steps: 20_000 }))
      expect(run.return).toBeGreaterThan(0.95);
    const best = greedyPolicy(valueIteration(model, 0.99).q, model.actions);
    const way: number[] = [];
    for (let state = model.start; state >= 0;) {
      const action = best(state, 0);
      way.push(action);
      state = model.outcomes[state * model.actions + action][0].next;
    }
    const replayed = earned(world, (_, t) => way[t % way.length], { seed: 0, discount: 0.99, slip });
    expect(replayed.return).toBeLessThan(0.8);
  });
});

describe('mex', () => {
  /** V − η·L of an arm in closed form: the largest (1 − p)·r + p + ηn·log(1 − p). */
  const index = (reward: number, n: number, eta: number): number => {
    const p = Math.max(0, 1 - (eta * n) / (1 - reward));
    return (1 - p) * reward + p + eta * n * Math.log(1 - p);
  };
  it('follows the arm whose objective is largest in closed form', () => {
    const rewards = [0.1, 0.3, 0.55, 0.2, 0.5, 0.05, 0.4, 0.15, 0.25, 0.35];
    const eta = 0.1;
    const spec = { agent: 'mex', world: 'bandit', steps: 40, seed: 0, discount: 0.9, params: { eta } };
    const run = new TabularRun(spec, bandit(rewards));
    const memory = run.agent.memory as { counts: { taken: number[] }; objective: number };
    const taken = () => memory.counts.taken.slice(0, rewards.length);
    for (let step = 0; step < 10; step++) run.step();
    expect(taken()).toEqual(rewards.map(() => 1));
    // plans are made anew where a count reaches a power of two, as all of these do
    for (let step = 0; step < 8; step++) {
      const before = taken();
      const indices = rewards.map((reward, arm) => index(reward, before[arm], eta));
      if (before.some((n) => n > 2)) break;
      run.step();
      expect(memory.objective).toBeCloseTo(Math.max(...indices), 2);
      expect(taken().findIndex((n, arm) => n > before[arm])).toBe(indices.indexOf(Math.max(...indices)));
    }
    expect(Math.max(...taken())).toBe(2);
    // with more data, the misfit outweighs what is only hoped for
    expect(index(0.55, 5, eta)).toBe(0.55);
  });

  it('finds the treasure with every seed, with a tenth of the regret of Q-learning', () => {
    findsTreasure('mex');
    const regret = (agent: string) => mean(resultsOf(agent, 'deep-sea').map((run) => run.regret ?? NaN));
    expect(regret('mex')).toBeLessThan(regret('q-learning') / 10);
  });
});

describe('optimal-ac', () => {
  it('finds the treasure with every seed', () => findsTreasure('optimal-ac'));

  it('switches at most once for each doubling of a count', () => {
    const steps = 8000;
    for (const world of ['deep-sea', 'key-door']) {
      const { states, actions } = modelFor(`control/${world}`);
      for (const { facts, episodes } of resultsOf('optimal-ac', world, { steps })) {
        expect(facts.switches).toBeLessThanOrEqual(states * actions * (Math.log2(steps) + 1));
        expect(facts.switches).toBeLessThan(episodes);
      }
    }
  });
});

describe('exp-rd', () => {
  it.each(['four-rooms', 'deep-sea', 'key-door'])(
    'pays in few states of %s and changes nothing that is best',
    (id) => {
      const model = modelFor(`control/${id}`);
      const bonus = designed(model, { discount: 0.99, states: 4, horizon: 5, pay: 0.1 });
      const paying = new Set(
        bonus.flatMap((pay, pair) => (pay === 0 ? [] : [Math.floor(pair / model.actions)])),
      );
      expect(paying.size).toBe(4);
      expect(isInvariant(bestPairs(model, 0.99), model, bonus, 0.99)).toBe(true);
    },
  );

  it('is refused a payment that would be collected in circles', () => {
    const model = modelOf(chain(4));
    const bonus = model.outcomes.map((_, pair) => (pair === 2 ? 0.9 : 0));
    expect(isInvariant(bestPairs(model, 0.99), model, bonus, 0.99)).toBe(false);
  });

  it('finds the treasure with every seed, and the way through the door three times as soon', () => {
    findsTreasure('exp-rd');
    const first = (agent: string) =>
      mean(resultsOf(agent, 'key-door').map((run) => run.firstSuccess ?? 8000));
    expect(3 * first('exp-rd')).toBeLessThan(first('q-learning'));
  });
});

describe('beacons', () => {
  it('lead through the door three times as soon, and twice as soon with a fifth of them wrong', () => {
    const first = (agent: string, params = {}) =>
      mean(resultsOf(agent, 'key-door', { params }).map((run) => run.firstSuccess ?? 8000));
    const plain = first('q-learning');
    expect(3 * first('beacons')).toBeLessThan(plain);
    expect(2 * first('beacons', { wrong: 0.2 })).toBeLessThan(plain);
  });
});

describe('barfi', () => {
  it('has the gradient of the reward itself through the soft policy of the blend', () => {
    const model = slippery(modelOf(chain(3)), 0.2);
    const options = { discount: 0.8, temperature: 0.3, sweeps: 200 };
    const rewards = model.outcomes.map((row, pair) => (row.length === 0 ? 0 : 0.1 * Math.sin(3 * pair)));
    const own = (given: readonly number[]): number => {
      const { policy } = softPolicy(model, given, options);
      let values = new Array<number>(model.states).fill(0);
      for (let sweep = 0; sweep < 300; sweep++)
        values = values.map((_, state) =>
          [0, 1].reduce((sum, action) => {
            const pair = state * 2 + action;
            const back = model.outcomes[pair].reduce(
              (all, { chance, next, reward }) =>
                all + chance * (reward + (next < 0 ? 0 : 0.8 * values[next])),
              0,
            );
            return sum + policy[pair] * back;
          }, 0),
        );
      return values[model.start];
    };
    const gradient = blendGradient(model, rewards, options);
    const step = 1e-5;
    rewards.forEach((_, pair) => {
      const moved = (by: number) => own(rewards.map((each, at) => (at === pair ? each + by : each)));
      expect(gradient[pair]).toBeCloseTo((moved(step) - moved(-step)) / (2 * step), 6);
    });
    expect(Math.max(...gradient.map(Math.abs))).toBeGreaterThan(0.01);
  });

  it('learns to ignore a heuristic that misleads the plain sum', () => {
    const run = (learned: number) =>
      seeds.map((seed) =>
        new TabularRun(
          {
            agent: 'barfi',
            world: 'chain',
            steps: 2000,
            seed,
            params: { learned, explore: 0.9 },
          },
          chain(6),
        ).result(),
      );
    for (const { return: found } of run(0)) expect(found).toBe(0);
    for (const { return: found, facts } of run(1)) {
      expect(found).toBe(1);
      expect(facts.auxiliary).toBeLessThan(0.95);
      expect(facts.primary).toBeGreaterThan(1.2);
    }
  });
});
