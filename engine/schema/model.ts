import * as z from 'zod';
import { usual } from '../common/suggested.ts';

/** The tokenizer. A trained one is stored with its checkpoint and is never trained twice. */
export const TokenizerSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('characters') }).describe('One token for each character of the task.'),
  z.strictObject({ kind: z.literal('bytes') }).describe('One token for each byte of UTF-8.'),
  z
    .strictObject({ kind: z.literal('bpe'), vocabulary: z.int().min(300).max(65_536).default(1024) })
    .describe('Byte pairs, trained on the run’s own texts.'),
]);
export type TokenizerSpec = z.infer<typeof TokenizerSpec>;

/** Shape of a decoder-only transformer; the vocabulary comes from the tokenizer. */
export const Architecture = z
  .strictObject({
    family: z.enum(['gpt2']).default('gpt2').describe('Block layout.'),
    width: z.int().min(8).max(8192).default(64).describe('Size of the residual stream (d_model).'),
    layers: z.int().min(1).max(128).default(3).describe('Transformer blocks.'),
    heads: z.int().min(1).max(128).default(4).describe('Attention heads; must divide the width.'),
    context: z.int().min(8).max(32_768).default(usual.context).describe('Longest sequence, in tokens.'),
  })
  .refine((a) => a.width % a.heads === 0, { message: 'heads must divide width', path: ['heads'] });
export type Architecture = z.infer<typeof Architecture>;

/**
 * Prompt format: the plain text, or a user's message in the model's chat template; `auto`: the template if
 * there is one.
 */
export const PutPrompts = z.enum(['auto', 'plain', 'chat']);
export type PutPrompts = z.infer<typeof PutPrompts>;

/** Source of a model's parameters. */
export const ModelSource = z.discriminatedUnion('kind', [
  z
    .strictObject({ kind: z.literal('new'), architecture: Architecture, tokenizer: TokenizerSpec })
    .describe('Random weights.'),
  z
    .strictObject({
      kind: z.literal('checkpoint'),
      checkpointId: z.string().min(1),
      average: z
        .array(
          z
            .strictObject({ checkpointId: z.string().min(1), weight: z.number().min(0).max(1) })
            .describe('A checkpoint of the same shape, and its share.'),
        )
        .min(1)
        .max(16)
        .optional()
        .describe(
          'Checkpoints that are averaged into it, weight by weight: each with its share, the rest is its own.',
        ),
    })
    .describe('A checkpoint of this workspace.'),
  z
    .strictObject({
      kind: z.literal('model'),
      modelId: z.string().min(1),
      prompts: PutPrompts.default('auto').describe(
        'Prompt format: plain text, the model’s chat template, or the template if there is one.',
      ),
    })
    .describe('A model that was added to this workspace.'),
  z
    .strictObject({
      kind: z.literal('network'),
      hidden: z
        .array(z.int().min(1).max(1024))
        .min(1)
        .max(8)
        .default([64, 64])
        .describe('Widths of its hidden layers.'),
      activation: z.enum(['tanh', 'relu']).default('tanh').describe('Function between the layers.'),
    })
    .describe('A small network on the numbers of a control world, with random weights.'),
]);
export type ModelSource = z.infer<typeof ModelSource>;

/**
 * The outputs of a network. `choices`: logits of actions, and a critic's value of the state. `values`:
 * values of actions, so that it needs no other value. `numbers`: means and log deviations of the numbers of
 * an action, and two critics' values of state and action. `valued-numbers`: the same, and a value of
 * the state. `latent`: logits given a random direction that the network reads, and values of earned
 * rewards and of bonuses. `novelty`: the same without a direction, and predictions of a random network.
 * `noisy`: logits by weights with noise that the network reads, and a value.
 */
export const networkOutputs = [
  'choices',
  'values',
  'numbers',
  'valued-numbers',
  'latent',
  'novelty',
  'noisy',
] as const;
export type NetworkOutputs = (typeof networkOutputs)[number];

/** True where an action is numbers. */
export const actsByNumbers = (outputs: NetworkOutputs | undefined): boolean =>
  outputs === 'numbers' || outputs === 'valued-numbers';

/**
 * Numbers that a network reads after each observation, drawn for a whole episode: a direction, uniform on the
 * unit sphere, or noise of weights, sgn(x) · √|x| of standard normals x (Fortunato et al., arXiv:1706.10295,
 * eq. 10).
 */
export interface Latent {
  readonly kind: 'sphere' | 'noise';
  /** Numbers of it. */
  readonly size: number;
}

/**
 * A direction, uniform on the unit sphere of `size` dimensions, that is drawn for each answer of a model on
 * text. Through a linear map of its own the model reads it as vectors, added to the embeddings of its first
 * `vectors` tokens; 0 vectors: it is drawn, and not read.
 */
export const SoftPrompt = z.strictObject({ size: z.int().min(1).max(256), vectors: z.int().min(0).max(64) });
export type SoftPrompt = z.infer<typeof SoftPrompt>;
