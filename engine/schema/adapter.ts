import * as z from 'zod';

/** A low-rank adapter in a run's specification. */
export const LoraSpec = z.strictObject({
  kind: z.literal('lora'),
  rank: z.int().min(1).max(1024).default(8).describe('Rank of the matrices added to each layer.'),
  alpha: z
    .number()
    .positive()
    .max(65_536)
    .default(16)
    .describe('Strength: the addition is scaled by alpha ÷ rank.'),
  targets: z
    .array(z.string().min(1))
    .min(1)
    .default(['all-linear'])
    .describe('Layers by the end of their names (c_attn, q_proj …), or all-linear.'),
  rsLora: z
    .boolean()
    .default(false)
    .describe('Scale by alpha ÷ √rank, so that high ranks learn as fast as low ones.'),
  base: z
    .enum(['float32', 'int8', 'int4', 'nf4'])
    .default('float32')
    .describe(
      'Quantization of the frozen matrices (QLoRA): none, or 8 or 4 bits. int4 is the fastest of ' +
        'the small ones, nf4 more accurate and slower. CPU only.',
    ),
});
export type LoraSpec = z.infer<typeof LoraSpec>;
/** Quantization of the frozen base model. */
export type BaseFormat = LoraSpec['base'];

/** Selects the trained part of the model. */
export const AdapterSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }).describe('The whole model is trained.'),
  LoraSpec.describe('The model is frozen; low-rank matrices added to its layers are trained (LoRA).'),
]);
export type AdapterSpec = z.infer<typeof AdapterSpec>;
