/** Truncation, guidance, steering and grammars of sampling, off where absent. */
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
    .enum(['mix', 'add', 'cap'])
    .default('mix')
    .describe(
      'Log-probabilities mixed, (1 − weight) · guide + weight · own; or added, own + weight · guide; or the ' +
        'guide (method dead-end) caps each token’s probability by that of an end that can still be good.',
    ),
  weight: z
    .number()
    .min(-100)
    .max(100)
    .default(1)
    .describe(
      'Mixed: 1 is the own model alone, above 1 goes beyond it. Added, and the power of caps: 0 is the own ' +
        'model alone.',
    ),
} as const;

/**
 * A second model g beside the sampled one π, before the temperature: `mix` draws from g^(1 − w) · π^w (RL
 * guidance, after arXiv:2508.21016), `add` from π · g^w (an autoregressive reward model with w = 1 ⁄ β,
 * arXiv:2410.08193; with w < 0 contrastive decoding, arXiv:2210.15097), `cap` from min(π, σ(−q)^w), q the logits
 * of a guide that knows dead ends (arXiv:2302.14003), all normalized token by token.
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

const push = {
  layer: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('The direction is added to the hidden states after this layer, counted from 0.'),
  strength: z
    .number()
    .min(-1000)
    .max(1000)
    .default(1)
    .describe('Multiple of the direction that is added; 0 adds nothing, below 0 steers the other way.'),
  byLine: z
    .array(z.number().min(-1000).max(1000))
    .max(1000)
    .optional()
    .describe('Factors of the strength on the lines of an answer; the last one holds for all later lines.'),
} as const;

const steeringTexts = z
  .array(z.strictObject({ prompt: z.string().max(200_000), answer: z.string().min(1).max(200_000) }))
  .min(1)
  .max(1000);

const noSteering = z.strictObject({ kind: z.literal('none') }).describe('Hidden states are left alone.');
const byTexts = z
  .strictObject({
    kind: z.literal('texts'),
    ...push,
    toward: steeringTexts.describe('Prompts with answers of the kind that is wanted.'),
    away: steeringTexts.describe('Prompts with answers of the other kind.'),
  })
  .describe('From some answers to others that are given here.');

/**
 * A direction in the hidden states of the policy's start, added while answers are sampled: the mean hidden
 * state of some answers minus that of others, over the places from which their tokens are drawn.
 */
export const SteeringSpec = z.discriminatedUnion('kind', [
  noSteering,
  byTexts,
  z
    .strictObject({
      kind: z.literal('answers'),
      ...push,
      contrast: z
        .enum(['short', 'high'])
        .default('short')
        .describe(
          'short: from the longest right answer to the shortest of each problem, over the places that both ' +
            'have (efficiency steering, arXiv:2506.15647); high: from the answers that the scorer values below their problem’s mean to ' +
            'those above it.',
        ),
      scorer: z
        .string()
        .min(1)
        .default('verifier')
        .describe('The reward of the run that values the answers; 1 means right.'),
      problems: z.int().min(1).max(10_000).default(64).describe('Training problems that are answered.'),
      samples: z.int().min(2).max(256).default(8).describe('Answers to each of them.'),
    })
    .describe('From and to answers that the policy writes itself as the run opens.'),
]);
export type SteeringSpec = z.infer<typeof SteeringSpec>;

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
export const DecodingSpec = z.strictObject({
  ...samplingFilters,
  grammar: GrammarSpec.optional(),
  steering: z.discriminatedUnion('kind', [noSteering, byTexts]).optional(),
});
export type DecodingSpec = z.infer<typeof DecodingSpec>;
