/** A reward model on many sequences of mixed length: the share of padding, and the speed. */
import { processor, rounded, say } from './figures.ts';
import { openOurs } from './side.ts';
import { sizes, type Config } from './sizes.ts';

export interface ScoreFigures {
  readonly config: Config;
  readonly sequences: number;
  readonly tokens: number;
  /** Real tokens ÷ tokens computed. */
  readonly realShare: number;
  readonly sequencesPerSecond: number;
  readonly tokensPerSecond: number;
  /** The first pass, which compiles every shape, and the second. */
  readonly firstSeconds: number;
  readonly seconds: number;
}

export const measureScoring = async ({
  config,
  threads,
  sequences,
}: {
  readonly config: Config;
  readonly threads: number;
  readonly sequences: number;
}): Promise<ScoreFigures> => {
  const side = openOurs('score-side', threads);
  try {
    const { tokens, computed, firstSeconds, seconds } = await side.ask<{
      tokens: number;
      computed: number;
      firstSeconds: number;
      seconds: number;
    }>('score', { size: sizes[config], threads, sequences });
    const figures: ScoreFigures = {
      config,
      sequences,
      tokens,
      realShare: rounded(tokens / computed),
      sequencesPerSecond: rounded(sequences / seconds),
      tokensPerSecond: rounded(tokens / seconds),
      firstSeconds: rounded(firstSeconds),
      seconds: rounded(seconds),
    };
    say(
      `${processor()}, ${threads} threads; ${config}: ${sequences} sequences of ${tokens} tokens, ` +
        `${(100 * figures.realShare).toFixed(1)} % of the tokens computed are real`,
    );
    say(
      `  ${figures.seconds} s, ${figures.sequencesPerSecond} sequences/s, ${figures.tokensPerSecond} ` +
        `tokens/s; the first pass, with compiling, ${figures.firstSeconds} s`,
    );
    return figures;
  } finally {
    await side.close();
  }
};
