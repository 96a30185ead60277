import { afterAll, expect, test } from 'vitest';
import { Device } from '../../../engine/runtime/index.ts';
import { fixedCases, onFixedRows, perTokenErrors } from '../../support/fixed-rows.ts';

const device = new Device({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

test.each(Object.keys(fixedCases))('a float32 step matches the exact one: %s', async (name) => {
  const { made, right } = await onFixedRows(device, name);
  expect(right.gradNorm).toBeGreaterThan(0.1);
  expect(made.gradientError).toBeLessThan(2e-4);
  expect(Math.abs(made.gradNorm / right.gradNorm - 1)).toBeLessThan(1e-4);
  expect(Math.abs(made.loss - right.loss)).toBeLessThan(1e-4 * Math.max(1, Math.abs(right.loss)));
  for (const [metric, value] of Object.entries(right.metrics))
    expect(Math.abs(made.metrics[metric] - value), metric).toBeLessThan(1e-4);
});

test('log-probabilities and entropies of every token are exact at any temperature', async () => {
  const errors = await perTokenErrors(device);
  expect(Object.keys(errors).length).toBe(9);
  expect(Object.entries(errors).filter(([, error]) => !(error <= 1e-5))).toEqual([]);
});
