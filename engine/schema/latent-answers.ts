/** Answers of a policy that reads a direction with each: do similar directions give similar answers? */
import * as z from 'zod';
import { MantelTest } from './coverage.ts';
import { real } from './real.ts';

export const LatentAnswers = z.strictObject({
  /** The first problems. */
  prompts: z.array(z.string()),
  /** All of their answers, in the order of the prompts. */
  answers: z.array(
    z.strictObject({
      /** Place of its prompt. */
      prompt: real,
      /** Number of its text among the different ones of its prompt, in the order of their first answers. */
      text: real,
      correct: z.boolean(),
      gold: real,
      latent: z.array(real),
      /** Its place in the plane of the two leading principal components of these latents. */
      at: z.tuple([real, real]),
    }),
  ),
  /** The different texts of each prompt's answers, long ones cut: [prompt][text]. */
  texts: z.array(z.array(z.string())),
  /** Share of the latents' variance along each axis of the plane. */
  explained: z.tuple([real, real]),
  /** Within a prompt, do similar latents give the same text? Null where all answers are alike or different. */
  alike: MantelTest.nullable(),
  /** Within a prompt, do similar latents earn similar rewards? Null where all earn the same. */
  rewards: MantelTest.nullable(),
});
export type LatentAnswers = z.infer<typeof LatentAnswers>;
