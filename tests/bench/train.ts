/**
 * Time and memory of a training step, against PyTorch's in the same run, and against the step's own matrix
 * products alone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, processor, rounded, say } from './figures.ts';
import { Products } from './products.ts';
import { openOurs, openPeer, peerMissing, type Side } from './side.ts';
import { flopOf, optimizer, productsOf, sizes, type Config } from './sizes.ts';
import type { Opened } from './ours/train.ts';

export interface TrainOptions {
  readonly config: Config;
  readonly vs: 'torch' | 'torch-compile';
  readonly threads: number;
  /** Turns of each side. */
  readonly pairs: number;
}

export interface TrainFigures {
  readonly config: Config;
  readonly vs: 'torch' | 'torch-compile' | null;
  readonly oursMs: number;
  readonly peerMs: number | null;
  /** Our time ÷ the peer's. */
  readonly ratio: number | null;
  /** Step ÷ (FLOP of its products ÷ our own rate of them). */
  readonly overLimit: number;
  /** GFLOP/s of the step's products alone. */
  readonly oursGemm: number;
  readonly peerGemm: number | null;
  readonly oursPeakMb: number | null;
  readonly peerPeakMb: number | null;
  readonly pairs: number;
}

/** Steps of one side's turn: about a second and a half of them, whose median is the turn's result. */
const stepsATurn = (stepMs: number): number => Math.max(1, Math.min(30, Math.round(1500 / stepMs)));
const WARM_UP = 3;
/**
 * Both sides start from the same numbers, so these may differ only by rounding; a norm is a long sum in
 * float32.
 */
const same = { parameters: 0, loss: 1e-4, gradNorm: 1e-2 } as const;

interface Party {
  readonly steps: Side;
  readonly opened: Opened;
  readonly stepMs: number;
  readonly ms: number[];
  readonly products: Products;
}

/** Measures one model; without the peer if its modules are missing. */
export const measureTraining = async ({
  config,
  vs,
  threads,
  pairs,
}: TrainOptions): Promise<TrainFigures> => {
  const missing = peerMissing('torch');
  if (missing !== undefined) say(`The comparison was skipped: ${missing}`);
  const size = sizes[config];
  const products = productsOf(size);
  const flop = products.reduce((sum, product) => sum + flopOf(product), 0);
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  const files = { parameters: join(folder, 'parameters'), tokens: join(folder, 'tokens') };
  const sides: Side[] = [];
  const enter = async (open: typeof openOurs, script: string, more: object): Promise<Party> => {
    const [steps, alone] = [open(script, threads), open('gemm', threads)];
    sides.push(steps, alone);
    const opened = await steps.ask<Opened>('open', { size, threads, files, ...more });
    const { times } = await steps.ask<{ times: number[] }>('steps', { count: WARM_UP });
    return {
      steps,
      opened,
      stepMs: Math.min(...times),
      ms: [],
      products: await Products.open(alone, products, threads),
    };
  };
  try {
    const ours = await enter(openOurs, 'train-side', {});
    const peer =
      missing === undefined
        ? await enter(openPeer, 'train', { compiled: vs === 'torch-compile', optimizer })
        : undefined;
    if (peer) sameStart(ours.opened, peer.opened);
    const parties = peer ? [ours, peer] : [ours];
    for (let pair = 0; pair < pairs; pair++) {
      for (const party of parties) await turn(party);
      for (const party of parties) await party.products.turn();
      const summaries = parties.map(({ ms, products: alone }) => {
        return `${ms[pair].toFixed(1)} ms (products alone ${alone.lastMs.toFixed(1)})`;
      });
      say(`${config} ${pair + 1}/${pairs}: ${summaries.join(' against ')}`);
    }
    const oursMs = median(ours.ms);
    const peerMs = peer && median(peer.ms);
    const figures: TrainFigures = {
      config,
      vs: peer ? vs : null,
      oursMs: rounded(oursMs),
      peerMs: peerMs === undefined ? null : rounded(peerMs),
      ratio: peerMs === undefined ? null : rounded(oursMs / peerMs, 3),
      overLimit: rounded(oursMs / ours.products.ms, 3),
      oursGemm: ours.products.rate,
      peerGemm: peer ? peer.products.rate : null,
      oursPeakMb: await peakOf(ours),
      peerPeakMb: peer ? await peakOf(peer) : null,
      pairs,
    };
    report(figures, { ours: ours.opened, threads, flop });
    return figures;
  } finally {
    for (const side of sides) await side.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const turn = async ({ steps, opened, stepMs, ms }: Party): Promise<void> => {
  const { times, loss } = await steps.ask<{ times: number[]; loss: number }>('steps', {
    count: stepsATurn(stepMs),
  });
  if (!Number.isFinite(loss) || Math.abs(loss - opened.loss) > opened.loss)
    throw new Error(`A loss of ${loss} after one of ${opened.loss} is no training.`);
  ms.push(median(times));
};

const sameStart = (ours: Opened, peer: Opened): void => {
  for (const [name, tolerance] of Object.entries(same) as [keyof typeof same, number][]) {
    if (Math.abs(ours[name] - peer[name]) > tolerance * Math.abs(peer[name]))
      throw new Error(
        `The sides do not compute the same: ${name} is ${ours[name]} here and ${peer[name]} there.`,
      );
  }
};

const peakOf = async ({ steps }: Party): Promise<number | null> => {
  const peak = await steps.ask<number | null>('peakMb');
  return peak === null ? null : rounded(peak);
};

const report = (
  { config, vs, oursMs, peerMs, ratio, overLimit, oursGemm, peerGemm, oursPeakMb, peerPeakMb }: TrainFigures,
  { ours, threads, flop }: { ours: Opened; threads: number; flop: number },
): void => {
  say(`${processor()}, ${threads} threads`);
  say(
    `${config}: ${(ours.parameters / 1e6).toFixed(2)} M parameters, ${(flop / 1e9).toFixed(1)} GFLOP of ` +
      `products a step; first step with compiling ${ours.compileMs.toFixed(0)} ms`,
  );
  say(
    `  ours ${oursMs} ms a step, ${overLimit} × its products alone (${oursGemm} GFLOP/s); peak memory ${oursPeakMb} MB`,
  );
  if (vs)
    say(`  ${vs} ${peerMs} ms a step (${peerGemm} GFLOP/s); peak memory ${peerPeakMb} MB; ratio ${ratio}`);
};
