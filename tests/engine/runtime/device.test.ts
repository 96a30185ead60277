import { beforeAll, describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../../engine/schema/errors.ts';
import { Device, openDevice, Tally, valuesOf } from '../../../engine/runtime/index.ts';
import { runtimeError } from '../../../engine/runtime/errors.ts';
import { mayShare, mayShareAll } from '../../../engine/runtime/in-place.ts';
import { rejected } from '../../support/errors.ts';
import {
  add,
  cachedAttention,
  cast,
  concat,
  exp,
  full,
  greater,
  input,
  loop,
  matmul,
  mul,
  reshape,
  slice,
  sub,
  sum,
  sumSquare,
  transpose,
  where,
  type Expr,
} from '../../../engine/tensor/index.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const [a, b] = [input('a', f32(4)), input('b', f32(4))];
let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

it('tells values apart whatever inputs and outputs are called', async () => {
  const own = await openDevice({ id: 'cpu', threads: 1 });
  // names that values inside a graph might have, a loop's body included
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

describe('state in place', () => {
  it('is written into the very array that was fed, and not returned', async () => {
    const program = await device.compile({
      name: 'count',
      outputs: { next: add(a, 1), total: sum(a) },
      inPlace: {},
    });
    const shared = await device.compile({
      name: 'count',
      outputs: { next: add(a, 1) },
      inPlace: { next: 'a' },
    });
    const state = Float32Array.of(1, 2, 3, 4);
    expect(Object.keys(await shared.run({ a: state }))).toEqual([]);
    expect([...state]).toEqual([2, 3, 4, 5]);
    expect(shared.inPlace.next.how).toBe('shared');
    const results = await program.run({ a: state });
    expect([...state]).toEqual([2, 3, 4, 5]);
    expect([...results.next]).toEqual([3, 4, 5, 6]);
  });

  it('grows token by token, in rows and places of any number, of one program', async () => {
    const cache = (name: string) => input(name, f32(5, 1, 7, 8));
    const int = (name: string, length: number) => input(name, { dtype: 'int32', shape: [length] });
    const { read, keys, values } = cachedAttention(
      [input('joint', f32(5, 24))],
      { keys: cache('k'), values: cache('v') },
      { last: int('last', 5), total: int('total', 1) },
      { tokens: 1, heads: 1, kvHeads: 1, scale: 1, cap: null, window: null },
    );
    const places = ['B', null, 'P', null];
    const program = await device.compile({
      name: 'grow',
      outputs: { read, keys, values },
      inPlace: { keys: 'k', values: 'v' },
      axes: { joint: ['B'], last: ['B'], read: ['B'], k: places, v: places, keys: places, values: places },
    });
    expect(Object.values(program.inPlace).map(({ how }) => how)).toEqual(['shared', 'shared']);
    for (const [B, P] of [
      [2, 3],
      [4, 2],
    ]) {
      const k = new Float32Array(B * P * 8);
      const v = k.slice();
      const feeds = { k, v, last: Int32Array.from({ length: B }, (_, b) => b % 2), total: Int32Array.of(2) };
      const { read: seen } = await program.run(
        {
          ...feeds,
          joint: Float32Array.from({ length: B * 24 }, (_, at) =>
            at % 24 < 16 ? 0 : 1 + Math.floor(at / 24),
          ),
        },
        { B, P },
      );
      // a query of zeros reads the mean of the row's places: its own in row 0, an empty one too in row 1
      expect([seen[0], seen[8]]).toEqual([1, 1]);
      expect([v[0], v[P * 8], v[P * 8 + 8]]).toEqual([1, 0, 2]);
    }
    await expect(program.run({}, { B: 2, P: 3 })).rejects.toThrow(/needs 'joint' \(float32\[2, 24\]\)/);
  });

  it.each(['webgpu', 'cuda'] as const)(
    'grows on the CPU alone: %s refuses it, since its kernel is wrong in some cases',
    async (id) => {
      const cache = (name: string) => input(name, f32(1, 1, 4, 8));
      const int = (name: string) => input(name, { dtype: 'int32', shape: [1] });
      const { read } = cachedAttention(
        [input('joint', f32(1, 24))],
        { keys: cache('k'), values: cache('v') },
        { last: int('last'), total: int('total') },
        { tokens: 1, heads: 1, kvHeads: 1, scale: 1, cap: null, window: null },
      );
      await expect(
        new Device({ id, tally: new Tally() }).compile({ name: 'grow', outputs: { read } }),
      ).rejects.toMatchObject({
        kind: 'unsupported',
        where: 'cachedAttention',
        hint: expect.stringContaining('CPU'),
      });
    },
  );

  it('is not copied on its way back', async () => {
    const large = input('large', f32(1 << 20));
    const program = await device.compile({
      name: 'large',
      outputs: { next: add(large, 1), total: sum(add(large, 1)) },
      inPlace: { next: 'large' },
    });
    const state = new Float32Array(1 << 20);
    const before = process.memoryUsage().arrayBuffers;
    for (let step = 0; step < 8; step++) await program.run({ large: state });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(state.byteLength / 2);
    expect(state[77]).toBe(8);
  });

  it('works on a view into a larger buffer', async () => {
    const program = await device.compile({
      name: 'view',
      outputs: { next: mul(a, 2) },
      inPlace: { next: 'a' },
    });
    const flat = Float32Array.of(9, 1, 2, 3, 4, 9);
    await program.run({ a: flat.subarray(1, 5) });
    expect([...flat]).toEqual([9, 2, 4, 6, 8, 9]);
  });

  it('refuses memory that is also fed under another name', async () => {
    const program = await device.compile({
      name: 'step',
      outputs: { next: add(a, b) },
      inPlace: { next: 'a' },
    });
    const flat = new Float32Array(12);
    await expect(program.run({ a: flat.subarray(0, 4), b: flat.subarray(2, 6) })).rejects.toThrow(
      /'step' writes over 'a' while it reads the same memory as 'b'/,
    );
    await expect(program.run({ a: flat.subarray(0, 4), b: flat.subarray(4, 8) })).resolves.toEqual({});
  });

  // With shared memory, b would become 2·(a + b): the update of a comes first and is read by that of b.
  it('never lets one update read another: the values are those before the run', async () => {
    const program = await device.compile({
      name: 'crossed',
      outputs: { a2: add(a, b), b2: mul(a, 2) },
      inPlace: { a2: 'a', b2: 'b' },
    });
    const [x, y] = [Float32Array.of(1, 2, 3, 4), Float32Array.of(10, 20, 30, 40)];
    await program.run({ a: x, b: y });
    expect([...x, ...y]).toEqual([11, 22, 33, 44, 2, 4, 6, 8]);
    expect(Object.values(program.inPlace).map(({ how }) => how)).toContain('copied');
  });

  const square = reshape(a, [2, 2]);
  const norm = add(sumSquare(mul(a, b)), sumSquare(b));
  it.each<[string, boolean, Expr, readonly Expr[]]>([
    [
      'every reader comes before the writer, through the norm',
      true,
      sub(a, mul(b, norm)),
      [sumSquare(mul(a, b))],
    ],
    ['a reader beside the writer', false, sub(a, b), [sumSquare(a)]],
    ['a reader beside it, behind a reshape', false, sub(a, b), [sumSquare(reshape(a, [2, 2]))]],
    ['the writer choosing element by element', true, where(greater(b, 0), a, b), []],
    ['the writer reading other elements', false, reshape(matmul(square, transpose(square)), [4]), []],
    [
      'the writer moving elements that were copied before',
      true,
      concat([slice(a, 0, 2, 4), slice(a, 0, 0, 2)], 0),
      [],
    ].slice(0, 4) as never,
    ['the input itself', false, a, []],
    ['the input handed out under another name', false, add(a, b), [reshape(a, [2, 2])]],
    ['no reader at all', true, exp(b), []],
  ])('%s: shared = %s', (_, expected, writer, others) =>
    expect(mayShare(writer, 'a', [writer, ...others])).toBe(expected),
  );

  const [once, twice] = [add(a, 1), mul(add(a, 1), 2)];
  it.each<[string, readonly boolean[], readonly Expr[], readonly Expr[]]>([
    ['each made of the one before', [true, true], [once, twice], []],
    ['in any order', [true, true], [twice, once], []],
    [
      'three of them, behind another name',
      [true, true, true],
      [once, twice, sub(reshape(twice, [4]), b)],
      [],
    ],
    ['both made of the input', [false, false], [once, mul(a, 2)], []],
    ['the first read beside the second', [true, false], [once, twice], [sumSquare(once)]],
    ['the input read beside both', [false, true], [once, twice], [sumSquare(a)]],
    [
      'the second made of the first by other elements',
      [true, false],
      [once, reshape(matmul(reshape(once, [2, 2]), reshape(b, [2, 2])), [4])],
      [],
    ],
  ])('several in one array, %s: shared = %s', (_, expected, outputs, others) =>
    expect(
      mayShareAll(
        outputs.map((output) => [output, 'a']),
        [...outputs, ...others],
      ),
    ).toEqual(expected),
  );

  it('holds the last of several, and refuses those whose order would be lost', async () => {
    const state = Float32Array.of(1, 2, 3, 4);
    const program = await device.compile({
      name: 'twice',
      outputs: { twice, once },
      inPlace: { once: 'a', twice: 'a' },
    });
    expect(await program.run({ a: state })).toEqual({});
    expect([...state]).toEqual([4, 6, 8, 10]);
    const crossed = device.compile({
      name: 'crossed',
      outputs: { once, other: mul(a, 2) },
      inPlace: { once: 'a', other: 'a' },
    });
    expect(await rejected(crossed)).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(/'crossed' cannot write 'once' over 'a' as one of several/) as string,
    });
  });

  it('refuses an output that is not of the input’s type', async () => {
    await expect(
      device.compile({ name: 'bad', outputs: { y: sum(a) }, inPlace: { y: 'a' } }),
    ).rejects.toThrow(/'bad' cannot write 'y' \(float32\[\]\) over 'a' \(float32\[4\]\)/);
    await expect(
      device.compile({ name: 'bad', outputs: { y: sum(a) }, inPlace: { z: 'a' } }),
    ).rejects.toThrow(/no such output/);
  });
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

  it('says what is missing, unknown, of the wrong type or size', async () => {
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

  it('runs in turn when several runs are asked for at once', async () => {
    const program = await device.compile({
      name: 'count',
      outputs: { next: add(a, 1) },
      inPlace: { next: 'a' },
    });
    const state = new Float32Array(4);
    await Promise.all([program.run({ a: state }), program.run({ a: state }), program.run({ a: state })]);
    expect([...state]).toEqual([3, 3, 3, 3]);
  });

  it('hands out outputs by element type, and says when it is another', async () => {
    const results = await (
      await device.compile({ name: 'sum', outputs: { y: sum(a) } })
    ).run({ a: Float32Array.of(1, 2, 3, 4) });
    expect(valuesOf(results, 'y', 'float32')[0]).toBe(10);
    expect(() => valuesOf(results, 'y', 'int32')).toThrow(/'y' is Float32Array, not int32/);
    expect(() => valuesOf(results, 'z', 'int32')).toThrow(/'z' is missing/);
  });
});

describe('the session cache', () => {
  it('makes one session for one graph, however often it is compiled', async () => {
    const own = await openDevice({ id: 'cpu', threads: 1 });
    const before = own.cachedSessions;
    await own.compile({ name: 'policy', outputs: { y: exp(a) } });
    await own.compile({ name: 'reference', outputs: { y: exp(a) } });
    expect(own.cachedSessions).toBe(before + 1);
  });

  it('lets the least recently used go within its bound, and makes them again when they are run', async () => {
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

describe('what the runtime throws', () => {
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

  it('keeps an error that is understood already', () => {
    const error = new WhetstoneError('cancelled', 'stopped');
    expect(runtimeError(error, 'step')).toBe(error);
  });

  it('comes out of a real run that fails', async () => {
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
