import { beforeAll, describe, expect, it } from 'vitest';
import { Device, openDevice, Tally } from '../../../engine/runtime/index.ts';
import { mayShare, mayShareAll } from '../../../engine/runtime/in-place.ts';
import { rejected } from '../../support/errors.ts';
import {
  add,
  cachedAttention,
  concat,
  exp,
  greater,
  input,
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

describe('in-place state', () => {
  it('is written into the input array itself, and not returned', async () => {
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

  it('grows token by token, for any number of rows and positions, in one program', async () => {
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
      // a zero query reads the mean of the row's positions: its own in row 0, and also an empty one in row 1
      expect([seen[0], seen[8]]).toEqual([1, 1]);
      expect([v[0], v[P * 8], v[P * 8 + 8]]).toEqual([1, 0, 2]);
    }
    await expect(program.run({}, { B: 2, P: 3 })).rejects.toThrow(/needs 'joint' \(float32\[2, 24\]\)/);
  });

  it.each(['webgpu', 'cuda'] as const)(
    'grows only on the CPU: %s rejects it, because its kernel is wrong in some cases',
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

  it('is not copied after the run', async () => {
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

  it('rejects memory that is also an input under another name', async () => {
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

  // With shared memory, b would become 2·(a + b): the update of a runs first, and that of b reads its result.
  it('never lets one update read another’s result: all read the values before the run', async () => {
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
      'every reader runs before the writer, through the norm',
      true,
      sub(a, mul(b, norm)),
      [sumSquare(mul(a, b))],
    ],
    ['a reader independent of the writer', false, sub(a, b), [sumSquare(a)]],
    ['an independent reader of a reshape', false, sub(a, b), [sumSquare(reshape(a, [2, 2]))]],
    ['the writer selects element by element', true, where(greater(b, 0), a, b), []],
    ['the writer reads other elements', false, reshape(matmul(square, transpose(square)), [4]), []],
    [
      'the writer moves elements that were copied before',
      true,
      concat([slice(a, 0, 2, 4), slice(a, 0, 0, 2)], 0),
      [],
    ].slice(0, 4) as never,
    ['the input itself', false, a, []],
    ['the input returned under another name', false, add(a, b), [reshape(a, [2, 2])]],
    ['no reader', true, exp(b), []],
  ])('%s: shared = %s', (_, expected, writer, others) =>
    expect(mayShare(writer, 'a', [writer, ...others])).toBe(expected),
  );

  const [once, twice] = [add(a, 1), mul(add(a, 1), 2)];
  it.each<[string, readonly boolean[], readonly Expr[], readonly Expr[]]>([
    ['each computed from the one before', [true, true], [once, twice], []],
    ['in any order', [true, true], [twice, once], []],
    [
      'three of them, the last through a reshape',
      [true, true, true],
      [once, twice, sub(reshape(twice, [4]), b)],
      [],
    ],
    ['both computed from the input', [false, false], [once, mul(a, 2)], []],
    ['the first read independently of the second', [true, false], [once, twice], [sumSquare(once)]],
    ['the input read independently of both', [false, true], [once, twice], [sumSquare(a)]],
    [
      'the second computed from other elements of the first',
      [true, false],
      [once, reshape(matmul(reshape(once, [2, 2]), reshape(b, [2, 2])), [4])],
      [],
    ],
  ])('several outputs in one array, %s: shared = %s', (_, expected, outputs, others) =>
    expect(
      mayShareAll(
        outputs.map((output) => [output, 'a']),
        [...outputs, ...others],
      ),
    ).toEqual(expected),
  );

  it('keeps the last of several outputs, and rejects outputs without a defined order', async () => {
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

  it('rejects an output whose type differs from the input’s', async () => {
    await expect(
      device.compile({ name: 'bad', outputs: { y: sum(a) }, inPlace: { y: 'a' } }),
    ).rejects.toThrow(/'bad' cannot write 'y' \(float32\[\]\) over 'a' \(float32\[4\]\)/);
    await expect(
      device.compile({ name: 'bad', outputs: { y: sum(a) }, inPlace: { z: 'a' } }),
    ).rejects.toThrow(/no such output/);
  });
});
