/** Sampled tokens per second, against a PyTorch loop that samples answers of the same lengths. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerLengths } from './answers.ts';
import { median, processor, rounded, say } from './figures.ts';
import { measureRate } from './products.ts';
import { openOurs, openPeer, peerMissing, type Side } from './side.ts';
import { decodingProductsOf, promptTokens, sizes, type Config, type Size } from './sizes.ts';

export interface GenerateOptions {
  readonly config: Config;
  readonly batches: readonly number[];
  readonly threads: number;
  readonly pairs: number;
}
/** Tokens per second; `ratio` is ours ÷ the peer's. */
export interface GenerateFigures {
  readonly batch: number;
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
}

/**
 * Batches per turn: a few rows have varying lengths, and the first batch after the other side's turn finds
 * cold caches and sleeping threads (16 rows: 6,700 tokens/s alone, 8,200 as one of four).
 */
const batchesATurn = (batch: number): number => Math.max(4, Math.round(32 / batch));

/** Measures each batch size in turn; every pair of turns has its own lengths, the same for both sides. */
export const measureGeneration = async ({
  config,
  batches,
  threads,
  pairs,
}: GenerateOptions): Promise<GenerateFigures[]> => {
  const missing = peerMissing('torch');
  if (missing !== undefined) say(`The comparison was skipped: ${missing}`);
  const size = sizes[config];
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  const sides = [
    openOurs('generate-side', threads),
    ...(missing === undefined ? [openPeer('generate', threads)] : []),
  ];
  try {
    const parameters = join(folder, 'parameters');
    for (const [at, side] of sides.entries())
      await side.ask('open', {
        size,
        threads,
        parameters,
        ...(at > 0 && { rows: Math.max(...batches), prompt: promptTokens(size) }),
      });
    say(
      `${processor()}, ${threads} threads; ${config}, prompts of ${promptTokens(size)} tokens, answers of ` +
        `${size.context / 8} to ${(3 * size.context) / 4}, uniform`,
    );
    const figures: GenerateFigures[] = [];
    for (const batch of batches) figures.push(await measureBatch({ sides, size, batch, pairs, threads }));
    return figures;
  } finally {
    for (const side of sides) await side.close();
    await rm(folder, { recursive: true, force: true });
  }
};

interface BatchPlan {
  readonly sides: readonly Side[];
  readonly size: Size;
  readonly batch: number;
  readonly pairs: number;
  readonly threads: number;
}

/** Lower bounds measured besides the answers: the necessary products, with attention and without. */
const parts = [{ attention: true }, { attention: false }];

const measureBatch = async ({ sides, size, batch, pairs, threads }: BatchPlan): Promise<GenerateFigures> => {
  const [ours, peer] = sides;
  const rates: number[][] = [...sides, ...parts].map(() => []);
  const turn = async (
    pair: number,
    ms: (work: { lengths: number[]; seed: number }) => Promise<number>,
    into: number[],
  ) => {
    let [took, tokens] = [0, 0];
    for (let round = 0; round < batchesATurn(batch); round++) {
      const seed = pair * 1000 + round;
      const lengths = answerLengths(size, batch, seed);
      took += await ms({ lengths, seed });
      tokens += lengths.reduce((sum, length) => sum + length, 0);
    }
    if (pair > 0) into.push((1000 * tokens) / took);
  };
  // the first pair compiles and does not count
  for (let pair = 0; pair <= pairs; pair++) {
    for (const [at, side] of sides.entries())
      await turn(pair, (work) => side.ask<number>('generate', work), rates[at]);
    for (const [at, part] of parts.entries())
      await turn(
        pair,
        ({ lengths }) => ours.ask<number>('bare', { lengths, ...part }),
        rates[sides.length + at],
      );
  }
  const medians = rates.map((values) => rounded(median(values)));
  const theirs = peer ? medians[1] : undefined;
  const [withAttention, alone] = medians.slice(-2);
  const ratio = (rate: number) => (theirs === undefined ? null : rounded(rate / theirs, 3));
  const figures = { batch, ours: medians[0], peer: theirs ?? null, ratio: ratio(medians[0]) };
  const gemm = await measureRate(decodingProductsOf(size, batch), { threads, peer: theirs !== undefined });
  say(
    `  ${batch} rows: ours ${figures.ours} ` +
      `tokens/s${theirs === undefined ? '' : `, torch ${theirs}, ratio ${figures.ratio}`}; products of a ` +
      `token alone ${gemm.join(' and ')} GFLOP/s`,
  );
  say(
    `    with all else free: ours at most ${withAttention} tokens/s (ratio ` +
      `${ratio(withAttention) ?? 'unknown'}) for products and attention, ${alone} ` +
      `(${ratio(alone) ?? 'unknown'}) for products alone`,
  );
  return figures;
};
