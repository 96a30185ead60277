import type { Device } from '../../../runtime/index.ts';
import type { AnswerRow, Likelihood } from '../../../rewards/index.ts';
import type { RowValues, ValuePlace, ValueRow, ValueSource } from '../../../schema/row-values.ts';
import { openLikelihood, openTextScorer } from '../../evaluation/model-scorers.ts';
import { CodeValues } from '../../../rewards/code-values.ts';
import { openReward, scoredValues, unreadable } from './rewards.ts';

/** Sampled answers to prompts, in the order of the prompts, `samples` of each. */
export type Sample = (
  place: ValuePlace,
  prompts: readonly string[],
  options: Extract<ValueSource, { by: 'pass-rate' | 'spread' }>,
) => Promise<readonly { readonly completion: string }[]>;

/** Computes the values of rows, some at a time; `step` hears how many are done. */
export type RowValuer = (rows: readonly ValueRow[], step: (done: number) => void) => Promise<RowValues>;

/**
 * Opens a source of values. Throws the errors of opening its model or reward, `invalid-input` for code that
 * cannot be compiled.
 */
export async function openRowValues(device: Device, source: ValueSource, sample: Sample): Promise<RowValuer> {
  switch (source.by) {
    case 'code': {
      const code = new CodeValues(source);
      return (rows, step) => code.values(rows, step);
    }
    case 'reward': {
      const { scorer, needsReference } = await openReward(device, source.reward);
      const refuse = ({ reference }: AnswerRow): string | null =>
        needsReference && (reference ?? null) === null ? 'The row has no reference.' : null;
      return (rows, step) => scoredValues(rows, (batch) => scorer.score(batch), refuse, step);
    }
    case 'model': {
      const model = await openTextScorer(device, source.place.folder, source.place.base);
      return (rows, step) => scoredValues(rows, (batch) => model.score(batch), unreadable(model), step);
    }
    case 'perplexity': {
      const policy = await openLikelihood(device, source.place.folder, source.place.base);
      return (rows, step) =>
        scoredValues(rows, (batch) => perplexities(policy, batch), unreadable(policy), step);
    }
    default:
      return await openStatistic(device, source, sample);
  }
}

/** exp(−log p ⁄ tokens) of each answer after its prompt, end token included. */
async function perplexities(policy: Likelihood, rows: readonly AnswerRow[]): Promise<Float64Array> {
  const logp = await policy.score(rows);
  return logp.map((sum, r) => {
    const { prompt } = rows[r];
    const tokensOf = (completion: string) => policy.room?.({ prompt, completion }).tokens ?? Number.NaN;
    // without an answer there is the end token alone
    return Math.exp(-sum / (tokensOf(rows[r].completion) - tokensOf('') + 1));
  });
}

/** A statistic of the rewards of sampled answers; rows with the same prompt and reference have the same. */
async function openStatistic(
  device: Device,
  source: Extract<ValueSource, { by: 'pass-rate' | 'spread' }>,
  sample: Sample,
): Promise<RowValuer> {
  const { scorer, needsReference } = await openReward(device, source.reward);
  const refuse = ({ reference }: AnswerRow): string | null =>
    needsReference && (reference ?? null) === null ? 'The row has no reference.' : null;
  const statistic = source.by === 'pass-rate' ? passRate : deviation;
  return (rows, step) =>
    scoredValues(
      rows,
      async (batch) => {
        const prompts = batch.map(({ prompt }) => prompt);
        const answers = await sample(source.place, prompts, source);
        const sampled = answers.map(({ completion }, at): AnswerRow => ({
          ...batch[Math.floor(at / source.samples)],
          completion,
          tokens: completion.length + 1,
        }));
        const scores = await scorer.score(sampled);
        return Float64Array.from(batch, (_, r) =>
          statistic(scores.subarray(r * source.samples, (r + 1) * source.samples)),
        );
      },
      refuse,
      step,
    );
}

/** Share of the rewards that reach 1, as those of verifiers do. */
const passRate = (scores: Float64Array): number =>
  scores.filter((score) => score >= 1).length / scores.length;

/** Sample standard deviation; 0 of a single reward. */
const deviation = (scores: Float64Array): number => {
  if (scores.length < 2) return 0;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (scores.length - 1));
};
