import { WhetstoneError } from '../common/errors.ts';
import type { PolicyEvaluation } from '../schema/evaluation.ts';
import { clusteredRateInterval, clustersOf } from './intervals.ts';
import { whole } from './inputs.ts';
import { mean } from './moments.ts';
import { passAtK } from './sampling.ts';

/** One sampled answer to a held-out problem. */
export interface AnswerOutcome {
  readonly correct: boolean;
  /** Its text, by which right answers are told apart. */
  readonly text?: string;
  /** The verifier's reward. */
  readonly gold: number;
  /** The run's own reward, if different. */
  readonly proxy: number | null;
  /** Tokens, the end token included. */
  readonly tokens: number;
  /** It did not end within the limit. */
  readonly truncated: boolean;
  /**
   * log π(answer) − log π_initial(answer), of the whole answer, in nats; null if the initial policy has
   * random weights, to which a distance means nothing.
   */
  readonly logRatio: number | null;
}

/** The sampled answers and the greedy one for a held-out problem. */
export interface ProblemOutcome {
  readonly promptId: string;
  readonly answers: readonly AnswerOutcome[];
  readonly greedyCorrect: boolean;
  /** Difficulty, if the task states it. */
  readonly level?: number;
}

/**
 * Measures of one policy. Every problem has the same number of answers. pass@k is unbiased and averaged over
 * problems; the interval of pass@1 resamples prompts (a repeated prompt is one prompt); KL is k1 averaged
 * over answers. `proxy` and KL are null unless every answer has one.
 */
export const evaluatePolicy = ({
  step,
  problems,
  seed = 0,
}: {
  readonly step: number;
  readonly problems: readonly ProblemOutcome[];
  readonly seed?: number;
}): PolicyEvaluation => {
  const samples = problems[0]?.answers.length ?? 0;
  if (samples === 0)
    throw new WhetstoneError('invalid-input', 'An evaluation needs at least one problem with one answer.');
  const uneven = problems.find(({ answers }) => answers.length !== samples);
  if (uneven)
    throw new WhetstoneError(
      'invalid-input',
      `Every problem needs ${samples} answers; ${uneven.promptId} has ${uneven.answers.length}.`,
    );
  const answers = problems.flatMap((problem) => problem.answers);
  const right = problems.map((problem) => problem.answers.filter(({ correct }) => correct).length);
  const rates = right.map((n) => n / samples);
  const byLevel = levelsOf(
    problems.map(({ level }) => level),
    rates,
  );
  return {
    step,
    problems: problems.length,
    samples,
    passAt1: mean(rates),
    passAt1Interval: clusteredRateInterval(
      clustersOf(
        problems.map(({ promptId }) => promptId),
        rates,
      ),
      { seed },
    ),
    passAtK: ksUpTo(samples).map((k) => ({ k, value: mean(right.map((n) => passAtK(samples, n, k))) })),
    ...(answers.every(({ text }) => text !== undefined) && {
      distinctRight: mean(problems.map(distinctRight)),
    }),
    greedy: mean(problems.map(({ greedyCorrect }) => Number(greedyCorrect))),
    kl: meanOfAll(answers.map(({ logRatio }) => logRatio)),
    meanLength: mean(answers.map(({ tokens }) => tokens)),
    truncated: mean(answers.map((answer) => Number(answer.truncated))),
    gold: mean(answers.map(({ gold }) => gold)),
    proxy: meanOfAll(answers.map(({ proxy }) => proxy)),
    ...(byLevel.length > 1 && { byLevel }),
  };
};

const distinctRight = ({ answers }: ProblemOutcome): number =>
  new Set(answers.filter(({ correct }) => correct).map(({ text }) => text)).size;

const levelsOf = (
  levels: readonly (number | undefined)[],
  rates: readonly number[],
): NonNullable<PolicyEvaluation['byLevel']> =>
  [...new Set(levels)]
    .filter((level) => level !== undefined)
    .sort((a, b) => a - b)
    .map((level) => {
      const own = rates.filter((_, p) => levels[p] === level);
      return { level, problems: own.length, passAt1: mean(own) };
    });

const meanOfAll = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? mean(known) : null;
};

/** The powers of two below `samples`, and `samples` itself. */
export const ksUpTo = (samples: number): number[] => {
  whole(samples, 'number of answers', 1);
  const ks: number[] = [];
  for (let k = 1; k < samples; k *= 2) ks.push(k);
  return [...ks, samples];
};
