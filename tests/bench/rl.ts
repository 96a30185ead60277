/**
 * One step of GRPO from prompts to updated parameters, against a PyTorch script of the same step or TRL's
 * trainer.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, processor, rounded, say } from './figures.ts';
import { measureRate } from './products.ts';
import { openOurs, openPeer, peerMissing, type Side } from './side.ts';
import {
  answerTokens,
  grpoSettings,
  optimizer,
  productsOf,
  promptTokens,
  sizes,
  type Config,
} from './sizes.ts';

export interface RlOptions {
  readonly config: Config;
  readonly vs: 'torch' | 'trl';
  readonly threads: number;
  readonly pairs: number;
}
type Breakdown = Readonly<Record<string, number>>;
export interface RlFigures {
  readonly oursSeconds: number;
  readonly peerSeconds: number | null;
  /** The peer's time ÷ ours. */
  readonly ratio: number | null;
  /** Our seconds by phase. */
  readonly breakdown: Breakdown;
  readonly peerBreakdown: Breakdown | null;
}

interface Step {
  readonly seconds: number;
  readonly breakdown: Breakdown;
  readonly tokens: number;
  readonly reward: number;
}

/** Each peer's imports, and its script. */
const peers = {
  torch: { modules: ['torch'], script: 'rl' },
  trl: { modules: ['torch', 'transformers', 'trl'], script: 'rl_trl' },
} as const;

/** Measures whole steps in turns; the first of each side compiles and does not count. */
export const measureRl = async ({ config, vs, threads, pairs }: RlOptions): Promise<RlFigures> => {
  const { modules, script } = peers[vs];
  const missing = peerMissing(...modules);
  if (missing !== undefined) say(`The comparison was skipped: ${missing}`);
  const size = sizes[config];
  const { prompts, attempts } = grpoSettings(size);
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  const sides: Side[] = [];
  const steps: Step[][] = [];
  const shape = { prompt: promptTokens(size), answer: answerTokens(size), prompts, attempts };
  try {
    sides.push(openOurs('rl-side', threads));
    if (missing === undefined) sides.push(openPeer(script, threads));
    const parameters = join(folder, 'parameters');
    for (const [at, side] of sides.entries())
      await side.ask('open', {
        size,
        threads,
        parameters,
        ...(at > 0 && { ...shape, optimizer, rowsAtOnce: ROWS_AT_ONCE, folder }),
      });
    for (let pair = 0; pair <= pairs; pair++) {
      for (const [at, side] of sides.entries()) {
        const step = await side.ask<Step>('step');
        if (step.tokens !== prompts * attempts * shape.answer)
          throw new Error(
            `A step of ${step.tokens} tokens is not ${prompts} × ${attempts} × ${shape.answer}.`,
          );
        if (pair > 0) (steps[at] ??= []).push(step);
      }
      if (pair > 0)
        say(
          `${config} ${pair}/${pairs}: ${steps.map((of) => `${of[pair - 1].seconds.toFixed(2)} s`).join(' against ')}`,
        );
    }
  } finally {
    for (const side of sides) await side.close();
    await rm(folder, { recursive: true, force: true });
  }
  const [ours, peer] = steps.map((of) => ({
    seconds: rounded(median(of.map(({ seconds }) => seconds))),
    breakdown: medians(of.map(({ breakdown }) => breakdown)),
  }));
  const figures: RlFigures = {
    oursSeconds: ours.seconds,
    peerSeconds: peer?.seconds ?? null,
    ratio: peer ? rounded(peer.seconds / ours.seconds, 3) : null,
    breakdown: ours.breakdown,
    peerBreakdown: peer?.breakdown ?? null,
  };
  const gemm = await measureRate(
    productsOf({ ...size, context: shape.prompt + shape.answer, batch: ROWS_AT_ONCE }),
    { threads, peer: missing === undefined },
  );
  say(
    `${processor()}, ${threads} threads; ${config}: ${prompts} prompts of ${shape.prompt} tokens × ` +
      `${attempts} answers of ${shape.answer}; products of the update alone ${gemm.join(' and ')} GFLOP/s`,
  );
  say(`  ours ${ours.seconds} s a step (${shown(ours.breakdown)})`);
  if (peer) say(`  ${vs} ${peer.seconds} s a step (${shown(peer.breakdown)}), ratio ${figures.ratio}`);
  return figures;
};

/** Rows of one forward and backward pass of the peer: the fastest of those tried (README.md). */
const ROWS_AT_ONCE = 32;

const medians = (breakdowns: readonly Breakdown[]): Breakdown =>
  Object.fromEntries(
    Object.keys(breakdowns[0]).map((phase) => [
      phase,
      rounded(median(breakdowns.map((each) => each[phase])), 3),
    ]),
  );

const shown = (breakdown: Breakdown): string =>
  Object.entries(breakdown)
    .map(([phase, seconds]) => `${phase} ${seconds}`)
    .join(', ');
