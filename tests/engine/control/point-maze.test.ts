/** The point maze: walls hold, and the way around the wall leads to the goal. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';
import { uniform } from '../../../engine/random/random.ts';

const world = controlWorldById('control/point-maze', 'world');
const started = (): Float64Array => {
  const state = new Float64Array(2);
  world.start(state, 0, () => 0.5);
  return state;
};

describe('the point maze', () => {
  it('is solved around the wall, and by no straight way through it', () => {
    const state = started();
    const walk = (action: readonly [number, number], steps: number): number => {
      let total = 0;
      for (let t = 0; t < steps && !world.isTerminal(state, 0); t++)
        total += world.advance(state, 0, action, 0);
      return total;
    };
    // down: the wall; right: along the corridor to its end, 20 steps of a fifth of a cell
    expect(walk([0, 1], 60)).toBe(0);
    expect(state[1]).toBeLessThan(2);
    expect(walk([1, 0], 20)).toBe(0);
    expect(walk([0, 1], 8)).toBe(0);
    expect(walk([-1, 0], 25)).toBe(1);
    expect(world.isTerminal(state, 0)).toBe(true);
  });

  it('costs 1 for each step in the form with a cost, and nothing for the one that reaches the goal', () => {
    const state = started();
    const costly = controlWorldById('control/point-maze-cost', 'world');
    const ways = [
      [1, 0, 20],
      [0, 1, 8],
      [-1, 0, 25],
    ] as const;
    let [total, steps] = [0, 0];
    for (const [right, down, most] of ways)
      for (let t = 0; t < most && !costly.isTerminal(state, 0); t++, steps++)
        total += costly.advance(state, 0, [right, down], 0);
    expect(costly.isTerminal(state, 0)).toBe(true);
    expect(total).toBe(1 - steps);
  });

  it('is the same from anywhere with a cost as without, but for the cost', () => {
    const [free, costly] = ['', '-cost'].map((cost) =>
      controlWorldById(`control/point-maze${cost}-anywhere`, 'world'),
    );
    const [one, other] = [new Float64Array(2), new Float64Array(2)];
    for (let t = 0; t < 200; t++) {
      free.start(one, 0, () => uniform(2, 'starts', t));
      costly.start(other, 0, () => uniform(2, 'starts', t));
      const action = [2 * uniform(2, 'right', t) - 1, 2 * uniform(2, 'down', t) - 1];
      expect(costly.advance(other, 0, action, 0)).toBe(free.advance(one, 0, action, 0) - 1);
      expect(other).toEqual(one);
    }
  });

  it('begins anywhere but at the goal in the form where chance finds it', () => {
    const anywhere = controlWorldById('control/point-maze-anywhere', 'world');
    const places = Array.from({ length: 400 }, (_, t) => {
      let draws = 0;
      const state = new Float64Array(2);
      anywhere.start(state, 0, () => uniform(1, 'starts', t, draws++));
      expect(anywhere.isTerminal(state, 0)).toBe(false);
      return Math.floor(state[0]) + 7 * Math.floor(state[1]);
    });
    // five cells of each corridor and the passage between them, less the goal's
    expect(new Set(places).size).toBe(10);
  });

  it('never lets a point into a wall', () => {
    const state = started();
    for (let t = 0; t < 20_000; t++) {
      const action = [3 * uniform(0, 'maze', t, 0) - 1.5, 3 * uniform(0, 'maze', t, 1) - 1.5];
      world.advance(state, 0, action, 0);
      const [column, row] = [Math.floor(state[0]), Math.floor(state[1])];
      expect(column >= 1 && column <= 5 && row >= 1 && row <= 3).toBe(true);
      if (row === 2) expect(column).toBe(5);
    }
  });
});
