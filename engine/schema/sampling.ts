/** Truncation, guidance and grammars of sampling, off where absent. */
import * as z from 'zod';

/** Which tokens may be drawn; absent fields drop none. */
export const samplingFilters = {
  topK: z.int().min(1).max(1_000_000).optional().describe('Draw from the so many likeliest tokens only.'),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe('Draw from the fewest likeliest tokens whose probabilities sum to this.'),
  minP: z
    .number()
    .min(0)
    .lt(1)
    .optional()
    .describe('Draw from tokens with at least this share of the largest probability.'),
} as const;

const strength = {
  how: z
    .enum(['mix', 'add'])
    .default('mix')
    .describe(
      'Log-probabilities mixed, (1 − weight) · guide + weight · own; or added, own + weight · guide.',
    ),
  weight: z
    .number()
    .min(-100)
    .max(100)
    .default(1)
    .describe('Mixed: 1 is the own model alone, above 1 goes beyond it. Added: 0 is the own model alone.'),
} as const;

/**
 * A second model g beside the sampled one π, before the temperature: `mix` draws from g^(1 − w) · π^w (RL
 * guidance, after arXiv:2508.21016), `add` from π · g^w (an autoregressive reward model with w = 1 ⁄ β,
 * arXiv:2410.08193; with w < 0 contrastive decoding, arXiv:2210.15097), normalized token by token.
 */
export const GuidanceSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }).describe('No second model.'),
  z.strictObject({ kind: z.literal('initial'), ...strength }).describe('The run’s own model at its start.'),
  z
    .strictObject({ kind: z.literal('checkpoint'), checkpointId: z.string().min(1), ...strength })
    .describe('A checkpoint of this workspace, with the same tokenizer.'),
  z
    .strictObject({ kind: z.literal('model'), modelId: z.string().min(1), ...strength })
    .describe('A model that was added to this workspace, with the same tokenizer.'),
]);
export type GuidanceSpec = z.infer<typeof GuidanceSpec>;

export const GrammarSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }).describe('Answers are free.'),
  z
    .strictObject({
      kind: z.literal('pattern'),
      pattern: z.string().min(1).max(4000).describe('A regular expression of whole answers.'),
    })
    .describe('Every answer matches a regular expression.'),
  z
    .strictObject({
      kind: z.literal('json-schema'),
      schema: z.record(z.string(), z.unknown()).describe('Types, properties, items, lengths, enum, anyOf.'),
    })
    .describe('Every answer is compact JSON that fits a schema.'),
]);
export type GrammarSpec = z.infer<typeof GrammarSpec>;

/** Options of sampling outside a run. */
export const DecodingSpec = z.strictObject({ ...samplingFilters, grammar: GrammarSpec.optional() });
export type DecodingSpec = z.infer<typeof DecodingSpec>;
