import * as z from 'zod';
import { range } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

export const crtParams = ppoParams.omit({ gamma: true, whiten: true }).extend({
  bleu: range.weight.default(1).describe('Cost of n-grams that earlier attacks have: times self-BLEU.'),
  cosine: range.weight.default(1).describe('Cost of meaning what earlier attacks mean: times their cosine.'),
  archive: z.int().min(1).max(10_000).default(500).describe('Newest attacks that n-grams are compared with.'),
  mark: z
    .string()
    .max(20)
    .default('')
    .describe('The target sees what stands behind the last of these; empty: the whole attack.'),
  ending: z.string().max(20).default('').describe('Stands behind an attack when the target reads it.'),
});
