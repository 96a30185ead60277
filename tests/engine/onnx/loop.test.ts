/** Loops on the runtime, compared with the same loop unrolled in float64. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import {
  add,
  argmax,
  cast,
  equal,
  evaluate,
  gather,
  input,
  iota,
  loop,
  matmul,
  mul,
  reshape,
  scalar,
  softmax,
  sum,
  tanh,
  where,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Runs outputs on the device and compares them with their evaluation. */
const expectMeaning = async (
  outputs: Record<string, Expr>,
  feeds: Record<string, Float32Array | Int32Array>,
) => {
  const program = await device.compile({ name: 'loop', outputs });
  const results = await program.run(feeds);
  const expected = evaluate(Object.values(outputs), feeds);
  Object.keys(outputs).forEach((name, at) =>
    expect(worstError(results[name] as Float32Array, expected[at].data), name).toBeLessThan(1e-5),
  );
  return results;
};

describe('a loop', () => {
  const w = input('w', f32(3, 3));
  const start = input('start', f32(2, 3));
  const feeds = { w: randomFloats(1, [3, 3]), start: randomFloats(2, [2, 3]) };

  it('carries state, counts its iterations, and stacks their scan outputs', async () => {
    const { carried, scans } = loop({
      trips: 5,
      carried: { s: start, total: scalar(0) },
      body: ({ s, total }, iteration) => {
        const next = tanh(add(matmul(s, w), cast(iteration, 'float32')));
        return {
          carried: { s: next, total: add(total, sum(next)) },
          scans: { row: sum(next, 1), iteration },
        };
      },
    });
    expect(scans.row.type.shape).toEqual([5, 2]);
    const results = await expectMeaning(
      { s: carried.s, total: carried.total, row: scans.row, at: scans.iteration },
      feeds,
    );
    expect([...results.at]).toEqual([0, 1, 2, 3, 4]);
  });

  it('may return its state, an outer value or a constant unchanged', async () => {
    const { carried, scans } = loop({
      trips: 2,
      carried: { a: start, b: mul(start, 2) },
      body: ({ a, b }) => ({ carried: { a: b, b: a }, scans: { a, again: a, outer: w, fixed: iota(2) } }),
    });
    await expectMeaning(
      {
        a: carried.a,
        b: carried.b,
        scanned: scans.a,
        again: scans.again,
        outer: scans.outer,
        fixed: scans.fixed,
      },
      feeds,
    );
  });

  it('may run inside another loop and read its values', async () => {
    const outer = loop({
      trips: 3,
      carried: { s: start },
      body: ({ s }, i) => {
        const inner = loop({
          trips: 2,
          carried: { t: s },
          body: ({ t }, j) => ({ carried: { t: add(mul(t, 0.5), mul(s, cast(add(i, j), 'float32'))) } }),
        });
        return { carried: { s: inner.carried.t }, scans: { seen: inner.carried.t } };
      },
    });
    await expectMeaning({ s: outer.carried.s, seen: outer.scans.seen }, { start: feeds.start });
  });

  it('writes into a fixed buffer and reads one row of a table per iteration, as generation does', async () => {
    const [T, B, V] = [4, 2, 5];
    const table = input('table', f32(V, V));
    const noise = input('noise', f32(T, B, V));
    const { carried, scans } = loop({
      trips: T,
      carried: {
        token: input('first', { dtype: 'int32', shape: [B] }),
        buffer: mul(
          cast(reshape(iota(T * V), [1, T, V]), 'float32'),
          reshape(input('zeros', f32(B)), [B, 1, 1]),
        ),
      },
      body: ({ token, buffer }, i) => {
        const logits = add(gather(table, token), gather(noise, i));
        const here = reshape(equal(iota(T), i), [1, T, 1]);
        return {
          carried: {
            token: argmax(logits),
            buffer: where(here, reshape(softmax(logits), [B, 1, V]), buffer),
          },
          scans: { token: argmax(logits) },
        };
      },
    });
    await expectMeaning(
      { buffer: carried.buffer, tokens: scans.token },
      {
        table: randomFloats(3, [V, V]),
        noise: randomFloats(4, [T, B, V]),
        first: Int32Array.of(1, 3),
        zeros: new Float32Array(B),
      },
    );
  });

  it('moves loop-invariant computations out of its body', async () => {
    const { carried } = loop({
      trips: 50,
      carried: { s: start },
      body: ({ s }) => ({ carried: { s: tanh(add(s, matmul(start, mul(w, w)))) } }),
    });
    const captured = (carried.s.attrs as { captured: Expr[] }).captured;
    expect(captured.map(({ op }) => op.name)).toEqual(['matmul']);
    await expectMeaning({ s: carried.s }, feeds);
  });
});

describe('a loop rejects', () => {
  const x = input('x', f32(2));
  it('state whose shape changes', () =>
    expect(() => loop({ trips: 2, carried: { x }, body: () => ({ carried: { x: scalar(1) } }) })).toThrow(
      /state 'x' starts as float32\[2\] and comes back as float32\[\]/,
    ));
  it('zero iterations', () =>
    expect(() => loop({ trips: 0, carried: { x }, body: ({ x: s }) => ({ carried: { x: s } }) })).toThrow(
      /at least one/,
    ));
});
