/** Published systems of post-training, with the evidence of what this version carries of each. */
import * as z from 'zod';
import { real } from './real.ts';

/** The place of a system in this product's scope. */
export const SystemClass = z
  .enum(['core', 'adaptable', 'env', 'out', 'survey'])
  .describe(
    'Post-training itself; adaptable to text; needs control worlds; of another field; a survey or a position.',
  );
export type SystemClass = z.infer<typeof SystemClass>;

export const SystemStatus = z
  .enum(['works', 'expressible', 'none', 'n/a'])
  .describe(
    'Carried by a named part that a test holds; approached by a specification or a plan; not carried; nothing to carry.',
  );
export type SystemStatus = z.infer<typeof SystemStatus>;

/** A part that carries a system; `preset` is one of the method. */
export const SystemPart = z.strictObject({
  kind: z.enum([
    'method',
    'preset',
    'reward',
    'controller',
    'operator',
    'plan',
    'world',
    'agent',
    'rule',
    'probe',
    'file',
  ]),
  id: z.string(),
});
export type SystemPart = z.infer<typeof SystemPart>;

/** A claim of a system's paper, as far as it could be measured here. */
export const MeasuredClaim = z.strictObject({
  claim: z.string(),
  /** The baseline, in words. */
  baseline: z.string(),
  /** The number that is compared, and the side on which the claim says that the difference is. */
  measure: z.string(),
  better: z.enum(['lower', 'higher']),
  /** Mean of system − baseline on the same seed, and its bootstrap interval over the seeds (95 %). */
  effect: real,
  interval: z.tuple([real, real]),
  /** Both with the digits in which they are published: `+.331 [.302, .361]`. */
  figures: z.string(),
  holds: z
    .enum(['yes', 'no', 'opposite'])
    .describe('The whole interval is on the claimed side; it is not; it is on the other side.'),
});
export type MeasuredClaim = z.infer<typeof MeasuredClaim>;

/** Measured claims of one experiment, with equal budgets on both sides of each. */
export const MeasuredExperiment = z.strictObject({
  /** Sets it apart from a system's other experiments: `in language`; null for the only or the first one. */
  setting: z.string().nullable(),
  seeds: z.int(),
  budget: z.string(),
  /** Repeats the measurement. */
  command: z.string(),
  claims: z.array(MeasuredClaim),
});
export type MeasuredExperiment = z.infer<typeof MeasuredExperiment>;

export const SystemFacts = z.strictObject({
  id: z.string(),
  name: z.string(),
  paper: z.string(),
  class: SystemClass,
  cluster: z.int().nullable(),
  about: z.string(),
  status: SystemStatus,
  /** Works: the parts and the test. Expressible: the difference to the paper. Otherwise the reason. */
  evidence: z.string(),
  /** Empty unless it works. */
  parts: z.array(SystemPart),
  /** The test that holds them; null unless it works. */
  test: z.string().nullable(),
  /** A run that shows it, ready to be launched; null if there is none. */
  spec: z.record(z.string(), z.unknown()).nullable(),
  /** The plan that shows it, of those that ship with Whetstone; null if there is none. */
  plan: z.string().nullable(),
  /** Its experiments; empty for a system of which nothing was measured. */
  measured: z.array(MeasuredExperiment),
});
export type SystemFacts = z.infer<typeof SystemFacts>;

/** Systems that lack the same part. */
export const SystemCluster = z.strictObject({ id: z.int(), title: z.string(), needs: z.string() });
export type SystemCluster = z.infer<typeof SystemCluster>;
