import * as z from 'zod';
import { Message } from './conversation.ts';

/** A person's verdict on a pair: `a` and `b` are the stored answers, not the sides on screen. */
export const Verdict = z.enum(['a', 'b', 'tie', 'both-bad', 'skip']);
export type Verdict = z.infer<typeof Verdict>;

/** The side of a run's data on which a row is by a split of its dataset, instead of the held-out share. */
const Side = z.enum(['train', 'heldout']);

/** Columns of a dataset's right rows with the weight and the soft label of their pairs, both shares. */
export const pairColumns = { weight: 'pair weight', agreement: 'pair agreement' } as const;

/** A labeled pair for the engine (one JSON object per line). */
export const Preference = z.strictObject({
  pairId: z.string(),
  promptId: z.string(),
  prompt: z.string(),
  a: z.string(),
  b: z.string(),
  verdict: Verdict,
  /** Correctness of each answer; null if unknown. */
  correctA: z.boolean().nullable(),
  correctB: z.boolean().nullable(),
  split: Side.optional(),
  /**
   * Probability that the verdict is right, by the reliability of those who labeled; absent if unknown, as
   * with a single labeler.
   */
  weight: z.number().min(0).max(1).optional(),
  /** Probability that the preferred answer is the better one, a soft label; absent if the verdict is certain. */
  agreement: z.number().min(0).max(1).optional(),
  /** How much better the preferred answer is: 1 slightly, 2 plainly (if absent), 3 much. */
  strength: z.int().min(1).max(3).optional(),
});
export type Preference = z.infer<typeof Preference>;

/**
 * A demonstration for the engine (one JSON object per line): a prompt and an answer, or with `messages` the
 * conversation they summarize.
 */
export const Demonstration = z.strictObject({
  promptId: z.string(),
  prompt: z.string(),
  answer: z.string(),
  reference: z.string().nullable(),
  correct: z.boolean().nullable(),
  messages: z.array(Message).min(1).optional(),
  /** Marks of the answer's lines, of answers whose steps are marked; null for lines that are not judged. */
  steps: z.array(z.boolean().nullable()).optional(),
  /** File and line of a conversation, for messages. */
  where: z.string().optional(),
  split: Side.optional(),
});
export type Demonstration = z.infer<typeof Demonstration>;
