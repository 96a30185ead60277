import { expect, it } from 'vitest';
import { learningRateAt, type Schedule } from '../../../engine/optim/index.ts';

const rates = (schedule: Schedule['schedule'], warmup: number, steps: number) =>
  Array.from({ length: steps }, (_, step) =>
    learningRateAt({ learningRate: 2, schedule, warmup }, step, steps),
  );

it('stays constant without a schedule', () => expect(rates('constant', 0, 3)).toEqual([2, 2, 2]));

it('rises in equal steps during the warm-up, and peaks at its end', () =>
  expect(rates('constant', 4, 6)).toEqual([0.5, 1, 1.5, 2, 2, 2]));

it('falls linearly to just above zero at the last update', () =>
  expect(rates('linear', 0, 4)).toEqual([2, 1.5, 1, 0.5]));

it('falls as half a cosine after the warm-up', () => {
  const [first, ...falling] = rates('cosine', 1, 5);
  expect(first).toBe(2);
  falling.forEach((rate, at) => expect(rate).toBeCloseTo(1 + Math.cos((Math.PI * at) / 4), 12));
});

it('stays at its final value beyond the planned number of updates', () => {
  expect(learningRateAt({ learningRate: 2, schedule: 'linear', warmup: 0 }, 9, 4)).toBe(0);
});

it('does not divide by zero when the warm-up is the whole run', () =>
  expect(rates('cosine', 3, 3)[2]).toBe(2));
