/**
 * One step of GRPO in this checkout and in another one, an earlier commit say: shows what a change costs runs that do
 * not use it. The sides take turns, and the first of a turn alternates.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median, processor, rounded, say } from './figures.ts';
import { openOurs, openTheirs, type Side } from './side.ts';
import { sizes, type Config } from './sizes.ts';

export interface AgainstOptions {
  readonly config: Config;
  /** Root of the other checkout, with its packages installed. */
  readonly other: string;
  readonly threads: number;
  readonly pairs: number;
}
export interface AgainstFigures {
  readonly seconds: number;
  readonly otherSeconds: number;
  /** Our time ÷ the other's: of the medians, and the median of the turns' ratios. */
  readonly ratio: number;
  readonly ratioOfTurns: number;
}

/** Measures steps in turns; the first of each side compiles and does not count. */
export const measureAgainst = async (options: AgainstOptions): Promise<AgainstFigures> => {
  const { config, threads, pairs } = options;
  const script = join(resolve(options.other), 'tests', 'bench', 'ours', 'rl-side.ts');
  if (!existsSync(script)) throw new Error(`${options.other} is no checkout with this benchmark.`);
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  const sides: Side[] = [];
  const seconds: [number[], number[]] = [[], []];
  try {
    sides.push(openOurs('rl-side', threads), openTheirs(script, threads));
    for (const [at, side] of sides.entries())
      await side.ask('open', { size: sizes[config], threads, parameters: join(folder, `parameters-${at}`) });
    for (let pair = 0; pair <= pairs; pair++) {
      for (const at of pair % 2 === 0 ? [0, 1] : [1, 0]) {
        const step = await sides[at].ask<{ readonly seconds: number }>('step');
        if (pair > 0) seconds[at].push(step.seconds);
      }
      if (pair > 0)
        say(
          `${config} ${pair}/${pairs}: ${seconds.map((of) => `${of[pair - 1].toFixed(2)} s`).join(' against ')}`,
        );
    }
  } finally {
    for (const side of sides) await side.close();
    await rm(folder, { recursive: true, force: true });
  }
  const [ours, theirs] = seconds;
  const figures = {
    seconds: rounded(median(ours)),
    otherSeconds: rounded(median(theirs)),
    ratio: rounded(median(ours) / median(theirs), 3),
    ratioOfTurns: rounded(median(ours.map((own, at) => own / theirs[at])), 3),
  };
  say(
    `${processor()}, ${threads} threads; ${config}: ${figures.seconds} s a step against ${figures.otherSeconds} s, ` +
      `ratio ${figures.ratio} (median of the turns ${figures.ratioOfTurns})`,
  );
  return figures;
};
