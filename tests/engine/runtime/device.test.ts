import { beforeAll, describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { openDevice, valuesOf, type Device } from '../../../engine/runtime/index.ts';
import { runtimeError } from '../../../engine/runtime/errors.ts';
import {
  add,
  cast,
  exp,
  full,
  greater,
  input,
  loop,
  matmul,
  mul,
  sum,
} from '../../../engine/tensor/index.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const [a, b] = [input('a', f32(4)), input('b', f32(4))];
let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

it('keeps values distinct, whatever the names of inputs and outputs', async () => {
  const own = await openDevice({ id: 'cpu', threads: 1 });
  // names that values inside a graph might have, including a loop's body
  const [a, b, c] = ['v0', 'v1', 'unreturnable'].map((name) => input(name, { dtype: 'float32', shape: [2] }));
  const { carried } = loop({
    trips: 2,
    carried: { s: a },
    body: ({ s }) => ({ carried: { s: add(mul(s, b), c) } }),
  });
  const program = await own.compile({
    name: 'names',
    outputs: { v2: add(mul(a, b), c), v3: carried.s, n_v2: exp(a), v4: a, body: mul(c, 3) },
  });
  const results = await program.run({
    v0: Float32Array.of(1, 2),
    v1: Float32Array.of(3, 4),
    unreturnable: Float32Array.of(5, 6),
  });
  expect(
    Object.fromEntries(
      Object.entries(results).map(([name, values]) => [
        name,
        Array.from(values as Float32Array, (value) => Math.round(value * 1000) / 1000),
      ]),
    ),
  ).toEqual({ v2: [8, 14], v3: [29, 62], n_v2: [2.718, 7.389], v4: [1, 2], body: [15, 18] });
  await own.close();
});

describe('a program', () => {
  it('takes and returns every element type', async () => {
    const [f, i, l, t] = [
      input('f', f32(2)),
      input('i', { dtype: 'int32', shape: [2] }),
      input('l', { dtype: 'int64', shape: [2] }),
      input('t', { dtype: 'bool', shape: [2] }),
    ];
    const program = await device.compile({
      name: 'types',
      outputs: { f2: add(f, cast(t, 'float32')), i2: add(i, 1), l2: add(l, 1), t2: greater(f, 0) },
    });
    const results = await program.run({
      f: Float32Array.of(-1, 2),
      i: Int32Array.of(5, 6),
      l: BigInt64Array.of(7n, 8n),
      t: Uint8Array.of(1, 0),
    });
    expect([results.f2, results.i2, results.l2, results.t2]).toEqual([
      Float32Array.of(0, 2),
      Int32Array.of(6, 7),
      BigInt64Array.of(8n, 9n),
      Uint8Array.of(0, 1),
    ]);
  });

  it('takes and returns tensors without elements', async () => {
    const e = input('e', f32(0, 3));
    const program = await device.compile({ name: 'empty', outputs: { y: exp(e), s: sum(e) } });
    const results = await program.run({ e: new Float32Array(0) });
    expect([results.y.length, results.s[0]]).toEqual([0, 0]);
  });

  it('reports inputs that are missing, unknown, or of the wrong type or size', async () => {
    const program = await device.compile({ name: 'adder', outputs: { y: add(a, b) } });
    const [good, bad] = [new Float32Array(4), new Float32Array(3)];
    await expect(program.run({ a: good })).rejects.toThrow(
      /'adder' needs 'b' \(float32\[4\]\), which was not fed/,
    );
    await expect(program.run({ a: good, b: good, c: good })).rejects.toThrow(/has no input 'c'; it has a, b/);
    await expect(program.run({ a: good, b: bad })).rejects.toThrow(
      /float32\[4\] \(4 values\); it was fed Float32Array of 3/,
    );
    await expect(program.run({ a: good, b: new Int32Array(4) })).rejects.toMatchObject({
      kind: 'invalid-input',
    });
  });

  it('repeats bit for bit', async () => {
    const big = input('big', f32(64, 64));
    const program = await device.compile({ name: 'product', outputs: { y: matmul(big, big) } });
    const feed = { big: Float32Array.from({ length: 4096 }, (_, at) => Math.sin(at)) };
    expect(await program.run(feed)).toEqual(await program.run(feed));
  });

  it('serializes concurrent runs', async () => {
    const program = await device.compile({
      name: 'count',
      outputs: { next: add(a, 1) },
      inPlace: { next: 'a' },
    });
    const state = new Float32Array(4);
    await Promise.all([program.run({ a: state }), program.run({ a: state }), program.run({ a: state })]);
    expect([...state]).toEqual([3, 3, 3, 3]);
  });

  it('returns outputs by element type, and reports a mismatch', async () => {
    const results = await (
      await device.compile({ name: 'sum', outputs: { y: sum(a) } })
    ).run({ a: Float32Array.of(1, 2, 3, 4) });
    expect(valuesOf(results, 'y', 'float32')[0]).toBe(10);
    expect(() => valuesOf(results, 'y', 'int32')).toThrow(/'y' is Float32Array, not int32/);
    expect(() => valuesOf(results, 'z', 'int32')).toThrow(/'z' is missing/);
  });
});

describe('the session cache', () => {
  it('creates one session per graph, however often it is compiled', async () => {
    const own = await openDevice({ id: 'cpu', threads: 1 });
    const before = own.cachedSessions;
    await own.compile({ name: 'policy', outputs: { y: exp(a) } });
    await own.compile({ name: 'reference', outputs: { y: exp(a) } });
    expect(own.cachedSessions).toBe(before + 1);
  });

  it('evicts the least recently used sessions within its limit, and recreates them when they run', async () => {
    const own = await openDevice({ id: 'cpu', threads: 1, cacheBytes: 100_000 });
    const large = (name: string, by: number) =>
      own.compile({ name, outputs: { y: sum(exp(add(full(by, [10_000]), sum(a)))) } });
    const [first, second] = [await large('first', 1), await large('second', 2)];
    expect(own.cachedSessions).toBe(1);
    const expected = 10_000 * Math.exp(1);
    for (const program of [first, second, first]) {
      expect(
        valuesOf(await program.run({ a: new Float32Array(4) }), 'y', 'float32')[0] / expected,
      ).toBeCloseTo(program === first ? 1 : Math.E, 4);
    }
    await own.close();
    expect(own.cachedSessions).toBe(0);
    expect(valuesOf(await first.run({ a: new Float32Array(4) }), 'y', 'float32')[0] / expected).toBeCloseTo(
      1,
      4,
    );
  });
});

describe('errors of the runtime', () => {
  it.each([
    ['Failed to allocate memory for requested buffer of size 123', 'out-of-memory'],
    ['std::bad_alloc', 'out-of-memory'],
    ['Non-zero status code returned while running Gemm node', 'device-failed'],
  ])('%s becomes %s', (message, kind) => {
    expect(runtimeError(new Error(message), 'step')).toMatchObject({
      kind,
      where: 'step',
      hint: expect.any(String),
    });
  });

  it('keeps a typed error unchanged', () => {
    const error = new WhetstoneError('cancelled', 'stopped');
    expect(runtimeError(error, 'step')).toBe(error);
  });

  it('are converted for a real run that fails', async () => {
    const huge = full(1, [1 << 24, 1 << 24]);
    const program = await device.compile({
      name: 'huge',
      outputs: { y: sum(mul(exp(mul(huge, sum(a))), 2)) },
    });
    await expect(program.run({ a: new Float32Array(4) })).rejects.toMatchObject({
      kind: 'out-of-memory',
      where: 'huge',
    });
  });
});
