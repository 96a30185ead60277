import { beforeAll, expect, test } from 'vitest';
import { checkClosedForms, closedForms } from '../../../engine/rl/proof/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';

let device: Device;
beforeAll(async () => { device = await openDevice({ id: 'cpu', threads: 1 }); });

test.each(closedForms.map((form) => [form.id, form] as const))('%s', async (_, form) => {
  const [{ expected, got, tolerance }] = await checkClosedForms([form], device);
  expect(got).toHaveLength(expected.length);
  got.forEach((value, at) => expect(Math.abs(value - expected[at]), `${value} where ${expected[at]} must come out`).toBeLessThanOrEqual(tolerance));
});

test('a number that does not come out is told', async () => {
  const [row] = await checkClosedForms([{ ...closedForms[0], expected: closedForms[0].expected.map((x) => x + 0.1) }], device);
  expect(row.ok).toBe(false);
});

test('ids are unique', () => expect(new Set(closedForms.map(({ id }) => id)).size).toBe(closedForms.length));
