/**
 * The same inputs give the same bits with several threads. Each case is large enough for the runtime to
 * divide its work among them.
 */
import { expect, it } from 'vitest';
import { openDevice } from '../../../engine/runtime/index.ts';
import {
  add,
  evaluate,
  gather,
  grad,
  input,
  layerNorm,
  matmul,
  mean,
  neg,
  reshape,
  scatterRows,
  sum,
  sumSquare,
  tokenLogp,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { randomFloats, uniforms, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const int32 = (...shape: number[]) => ({ dtype: 'int32' as const, shape });
const [rows, width, words] = [8192, 64, 16];
const ids = input('ids', int32(64, 128));
const updates = input('updates', f32(64, 128, width));
const table = input('table', f32(words, width));
const feeds = {
  ids: Int32Array.from(uniforms(1, rows), (u) => Math.floor(u * words)),
  updates: randomFloats(2, [64, 128, width]),
  table: randomFloats(3, [words, width]),
  gain: randomFloats(4, [width]),
  bias: randomFloats(5, [width]),
};

/** An embedding, a normalization and a tied output: the sums over many rows of a training step. */
const loss = (): Expr => {
  const hidden = layerNorm(
    reshape(add(gather(table, ids), updates), [rows, width]),
    input('gain', f32(width)),
    input('bias', f32(width)),
  );
  return neg(mean(tokenLogp(matmul(hidden, table, { transposeB: true }), reshape(ids, [rows]))));
};

it.each<[string, Record<string, Expr>]>([
  ['rows added into a table, many to each of its rows', { y: scatterRows(ids, updates, words) }],
  [
    'sums of all elements',
    {
      total: sum(updates),
      squares: sumSquare(updates),
      columns: sum(updates, [0, 1]),
      lines: sum(updates, 2),
    },
  ],
  [
    'a gradient',
    Object.fromEntries(grad(loss(), [table, input('gain', f32(width))]).map((g, at) => [`g${at}`, g])),
  ],
])('%s', async (_, outputs) => {
  const device = await openDevice({ id: 'cpu', threads: 4 });
  const program = await device.compile({ name: 'repeat', outputs });
  const own = Object.fromEntries(Object.entries(feeds).filter(([name]) => name in program.inputs));
  const first = await program.run(own);
  for (let again = 0; again < 12; again++) expect(await program.run(own)).toEqual(first);
});

it('scattering rows in blocks adds all of them', async () => {
  const device = await openDevice({ id: 'cpu', threads: 4 });
  const y = scatterRows(ids, updates, words);
  const results = await (
    await device.compile({ name: 'scatter', outputs: { y } })
  ).run({ ids: feeds.ids, updates: feeds.updates });
  expect(worstError(results.y as Float32Array, evaluate([y], feeds)[0].data)).toBeLessThan(1e-4);
});

it('large products with a bias, and sums of many rows, have the right values', async () => {
  const device = await openDevice({ id: 'cpu', threads: 4 });
  const [a, b, held] = [input('a', f32(1024, 32)), input('b', f32(32, 96)), input('held', f32(1024, 96))];
  const product = matmul(a, b);
  const outputs = {
    biased: add(product, input('row', f32(96))),
    accumulated: add(matmul(a, b, { alpha: 2 }), held),
    columns: sum(product, 0),
    kept: sum(held, 0, true),
    two: sum(reshape(held, [8, 128, 96]), [0, 1]),
    middle: sum(reshape(held, [8, 128, 96]), 1),
  };
  const given = {
    a: randomFloats(6, [1024, 32]),
    b: randomFloats(7, [32, 96]),
    held: randomFloats(8, [1024, 96]),
    row: randomFloats(9, [96]),
  };
  const results = await (await device.compile({ name: 'sums', outputs })).run(given);
  for (const [name, y] of Object.entries(outputs))
    expect(worstError(results[name] as Float32Array, evaluate([y], given)[0].data), name).toBeLessThan(1e-4);
});
