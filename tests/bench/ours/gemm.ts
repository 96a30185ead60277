/** The matrix products of a training step alone, through the engine's own compiler. */
import { openDevice, type Device, type Feeds, type Program } from '../../../engine/runtime/index.ts';
import {
  concat,
  input,
  matmul,
  reshape,
  sizeOf,
  slice,
  sum,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { median } from '../figures.ts';
import { flopOf, type Product } from '../sizes.ts';
import { serve } from './serve.ts';

/** Work per run, which makes its fixed cost negligible. */
const FLOP_A_RUN = 1e9;
const MOST_REPEATS = 16;
/** Runs for the median; one more before them warms up caches and threads. */
const RUNS = 3;

interface Measured {
  readonly program: Program;
  readonly feeds: Feeds;
  readonly repeats: number;
}

const float32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });

/**
 * Several equal products with different left operands. One row of each is read, so that none is eliminated
 * and little is returned.
 */
const compile = async (device: Device, product: Product): Promise<Measured> => {
  const { m, k, n, batch, transposeA, transposeB } = product;
  const repeats = Math.max(
    1,
    Math.min(MOST_REPEATS, Math.round(FLOP_A_RUN / flopOf({ ...product, count: 1 }))),
  );
  const shaped = (rows: number, columns: number) => (batch === 1 ? [rows, columns] : [batch, rows, columns]);
  const b = input('b', float32(...(transposeB ? shaped(n, k) : shaped(k, n))));
  const as = Array.from({ length: repeats }, (_, at) =>
    input(`a${at}`, float32(...(transposeA ? shaped(k, m) : shaped(m, k)))),
  );
  const first = (y: Expr) => reshape(sum(slice(y, 0, 0, 1)), [1]);
  const outputs = {
    y: concat(
      as.map((a) => first(matmul(a, b, { transposeA, transposeB }))),
      0,
    ),
  };
  const feeds = Object.fromEntries(
    [b, ...as].map(({ type }, at) => [
      at === 0 ? 'b' : `a${at - 1}`,
      new Float32Array(sizeOf(type.shape)).fill(0.5),
    ]),
  );
  return { program: await device.compile({ name: 'products', outputs }), feeds, repeats };
};

const measured: Measured[] = [];

await serve({
  open: async ({ products, threads }: { products: Product[]; threads: number }) => {
    const device = await openDevice({ id: 'cpu', threads });
    for (const product of products) {
      const made = await compile(device, product);
      await made.program.run(made.feeds);
      measured.push(made);
    }
  },
  /** Milliseconds of one product of each shape, in order. */
  measure: async () => {
    const times: number[] = [];
    for (const { program, feeds, repeats } of measured) {
      const runs: number[] = [];
      for (let run = 0; run <= RUNS; run++) {
        const start = performance.now();
        await program.run(feeds);
        if (run > 0) runs.push(performance.now() - start);
      }
      times.push(median(runs) / repeats);
    }
    return times;
  },
});
