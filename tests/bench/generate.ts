/** Sampled tokens per second, beside a PyTorch loop that samples answers of the same lengths. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerLengths } from './answers.ts';
import { median, processor, rounded, say } from './figures.ts';
import { measureRate } from './products.ts';
import { openOurs, openPeer, peerMissing, type Side } from './side.ts';
import { decodingProductsOf, promptTokens, sizes, type Config, type Size } from './sizes.ts';

export interface GenerateOptions { readonly config: Config; readonly batches: readonly number[]; readonly threads: number; readonly pairs: number }
/** Tokens per second; `ratio` is ours ÷ the peer's. */
export interface GenerateFigures { readonly batch: number; readonly ours: number; readonly peer: number | null; readonly ratio: number | null }

/** Batches of one turn: few rows say little about the lengths. */
const batchesATurn = (batch: number): number => Math.max(1, Math.round(8 / batch));

/** Measures each batch size in turn; every pair of turns has its own lengths, the same for both sides. */
export const measureGeneration = async ({ config, batches, threads, pairs }: GenerateOptions): Promise<GenerateFigures[]> => {
  const missing = peerMissing('torch');
  if (missing !== undefined) say(`The comparison was skipped: ${missing}`);
  const size = sizes[config], folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  const sides = [openOurs('generate-side', threads), ...(missing === undefined ? [openPeer('generate', threads)] : [])];
  try {
    const parameters = join(folder, 'parameters');
    for (const [at, side] of sides.entries()) await side.ask('open', { size, threads, parameters, ...(at > 0 && { rows: Math.max(...batches), prompt: promptTokens(size) }) });
    say(`${processor()}, ${threads} threads; ${config}, prompts of ${promptTokens(size)} tokens, answers of ${size.context / 8} to ${(3 * size.context) / 4}, uniform`);
    const figures: GenerateFigures[] = [];
    for (const batch of batches) figures.push(await measureBatch({ sides, size, batch, pairs, threads }));
    return figures;
  } finally {
    for (const side of sides) await side.close();
    await rm(folder, { recursive: true, force: true });
  }
};

interface BatchPlan { readonly sides: readonly Side[]; readonly size: Size; readonly batch: number; readonly pairs: number; readonly threads: number }

const measureBatch = async ({ sides, size, batch, pairs, threads }: BatchPlan): Promise<GenerateFigures> => {
  const rates: number[][] = sides.map(() => []);
  // the first pair compiles and is not counted
  for (let pair = 0; pair <= pairs; pair++) {
    for (const [at, side] of sides.entries()) {
      let [ms, tokens] = [0, 0];
      for (let round = 0; round < batchesATurn(batch); round++) {
        const seed = pair * 1000 + round, lengths = answerLengths(size, batch, seed);
        ms += await side.ask<number>('generate', { lengths, seed });
        tokens += lengths.reduce((sum, length) => sum + length, 0);
      }
      if (pair > 0) rates[at].push((1000 * tokens) / ms);
    }
  }
  const [ours, peer] = rates.map((values) => rounded(median(values)));
  const figures = { batch, ours, peer: peer ?? null, ratio: peer === undefined ? null : rounded(ours / peer, 3) };
  const gemm = await measureRate(decodingProductsOf(size, batch), { threads, peer: peer !== undefined });
  say(`  ${batch} rows: ours ${ours} tokens/s${peer === undefined ? '' : `, torch ${peer}, ratio ${figures.ratio}`}; products of a token alone ${gemm.join(' and ')} GFLOP/s`);
  return figures;
};
