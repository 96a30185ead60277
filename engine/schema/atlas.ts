/** Data of the catalogue of methods and worlds: recipes as their stations, worlds with their levels. */
import * as z from 'zod';

/** Place of a part in a recipe, by what it reads and adds. `rows`: rows made by another role. */
export const Station = z.enum([
  'start',
  'rows',
  'context',
  'sampler',
  'scorers',
  'reference',
  'credit',
  'selection',
  'objective',
]);
export type Station = z.infer<typeof Station>;

const names = z.array(z.string());
export const RecipePart = z.strictObject({
  station: Station,
  id: z.string(),
  reads: names,
  adds: names,
  /** Models and buffers that it reads, by name. */
  inputs: names,
});
export type RecipePart = z.infer<typeof RecipePart>;

export const RecipeFacts = z.strictObject({
  roles: z.array(
    z.strictObject({
      name: z.string(),
      parts: z.array(RecipePart),
      /** Its objective as weighted terms; empty if it is frozen, or fitted in closed form. */
      terms: z.array(z.strictObject({ id: z.string(), weight: z.number() })),
      /** Updates per batch of rows; whether training restarts from the initial model for each batch. */
      epochs: z.number(),
      restarts: z.boolean(),
      /** Roles whose models or rows it reads. */
      readsFrom: names,
    }),
  ),
  /** Phases in order; `rounds` is null if the phase lasts until the budget is spent. */
  schedule: z.array(
    z.strictObject({ rounds: z.number().nullable(), turns: z.record(z.string(), z.number()) }),
  ),
});
export type RecipeFacts = z.infer<typeof RecipeFacts>;

/** The toy run of a method: its bound, and the last recorded results (seeds 1, 2, 3). */
export const ToyFacts = z.strictObject({
  world: z.string(),
  metric: z.string(),
  atLeast: z.number().nullable(),
  atMost: z.number().nullable(),
  result: z.strictObject({ values: z.array(z.number()), seconds: z.number(), ok: z.boolean() }).nullable(),
});
export type ToyFacts = z.infer<typeof ToyFacts>;

/** A world with its defaults. */
export const WorldFacts = z.strictObject({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  /** Training levels, and levels used only in evaluation; empty if it has no such choice. */
  levels: z.array(z.number()),
  heldoutLevels: z.array(z.number()),
  /** Reward of a right answer, which a perfect solver gets. */
  ceiling: z.number(),
  /** Maximum number of turns; null for a single answer. */
  turns: z.number().nullable(),
  maxPromptTokens: z.number(),
  maxTokens: z.number(),
  /** True if it has preference pairs, and whether training and evaluation share no prompt. */
  hasPairs: z.boolean(),
  disjoint: z.boolean(),
});
export type WorldFacts = z.infer<typeof WorldFacts>;

/** An answer split by author. */
export const Transcript = z.array(z.strictObject({ by: z.enum(['model', 'world']), text: z.string() }));
export type Transcript = z.infer<typeof Transcript>;

/** A verifier's verdict on an answer. */
export const Verdict = z.strictObject({ correct: z.boolean(), reward: z.number(), reason: z.string() });
export type Verdict = z.infer<typeof Verdict>;

/** A problem of a world, and demonstrations of its answers. */
export const WorldSample = z.strictObject({
  problem: z.strictObject({ prompt: z.string(), reference: z.string(), level: z.number() }),
  demonstrations: z.array(
    z.strictObject({ kind: z.string(), prompt: z.string(), transcript: Transcript, verdict: Verdict }),
  ),
});
export type WorldSample = z.infer<typeof WorldSample>;
