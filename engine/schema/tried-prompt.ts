import * as z from 'zod';
import { Verdict } from './atlas.ts';
import { real } from './real.ts';

/** A sampled answer with the probability of each of its tokens. */
export const TriedPrompt = z.strictObject({
  /** Tokens of the prompt as it was put, special tokens and template included. */
  promptTokens: real,
  /**
   * `text` is what the token adds to the answer: empty where a character is not complete yet. `logp` is
   * natural, under the sampling temperature (1 where greedy). A world's reply is one entry.
   */
  tokens: z.array(
    z.strictObject({ by: z.enum(['model', 'world']), text: z.string(), logp: real, ends: z.boolean() }),
  ),
  /** The verdict of the world's verifier, where a world was named. */
  verdict: Verdict.nullable(),
  stopReason: z.enum(['end', 'length']),
  /** Time of sampling alone, without loading the model. */
  seconds: real,
});
export type TriedPrompt = z.infer<typeof TriedPrompt>;
