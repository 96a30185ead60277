/** What an atlas of methods and worlds shows: recipes as their stations, worlds with their levels. */
import { z } from 'zod';

/** Where a part of a recipe stands, by what it reads and adds. `rows`: rows that another role has made. */
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
  /** Models and buffers of rows that it asks, by name. */
  asks: names,
});
export type RecipePart = z.infer<typeof RecipePart>;

export const RecipeFacts = z.strictObject({
  roles: z.array(
    z.strictObject({
      name: z.string(),
      parts: z.array(RecipePart),
      /** What it learns by, as weighted terms; empty where it is frozen, or fitted at once. */
      terms: z.array(z.strictObject({ id: z.string(), weight: z.number() })),
      /** Updates from one batch of rows; whether each batch is learned from the start anew. */
      epochs: z.number(),
      restarts: z.boolean(),
      /** Roles whose models or rows it asks. */
      readsFrom: names,
    }),
  ),
  /** Who takes turns, in this order; `rounds` is null where it goes on until the budget is spent. */
  schedule: z.array(
    z.strictObject({ rounds: z.number().nullable(), turns: z.record(z.string(), z.number()) }),
  ),
});
export type RecipeFacts = z.infer<typeof RecipeFacts>;

/**
 * The toy run of a method: what it must reach, and what it came to when it was last recorded (seeds 1, 2, 3).
 */
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
  /**
   * Levels that are trained on, and those that are asked at evaluation alone; empty where it has no such
   * choice.
   */
  levels: z.array(z.number()),
  heldoutLevels: z.array(z.number()),
  /** Reward of a right answer: what a solver without fault gets. */
  ceiling: z.number(),
  /** Most turns of an answer; null where there is one. */
  turns: z.number().nullable(),
  maxPromptTokens: z.number(),
  maxTokens: z.number(),
  /** Whether it has preference pairs of its own, and whether training and evaluation share no prompt. */
  hasPairs: z.boolean(),
  disjoint: z.boolean(),
});
export type WorldFacts = z.infer<typeof WorldFacts>;

/** An answer as who wrote what. */
export const Said = z.array(z.strictObject({ by: z.enum(['model', 'world']), text: z.string() }));
export type Said = z.infer<typeof Said>;

/** What a verifier says of an answer. */
export const Verdict = z.strictObject({ correct: z.boolean(), reward: z.number(), reason: z.string() });
export type Verdict = z.infer<typeof Verdict>;

/** A problem of a world, and demonstrations of how its problems are answered. */
export const WorldSample = z.strictObject({
  problem: z.strictObject({ prompt: z.string(), reference: z.string(), level: z.number() }),
  demonstrations: z.array(
    z.strictObject({ kind: z.string(), prompt: z.string(), said: Said, verdict: Verdict }),
  ),
});
export type WorldSample = z.infer<typeof WorldSample>;
