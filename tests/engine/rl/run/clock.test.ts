import { describe, expect, test } from 'vitest';
import { Clock } from '../../../../engine/rl/run/clock.ts';

const after = (steps: number, clock = new Clock(10)): Clock => {
  for (let step = 0; step < steps; step++) clock.countStep();
  return clock;
};

describe('a clock', () => {
  test('starts at 0, and ends with its last step', () => {
    const clock = new Clock(2);
    expect([clock.step, clock.nextStep, clock.stepsLeft, clock.isOver]).toEqual([0, 1, 2, false]);
    after(2, clock);
    expect([clock.step, clock.nextStep, clock.stepsLeft, clock.isOver]).toEqual([2, 3, 0, true]);
    expect(new Clock(0).isOver).toBe(true);
  });

  test('continues from its saved state', () => {
    const clock = after(3);
    clock.countUnit();
    clock.countUpdate(true);
    expect(clock.state()).toEqual({ step: 3, units: 1, skippedInRow: 1 });
    expect(new Clock(10, clock.state()).state()).toEqual(clock.state());
  });

  test('reports the completed share of its steps, before or after further ones', () => {
    const clock = after(2);
    expect([clock.progress(), clock.progress(3)]).toEqual([0.2, 0.5]);
    expect(new Clock(0).progress()).toBe(0);
  });

  test('counts consecutive skipped updates: a finite one resets the count', () => {
    const clock = new Clock(10);
    const counted = [true, true, false, true].map((isSkipped) => {
      clock.countUpdate(isSkipped);
      return clock.skippedInRow;
    });
    expect(counted).toEqual([1, 2, 0, 1]);
  });

  test.each([
    [0, [], [Infinity, Infinity, Infinity]],
    [1, [1, 2, 3, 4, 5, 6], [1, 1, 1]],
    [3, [3, 6], [3, 2, 1]],
  ])('every %d steps: triggers at %j', (every, at, until) => {
    const clock = new Clock(6);
    const passed: number[] = [];
    const left: number[] = [];
    while (!clock.isOver) {
      left.push(clock.stepsUntil(every));
      const since = clock.step;
      clock.countStep();
      if (clock.hasPassed(every, since)) passed.push(clock.step);
    }
    expect(passed).toEqual(at);
    expect(left.slice(0, 3)).toEqual(until);
  });

  test('triggers at a multiple between two queried steps', () => {
    const clock = after(5);
    expect([clock.hasPassed(4, 2), clock.hasPassed(4, 4)]).toEqual([true, false]);
  });
});
