import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { word } from './tango.ts';

export const martParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  threshold: z.number().default(0.5).describe('Reward from which a reply, or an attack, is imitated.'),
  maxPerPrompt: range.answers
    .default(4)
    .describe('Most replies, or attacks, that are imitated of one prompt.'),
  kept: z.int().min(1).max(100_000).default(256).describe('Newest successful attacks that the policy meets.'),
  shown: z.int().min(0).max(16).default(2).describe('Successful attacks that the attacker is shown.'),
  cue: word.default('|').describe('Stands behind each text that the attacker is shown.'),
  mark: z
    .string()
    .max(20)
    .default('')
    .describe('The attack stands behind the last of these; empty: all that the attacker writes.'),
  ending: z.string().max(20).default(':').describe('Stands behind an attack when the policy reads it.'),
});
