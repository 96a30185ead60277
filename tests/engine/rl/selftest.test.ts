import { beforeAll, expect, test } from 'vitest';
import { checkClosedForms, closedForms } from '../../../engine/rl/proof/index.ts';
import { statistics } from '../../../engine/rl/proof/statistics.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

test.each(closedForms.map((form) => [form.id, form] as const))('%s', async (_, form) => {
  const [{ expected, got, tolerance }] = await checkClosedForms([form], device);
  expect(got).toHaveLength(expected.length);
  got.forEach((value, at) =>
    expect(
      Math.abs(value - expected[at]),
      `${value} where ${expected[at]} must come out`,
    ).toBeLessThanOrEqual(tolerance),
  );
});

test('a number that does not come out is told', async () => {
  const [row] = await checkClosedForms(
    [{ ...closedForms[0], expected: closedForms[0].expected.map((x) => x + 0.1) }],
    device,
  );
  expect(row.ok).toBe(false);
});

test('one that throws is told with its reason, the others are computed, and each is heard of as it is done', async () => {
  const [whole] = statistics;
  const broken = {
    ...whole,
    id: 'broken',
    compute: () => {
      throw new WhetstoneError('unsupported', 'No such op.');
    },
  };
  const heard: string[] = [];
  const rows = await checkClosedForms([broken, whole], device, {
    report: ({ rows: [row], done, total }) => heard.push(`${row.id} ${done}/${total}`),
  });
  expect(rows).toMatchObject([
    { ok: false, got: [], error: { message: 'No such op.' } },
    { ok: true, error: null },
  ]);
  expect(heard).toEqual(['broken 1/2', `${whole.id} 2/2`]);
});

test('stops between two of them when it is told to', async () => {
  const stop = new AbortController();
  const going = checkClosedForms(statistics, device, { signal: stop.signal, report: () => stop.abort() });
  await expect(going).rejects.toMatchObject({ kind: 'cancelled' });
});

test('ids are unique', () => expect(new Set(closedForms.map(({ id }) => id)).size).toBe(closedForms.length));
