/**
 * How to read the output of a model that judges answers: the meaning of its head's numbers, and their
 * combination. Saved with its checkpoint.
 */
import * as z from 'zod';

export const combinations = ['first', 'last', 'mean', 'min', 'product', 'majority', 'lower-bound'] as const;

const how = z.enum(combinations);
const caution = z.number().min(0).default(1);

export const JudgeOutput = z.discriminatedUnion('kind', [
  /** The head's scores of the whole answer, one per label, without a defined scale. */
  z.strictObject({
    kind: z.literal('scores'),
    how: how.default('first'),
    caution,
    /** A text in front of every prompt, such as a principle, unless whoever asks gives another. */
    condition: z.string().optional(),
  }),
  /** The probability that the answer is right: σ of the head's score. */
  z.strictObject({ kind: z.literal('probability'), how: how.default('first'), caution }),
  /** The probability of each worked line to be right: σ of the head's number at the line's last token. */
  z.strictObject({ kind: z.literal('steps'), how, caution }),
  /** The probability of one verdict against another that the model writes after the answer. */
  z.strictObject({
    kind: z.literal('verdict'),
    right: z.string().min(1),
    wrong: z.string().min(1),
    how: how.default('first'),
    caution,
  }),
  /** The probability of a good end: 1 − σ of the last token's logit, end token included. */
  z.strictObject({ kind: z.literal('dead-end'), how: how.default('first'), caution }),
  /**
   * Votes of `samples` judgements that the model writes after the answer, of at most `tokens` tokens each: 1
   * for one that ends with `right`, 0 with `wrong`, ½ with neither.
   */
  z.strictObject({
    kind: z.literal('sampled'),
    right: z.string().min(1),
    wrong: z.string().min(1),
    samples: z.int().min(1),
    tokens: z.int().min(1),
    how: how.default('mean'),
    caution,
  }),
  /**
   * A score that depends on a latent of the user, inferred from the part of a prompt up to the last
   * `separator`: the head has a common score, means or factors, and log-variances.
   */
  z.strictObject({
    kind: z.literal('latent'),
    separator: z.string().min(1),
    latents: z.int().min(1),
    how: how.default('first'),
    caution,
  }),
]);
export type JudgeOutput = z.output<typeof JudgeOutput>;
/** True for a judge that writes its verdict, with a next-token head. */
export const isWritten = ({ kind }: JudgeOutput): boolean =>
  ['verdict', 'sampled', 'dead-end'].includes(kind);
export const plainScores: JudgeOutput = { kind: 'scores', how: 'first', caution: 1 };
