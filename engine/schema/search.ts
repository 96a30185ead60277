/** The curve of a test-time search; fields are only ever added, as optional ones. */
import * as z from 'zod';
import { Interval } from './evaluation.ts';
import { real } from './real.ts';

/** Accuracy at one budget. */
export const SearchPoint = z.strictObject({
  /** Answers per problem that the strategy picks from. */
  n: real,
  /** Sampled tokens per problem, those of dropped answers included. */
  tokens: real,
  accuracy: real,
  /** 95 %, over problems. */
  interval: Interval,
  /** Accuracy minus that of the majority vote of as many answers, paired by problem. */
  gain: z.strictObject({ difference: real, interval: Interval }).nullable(),
  /** KL to the policy in nats, of best-of-n by a continuous score; null where it is not known. */
  kl: real.nullable(),
});
export type SearchPoint = z.infer<typeof SearchPoint>;

/** A rule, by one scorer if it has several lines, with its points by rising budget. */
export const SearchStrategy = z.strictObject({
  id: z.string(),
  title: z.string(),
  scorer: z.string().nullable(),
  points: z.array(SearchPoint),
});
export type SearchStrategy = z.infer<typeof SearchStrategy>;

/** Accuracy over sampled tokens, one line per strategy. */
export const SearchCurve = z.strictObject({
  step: real,
  problems: real,
  /** Answers per problem. */
  samples: real,
  /** Share of the answers in which none can be read: they do not vote. */
  unread: real,
  strategies: z.array(SearchStrategy),
});
export type SearchCurve = z.infer<typeof SearchCurve>;
