/** Agents that join pieces of a log: each solves what no logged trajectory did, and not without its part. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';
import { stream } from '../../../engine/random/random.ts';
import type { Logged } from '../../../engine/tabular/kernel/logged.ts';
import { modelOf, reachable } from '../../../engine/tabular/kernel/model.ts';
import { clustersOf, piecesOf } from '../../../engine/tabular/kernel/pieces.ts';
import { stepsTo } from '../../../engine/tabular/kernel/plan.ts';
import { TabularRun } from '../../../engine/tabular/run.ts';
import { worldOfArrows } from './tiny.ts';

const seeds = [0, 1, 2, 3, 4];
const runOf = (agent: string, world: string, seed: number, steps: number, params: object = {}) =>
  new TabularRun({ agent, world, steps, seed, params: { ...params } });
const walk = (episode: number, states: readonly number[]): Logged[] =>
  states.slice(1).map((next, at) => ({
    ...{ state: states[at], next, action: 0, reward: 0, episode, isTerminal: false },
    isLast: at === states.length - 2,
  }));

describe('stitch', () => {
  it('cuts episodes into pieces, and clusters states by steps between them', () => {
    const log = [...walk(0, [0, 1, 2, 3, 4, 5, 6, 7]), ...walk(1, [10, 11])];
    const pieces = piecesOf(log, 3, stream(0, 'test'));
    expect(pieces.flat()).toEqual(log);
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(3);
    const alone = clustersOf(pieces, 20, 20, stream(0, 'test'));
    expect(new Set(alone.filter((each) => each >= 0)).size).toBe(10);
    const two = clustersOf(pieces, 20, 2, stream(3, 'test'));
    expect(two[10]).toBe(two[11]);
    expect([two[8], two[15]]).toEqual([-1, -1]);
    for (let state = 1; state < 7; state++) expect([two[state - 1], two[state + 1]]).toContain(two[state]);
  });

  it('reaches the goal through the door, fifteen steps away, from pieces of twelve', () => {
    for (const seed of seeds) {
      const { discounted, optimum } = runOf('stitch', 'key-door', seed, 20_000).result();
      expect(discounted).toBeGreaterThan(0.95 * optimum);
      expect(runOf('stitch', 'key-door', seed, 20_000, { augment: 0 }).result().return).toBe(0);
    }
  });

  it('reaches goals that no piece connects with where it is, which plain imitation does not', () => {
    const model = modelOf(controlWorldById('control/key-door', 'world'));
    const reached = (augment: number): number => {
      let [found, tried] = [0, 0];
      for (const seed of seeds) {
        const run = runOf('stitch', 'key-door', seed, 20_000, { augment, piece: 6 });
        run.result();
        const { choice } = (run.agent.memory as { fitted: { choice: number[] } }).fitted;
        for (const goal of reachable(model)) {
          if (stepsTo(model, goal)[model.start] <= 6 || stepsTo(model, goal)[model.start] > 10) continue;
          tried++;
          let state = model.start;
          for (let t = 0; t < 30 && state !== goal && state >= 0; t++) {
            const action = choice[state * model.states + goal];
            state = action < 0 ? -1 : model.outcomes[state * model.actions + action][0].next;
          }
          if (state === goal) found++;
        }
      }
      return found / tried;
    };
    expect(reached(0.5)).toBeGreaterThan(0.6);
    expect(reached(0)).toBe(0);
  });
});

describe('mbrcsl', () => {
  it('earns what its best rollout did, nearly twice what the best logged trajectory did', () => {
    for (const seed of seeds) {
      const { discounted, facts } = runOf('mbrcsl', 'key-door', seed, 10_000).result();
      expect(discounted).toBeCloseTo(facts.reached, 9);
      expect(discounted).toBeGreaterThan(1.6 * facts.best);
      // one rollout does not beat the log, so that the log is imitated
      const imitated = runOf('mbrcsl', 'key-door', seed, 10_000, { rollouts: 1 }).result();
      expect(imitated.facts.better).toBe(0);
      expect(imitated.discounted).toBeCloseTo(facts.best, 9);
    }
  });

  it('joins the good choices of trajectories that each had bad ones', () => {
    const rungs = 12;
    const ladder = worldOfArrows(
      Array.from({ length: rungs }, (_, at) => {
        const to = at === rungs - 1 ? -1 : at + 1;
        const [good, bad] = [{ to, reward: 1 / rungs }, { to }];
        return at % 2 === 0 ? [good, bad] : [bad, good];
      }),
    );
    for (const seed of seeds) {
      // ten logged episodes of random choices, and a discount that leaves their sums as they are
      const shared = { agent: 'mbrcsl', world: 'ladder', steps: 240, seed, discount: 0.9999 };
      const spec = { ...shared, params: { rollouts: 20_000 } };
      const { return: found, facts } = new TabularRun(spec, ladder).result();
      expect(facts.best).toBeLessThan(0.85);
      expect(found).toBeGreaterThan(0.9);
    }
  });
});
