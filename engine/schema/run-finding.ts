/** Findings of the run doctor: what it observed in a run, what it expected, and settings that would help. */
import * as z from 'zod';
import { real } from './real.ts';

/** A number of a finding, and its text with unit. */
export const Quantity = z.strictObject({
  /** The measured quantity. */
  name: z.string(),
  /** NaN where the expectation is no number. */
  value: real,
  text: z.string(),
});
export type Quantity = z.infer<typeof Quantity>;

/** Settings for a copy of the run. */
export const RunRemedy = z.strictObject({
  title: z.string(),
  changes: z.array(z.strictObject({ path: z.array(z.string()).min(1), value: z.unknown() })).min(1),
});
export type RunRemedy = z.infer<typeof RunRemedy>;

export const severities = ['severe', 'warning'] as const;
export type Severity = (typeof severities)[number];

export const RunFinding = z.strictObject({
  /** Id of the rule. */
  rule: z.string(),
  title: z.string(),
  severity: z.enum(severities),
  /** The event and why it matters, in a sentence or two. */
  text: z.string(),
  observed: Quantity,
  expected: Quantity,
  /** Step at which it began, and the last one observed. */
  step: z.number(),
  lastStep: z.number(),
  /** The metric whose curve shows it; null if it is in answers or evaluations alone. */
  metric: z.string().nullable(),
  /** The answers behind it: of a purpose, at a step, to a prompt; null for findings about updates. */
  answers: z
    .strictObject({
      purpose: z.enum(['train', 'evaluation']),
      step: z.number().nullable(),
      promptId: z.string().nullable(),
    })
    .nullable(),
  /** The paper or equation behind the expectation; empty without one. */
  source: z.string(),
  remedies: z.array(RunRemedy).min(1),
});
export type RunFinding = z.infer<typeof RunFinding>;

/** Findings of a run that were not dismissed, by severity, for lists; `worst`: the first of the most severe. */
export const FindingCounts = z.strictObject({
  severe: z.number(),
  warning: z.number(),
  worst: z.strictObject({ rule: z.string(), text: z.string() }).nullable(),
});
export type FindingCounts = z.infer<typeof FindingCounts>;
