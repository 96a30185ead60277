/** Frozen arrays are held by the sessions that read them, as on a device with its own memory. */
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
/** Rows times a matrix, plus one. */
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
  test('is transferred once, through any view of it; other devices receive it as an input', async () => {
    for (const holdsFrozen of [true, false]) {
      const w = weights();
      const view = w.subarray(3, 7);
      opened(holdsFrozen).freeze(w);
      expect(await y(1, view)).toEqual([3 + 5 + 1, 4 + 6 + 1]);
      view.fill(0); // not allowed outside this test: shows whether the run reads the host's array
      expect(await y(1, view)).toEqual(holdsFrozen ? [9, 11] : [1, 1]);
      expect(device.frozenBytes).toBe(holdsFrozen ? 16 : 0);
    }
  });

  test('has one copy per kind of graph, for all shapes', async () => {
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

  test('is not shared between models', async () => {
    const [a, b] = [weights(), weights().map((x) => 10 * x)];
    opened().freeze(a, b);
    for (let times = 0; times < 2; times++)
      for (const [w, right] of [
        [a, [3, 5]],
        [b, [21, 41]],
      ] as const)
        expect(await y(1, w.subarray(0, 4))).toEqual(right);
    expect(device.frozenBytes).toBe(32);
    // an array that is not frozen is passed as an input
    expect(await y(1, Float32Array.of(1, 1, 1, 1))).toEqual([3, 3]);
  });

  test('is released with the array it came from', async () => {
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

  test('is never one that a run writes, even if requested', async () => {
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

test('shapes of a kind grow where each shape costs a copy, and stay as requested elsewhere', () => {
  const requested = [
    { R: 4, T: 8 },
    { R: 2, T: 16 },
    { R: 1, T: 1 },
  ];
  const grown = (on: Device): unknown[] => requested.map((shape) => on.grown('kind', shape));
  expect(grown(opened())).toEqual([
    { R: 4, T: 8 },
    { R: 4, T: 16 },
    { R: 4, T: 16 },
  ]);
  expect(device.grown('another', { R: 1 })).toEqual({ R: 1 });
  expect(grown(opened(false))).toEqual(requested);
});

test('only devices with their own memory hold frozen arrays by default', () => {
  expect(
    (['cpu', 'webgpu', 'cuda', 'directml', 'coreml'] as const).map(
      (id) => new Device({ id, threads: 1 }).holdsFrozen,
    ),
  ).toEqual([false, false, true, true, false]);
});
