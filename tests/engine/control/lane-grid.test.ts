/** The lane grid: rules of the road, by situations whose outcome is known. */
import { describe, expect, it } from 'vitest';
import { controlWorldById } from '../../../engine/control/index.ts';

const world = controlWorldById('control/lane-grid', 'world');
const [keep, left, right, faster, slower] = [0, 1, 2, 3, 4];

/** The road after an action: [lane, place, speed] of the driver and of two cars. */
const after = (driver: number[], first: number[], second: number[], action: number) => {
  const state = Float64Array.of(...driver, ...first, ...second, 0);
  const reward = world.advance(state, 0, [action], 0);
  return { state: [...state.subarray(0, 9)], reward, isOver: world.isTerminal(state, 0) };
};
const far = [2, 17, 0];

describe('the lane grid', () => {
  it.each([
    ['keeps lane and speed', keep, [1, 1, 1]],
    ['changes lane to the left', left, [0, 1, 1]],
    ['changes lane to the right', right, [2, 1, 1]],
    ['goes faster', faster, [1, 2, 2]],
    ['goes slower', slower, [1, 0, 0]],
  ])('%s', (_, action, driver) => {
    const { state, reward, isOver } = after([1, 0, 1], [0, 12, 1], far, action);
    expect(state).toEqual([...driver, 0, 13, 1, 2, 17, 0]);
    expect(reward).toBeCloseTo(0.05 * driver[1], 12);
    expect(isOver).toBe(false);
  });

  it('has edges: of the road, and of speed', () => {
    expect(after([0, 0, 2], [1, 12, 1], far, left).state[0]).toBe(0);
    expect(after([2, 0, 2], [1, 12, 1], far, right).state[0]).toBe(2);
    expect(after([1, 0, 2], [0, 12, 1], far, faster).state[2]).toBe(2);
    expect(after([1, 5, 0], [0, 12, 1], far, slower).state.slice(0, 3)).toEqual([1, 5, 0]);
  });

  it('ends with 1 at the end of the road, and with −1 in a car', () => {
    expect(after([1, 17, 2], [0, 5, 1], [0, 9, 1], keep)).toMatchObject({ isOver: true });
    expect(after([1, 17, 2], [0, 5, 1], [0, 9, 1], keep).reward).toBeCloseTo(1.05, 12);
    // 2 cells into a car that moves 1 from 1 cell ahead: it is reached
    const crash = after([1, 5, 2], [1, 6, 1], far, keep);
    expect(crash).toMatchObject({ isOver: true });
    expect(crash.reward).toBeCloseTo(0.1 - 1, 12);
    // it moves out of the way in time from 2 cells ahead
    expect(after([1, 5, 2], [1, 7, 1], far, keep).isOver).toBe(false);
    // into a car beside, or through one that is passed within the step
    expect(after([1, 5, 1], [0, 5, 1], far, left).isOver).toBe(true);
    expect(after([1, 5, 2], [0, 6, 0], far, left).isOver).toBe(true);
  });

  it('has cars that brake for whoever is ahead', () => {
    expect(after([1, 6, 0], [1, 5, 3], far, keep)).toMatchObject({ isOver: false });
    expect(after([1, 6, 0], [1, 5, 3], far, keep).state.slice(3, 6)).toEqual([1, 5, 3]);
    expect(after([0, 0, 0], [1, 5, 3], [1, 7, 1], keep).state.slice(3)).toEqual([1, 7, 3, 1, 8, 1]);
  });

  it('shows lanes and gaps', () => {
    const out = new Float32Array(7);
    world.observe(Float64Array.of(1, 4, 2, 0, 9, 1, 2, 3, 1, 0), 0, out, 0);
    expect([...out]).toEqual([1, 4, 2, 0, 5, 2, -1]);
  });
});
