import { z } from 'zod';
import { Message } from './conversation.ts';

/**
 * What a person can decide about a pair: `a` and `b` are the stored answers, not the sides they were shown
 * on.
 */
export const Verdict = z.enum(['a', 'b', 'tie', 'both-bad', 'skip']);
export type Verdict = z.infer<typeof Verdict>;

/** A labeled pair as the engine reads it (one JSON object a line). */
export const Preference = z.strictObject({
  pairId: z.string(),
  promptId: z.string(),
  prompt: z.string(),
  a: z.string(),
  b: z.string(),
  verdict: Verdict,
  /** Whether each answer is known to be right; null where nothing can tell. */
  correctA: z.boolean().nullable(),
  correctB: z.boolean().nullable(),
});
export type Preference = z.infer<typeof Preference>;

/**
 * A demonstration as the engine reads it (one JSON object a line): a prompt and an answer, or with `messages`
 * a conversation that they stand for.
 */
export const Demonstration = z.strictObject({
  promptId: z.string(),
  prompt: z.string(),
  answer: z.string(),
  reference: z.string().nullable(),
  correct: z.boolean().nullable(),
  messages: z.array(Message).min(1).optional(),
  /** File and line that a conversation came from, for messages. */
  where: z.string().optional(),
});
export type Demonstration = z.infer<typeof Demonstration>;
