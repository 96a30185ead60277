/** Reports of suites: public benchmarks of judges, or one's own gold set. The layout of their JSON files. */
import * as z from 'zod';
import { Interval } from './evaluation.ts';
import { real } from './real.ts';

export const suiteKinds = ['rewardbench', 'rewardbench-2', 'gold', 'processbench'] as const;
export const SuiteKind = z.enum(suiteKinds);
export type SuiteKind = z.infer<typeof SuiteKind>;

const rate = { score: real.nullable(), interval: Interval.nullable() };

/** One item with the scores of its answers, or of its steps. */
export const SuiteResult = z.strictObject({
  id: z.string(),
  subset: z.string(),
  /** Scores in the order of the file: right answers first. Null for an answer that exceeds the context. */
  scores: z.array(real.nullable()),
  /** Credit of the item, 0 to 1; null if an answer was not scored, or if only the subset has a score. */
  credit: real.nullable(),
  /** ProcessBench: the solution, and the index of its first wrong step, −1 without one. Earlier versions have none. */
  stepwise: z.strictObject({ prompt: z.string(), steps: z.array(z.string()), label: real }).optional(),
});
export type SuiteResult = z.infer<typeof SuiteResult>;

export const SuiteReport = z.strictObject({
  format: z.literal('whetstone-suite-1'),
  suite: SuiteKind,
  /** Name of the file, and the hash of its contents. */
  file: z.string(),
  fileHash: z.string(),
  /**
   * The dataset or label set of the workspace that the items are from, in a state; `file` is then its name, `fileHash`
   * that of the pairs. Left out: ties and skipped labels; rows without a right or a wrong answer to their prompt.
   */
  data: z
    .strictObject({
      kind: z.enum(['dataset', 'label-set']),
      id: z.string(),
      state: z.string(),
      ties: real,
      skipped: real,
      unpaired: real,
    })
    .optional(),
  /** Name of the judge, and the hash of its files. */
  judge: z.strictObject({ name: z.string(), hash: z.string() }),
  /** UTC epoch milliseconds. */
  at: real,
  /** Items of the file, and those left out because the judge cannot read an answer. */
  items: real,
  unread: real,
  /** The score of the suite, with its 95 % interval; null if a section of it is missing. */
  ...rate,
  /** Averages of subsets, as the suite publishes them. */
  sections: z.array(z.strictObject({ name: z.string(), subsets: z.array(z.string()), ...rate })),
  /** `n`: scored items. `weight`: of the subset in its section. */
  subsets: z.array(z.strictObject({ name: z.string(), n: real, weight: real, ...rate })),
  /** ProcessBench: which step scores count as errors, and accuracies on both kinds of answers. */
  steps: z
    .strictObject({
      by: z.enum(['head', 'prefix']),
      /** A step with a score below it counts as an error. */
      threshold: real,
      /** `chosen` by the user, or `fitted` on the first half of each subset, which is then left out. */
      thresholdBy: z.enum(['chosen', 'fitted']),
      fittedOn: real,
      erroneous: z.strictObject({ n: real, accuracy: real.nullable() }),
      correct: z.strictObject({ n: real, accuracy: real.nullable() }),
    })
    .nullable(),
  results: z.array(SuiteResult),
});
export type SuiteReport = z.infer<typeof SuiteReport>;

/** A report without its items. */
export const SuiteSummary = SuiteReport.omit({ results: true });
export type SuiteSummary = z.infer<typeof SuiteSummary>;
