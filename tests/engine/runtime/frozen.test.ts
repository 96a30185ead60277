/** What is frozen, inside the sessions that read it: as on a device that feeds reach through a bus. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { Device, valuesOf } from '../../../engine/runtime/index.ts';
import { add, input, matmul, mul, sum } from '../../../engine/tensor/index.ts';

let device: Device;
const opened = (holdsFrozen = true): Device => {
  device = new Device({ id: 'cpu', threads: 1, holdsFrozen });
  return device;
};
afterEach(() => device.close());

const weights = () => Float32Array.from({ length: 9 }, (_, at) => at);
/** Rows times a matrix, and one more. */
const graphOf = (rows: number) => ({
  name: `rows ${rows}`,
  kind: 'rows',
  outputs: {
    y: add(
      matmul(
        input('x', { dtype: 'float32', shape: [rows, 2] }),
        input('w', { dtype: 'float32', shape: [2, 2] }),
      ),
      1,
    ),
  },
});
const y = async (rows: number, w: Float32Array): Promise<number[]> => [
  ...valuesOf(
    await (await device.compile(graphOf(rows))).run({ x: new Float32Array(2 * rows).fill(1), w }),
    'y',
    'float32',
  ),
];

describe('a frozen array', () => {
  test('crosses once, by any view of it, and is fed elsewhere', async () => {
    for (const holdsFrozen of [true, false]) {
      const w = weights();
      const view = w.subarray(3, 7);
      opened(holdsFrozen).freeze(w);
      expect(await y(1, view)).toEqual([3 + 5 + 1, 4 + 6 + 1]);
      view.fill(0); // nobody may: it tells whether the run reads the host's array
      expect(await y(1, view)).toEqual(holdsFrozen ? [9, 11] : [1, 1]);
      expect(device.frozenBytes).toBe(holdsFrozen ? 16 : 0);
    }
  });

  test('is one copy for each kind of graph, whatever its shape', async () => {
    const w = weights();
    opened().freeze(w);
    for (const rows of [1, 2, 1, 3]) {
      expect(await y(rows, w.subarray(0, 4))).toEqual(Array.from({ length: rows }, () => [3, 5]).flat());
      expect([device.frozenBytes, device.cachedSessions]).toEqual([16, 1]);
    }
    const other = await device.compile({
      name: 'other',
      outputs: { y: sum(input('w', { dtype: 'float32', shape: [9] })) },
    });
    expect([...valuesOf(await other.run({ w }), 'y', 'float32')]).toEqual([36]);
    expect([device.frozenBytes, device.cachedSessions]).toEqual([16 + 36, 2]);
    await other.release();
    expect(device.frozenBytes).toBe(16);
    expect([...valuesOf(await other.run({ w }), 'y', 'float32')]).toEqual([36]);
  });

  test('of one model is not another one’s', async () => {
    const [a, b] = [weights(), weights().map((x) => 10 * x)];
    opened().freeze(a, b);
    for (let times = 0; times < 2; times++)
      for (const [w, right] of [
        [a, [3, 5]],
        [b, [21, 41]],
      ] as const)
        expect(await y(1, w.subarray(0, 4))).toEqual(right);
    expect(device.frozenBytes).toBe(32);
    // what is not frozen is fed beside it
    expect(await y(1, Float32Array.of(1, 1, 1, 1))).toEqual([3, 3]);
  });

  test('goes with the array that it was made of', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    opened();
    await (async () => {
      const w = weights();
      device.freeze(w);
      await y(1, w.subarray(0, 4));
    })();
    expect(device.cachedSessions).toBe(1);
    await expect
      .poll(
        () => {
          gc();
          return device.cachedSessions;
        },
        { timeout: 20_000 },
      )
      .toBe(0);
  });

  test('is not what a run writes, though it be told so', async () => {
    const state = Float32Array.of(1, 2);
    opened().freeze(state);
    const s = input('state', { dtype: 'float32', shape: [2] });
    const program = await device.compile({
      name: 'double',
      outputs: { next: mul(s, 2) },
      inPlace: { next: 'state' },
    });
    await program.run({ state });
    await program.run({ state });
    expect([...state]).toEqual([4, 8]);
  });
});

test('shapes of a kind grow where they cost a copy, and are as asked elsewhere', () => {
  const asked = [
    { R: 4, T: 8 },
    { R: 2, T: 16 },
    { R: 1, T: 1 },
  ];
  const grown = (on: Device): unknown[] => asked.map((shape) => on.grown('kind', shape));
  expect(grown(opened())).toEqual([
    { R: 4, T: 8 },
    { R: 4, T: 16 },
    { R: 4, T: 16 },
  ]);
  expect(device.grown('another', { R: 1 })).toEqual({ R: 1 });
  expect(grown(opened(false))).toEqual(asked);
});

test('only devices behind a bus hold what is frozen unless told', () => {
  expect(
    (['cpu', 'webgpu', 'cuda', 'directml', 'coreml'] as const).map(
      (id) => new Device({ id, threads: 1 }).holdsFrozen,
    ),
  ).toEqual([false, false, true, true, false]);
});
