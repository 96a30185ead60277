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

test('reports a wrong result', async () => {
  const [row] = await checkClosedForms(
    [{ ...closedForms[0], expected: closedForms[0].expected.map((x) => x + 0.1) }],
    device,
  );
  expect(row.ok).toBe(false);
});

test('reports a check that throws with its reason, computes the others, and reports each when it is done', async () => {
  const [whole] = statistics;
  const broken = {
    ...whole,
    id: 'broken',
    compute: () => {
      throw new WhetstoneError('unsupported', 'No such op.');
    },
  };
  const reports: string[] = [];
  const rows = await checkClosedForms([broken, whole], device, {
    report: ({ rows: [row], done, total }) => reports.push(`${row.id} ${done}/${total}`),
  });
  expect(rows).toMatchObject([
    { ok: false, got: [], error: { message: 'No such op.' } },
    { ok: true, error: null },
  ]);
  expect(reports).toEqual(['broken 1/2', `${whole.id} 2/2`]);
});

test('stops between two checks on request', async () => {
  const stop = new AbortController();
  const going = checkClosedForms(statistics, device, { signal: stop.signal, report: () => stop.abort() });
  await expect(going).rejects.toMatchObject({ kind: 'cancelled' });
});

test('ids are unique', () => expect(new Set(closedForms.map(({ id }) => id)).size).toBe(closedForms.length));
