/** Published systems of post-training, with the evidence of what this version carries of each. */
import * as z from 'zod';

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
});
export type SystemFacts = z.infer<typeof SystemFacts>;

/** Systems that lack the same part. */
export const SystemCluster = z.strictObject({ id: z.int(), title: z.string(), needs: z.string() });
export type SystemCluster = z.infer<typeof SystemCluster>;
