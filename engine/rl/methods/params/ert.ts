import * as z from 'zod';
import { writerStyles } from '../../parts/index.ts';

export const ertParams = z.strictObject({
  groupSize: z.int().min(1).max(256).default(2).describe('Answers to each instruction.'),
  instructions: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('Instructions of a set, all for one task; a batch has so many for each of its tasks.'),
  sets: z
    .int()
    .min(1)
    .max(64)
    .default(5)
    .describe('Sets that are written for a task, of which the most diverse one is kept.'),
  style: z
    .enum(writerStyles)
    .default('challenge')
    .describe(
      'What the writer is asked for: the task’s own words, a plain rephrasing with one change, or a challenge.',
    ),
  follow: z
    .number()
    .min(0)
    .max(1)
    .default(0.8)
    .describe('Share of the instructions that follow one at which the policy failed in an earlier round.'),
});
