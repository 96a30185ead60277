import { z } from 'zod';
import { errorKinds } from '../common/errors.ts';

// what came out may be anything, NaN included
const number = z.custom<number>((value) => typeof value === 'number', 'must be a number');

/** A number that must come out, beside what came out on a device. */
export const SelfTestRow = z.strictObject({
  id: z.string(),
  /** In words: what is computed. */
  title: z.string(),
  /** What the number is a property of: recipes run on the device, a world's own counting, a statistic. */
  owner: z.enum(['kernel', 'world', 'statistic']),
  expected: z.array(number),
  got: z.array(number),
  tolerance: number,
  ok: z.boolean(),
  /** Why nothing came out. */
  error: z
    .strictObject({
      kind: z.enum(errorKinds),
      message: z.string(),
      where: z.string().optional(),
      hint: z.string().optional(),
    })
    .nullable(),
});
export type SelfTestRow = z.infer<typeof SelfTestRow>;

/** Rows that are done since the last word, and how far the whole has come. */
export const SelfTestProgress = z.strictObject({
  rows: z.array(SelfTestRow),
  done: z.number(),
  total: z.number(),
});
export type SelfTestProgress = z.infer<typeof SelfTestProgress>;
