import * as z from 'zod';
import { errorKinds } from '../common/errors.ts';

// the result may be anything, NaN included
const number = z.custom<number>((value) => typeof value === 'number', 'must be a number');

/** A known number, and the result on a device. */
export const SelfTestRow = z.strictObject({
  id: z.string(),
  /** Description of the computation. */
  title: z.string(),
  /** Owner of the property: recipes run on the device, a world's own counting, a statistic. */
  owner: z.enum(['kernel', 'world', 'statistic']),
  expected: z.array(number),
  got: z.array(number),
  tolerance: number,
  ok: z.boolean(),
  /** Why there is no result. */
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

/** Rows finished since the last report, and total progress. */
export const SelfTestProgress = z.strictObject({
  rows: z.array(SelfTestRow),
  done: z.number(),
  total: z.number(),
});
export type SelfTestProgress = z.infer<typeof SelfTestProgress>;
