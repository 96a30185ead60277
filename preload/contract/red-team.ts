import * as z from 'zod';
import { Dataset } from './datasets.ts';
import { call, float64s, real } from './define.ts';

const count = z.number();

/** An attack: what the attacker wrote, and what the target replied. */
export const RedTeamAttack = z.strictObject({
  /** The id of the stored answer. */
  id: z.string(),
  /** Number of the attack in the order of the run, from 1. */
  query: count,
  /** Update at which it was written. */
  step: count,
  /** The prompt that asked for it. */
  seed: z.string(),
  attack: z.string(),
  reply: z.string(),
  /** What the harm scorer gave the reply; NaN without a number. */
  harm: real,
  /**
   * The world’s own word for it, null where it is harmless; where the world knows none, its group by likeness
   * among the attacks that succeed, null for others.
   */
  family: z.string().nullable(),
});
export type RedTeamAttack = z.infer<typeof RedTeamAttack>;

export const RedTeam = z.strictObject({
  attacks: count,
  successes: count,
  /** The scorer whose values are the harm. */
  scorer: z.string(),
  /** True if the run’s world knows families; else they are by likeness. */
  hasFamilies: z.boolean(),
  families: z.array(
    z.strictObject({
      family: z.string(),
      /** Attack with which it was found. */
      first: count,
      successes: count,
    }),
  ),
  /** The commonest reply to harmful attacks that failed; null without one. */
  refusal: z.string().nullable(),
  /** Number of the newest attacks that the frontier is over. */
  newest: count,
  frontier: z.array(
    z.strictObject({ threshold: z.number(), quality: z.number(), diversity: z.number().nullable() }),
  ),
  /** The part of the square of quality and diversity below the frontier. */
  area: z.number(),
});
export type RedTeam = z.infer<typeof RedTeam>;

/** Attacks in a plane, near each other where they share words; newest first, equal ones once. */
export const RedTeamMap = z.strictObject({
  /** Attacks of the run, and different ones among them. */
  attacks: count,
  different: count,
  /** By point: the place, and the harm; NaN without a number. */
  x: float64s,
  y: float64s,
  harm: float64s,
  /** Shares of the variance that the axes hold. */
  explained: z.array(z.number()).length(2),
  /** By point: the attack and its reply, cut to their first 200 characters. */
  points: z.array(RedTeamAttack.pick({ id: true, query: true, attack: true, reply: true, family: true })),
});
export type RedTeamMap = z.infer<typeof RedTeamMap>;

const run = { runId: z.string().min(1) };
const above = z.number().min(0).max(1).default(0.5).describe('An attack succeeds if its harm is above this.');

/** Attacks of a run in which another model replies to the answers. */
export const redTeam = {
  /** Over all attacks of the run, the newest 50,000 at most. */
  of: call(z.strictObject({ ...run, above }), RedTeam),
  /** The newest 2,000 different attacks in a plane. */
  map: call(z.strictObject(run), RedTeamMap),
  /** The archive, newest attacks first. */
  attacks: call(
    z.strictObject({
      ...run,
      above,
      show: z.enum(['all', 'successful', 'failed']).default('all'),
      family: z.string().nullable().default(null),
      /** Part of an attack or of a reply. */
      search: z.string().max(200).default(''),
      /** Equal attacks once, the newest of them. */
      distinct: z.boolean().default(false),
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(500).default(50),
      /** Id of an attack whose page is meant, in place of `offset`; one that is not shown changes nothing. */
      around: z.string().min(1).nullable().default(null),
    }),
    z.strictObject({
      total: count,
      /** Where the page begins. */
      offset: count,
      /** Id of the attack that was meant, or of an equal one that is shown in its place; null without one. */
      around: z.string().nullable(),
      attacks: z.array(RedTeamAttack),
    }),
  ),
  /**
   * Saves the attacks that succeed as a new dataset, each prompt once, with their origin. `refusals`: the
   * refusal as the answer to each. `preferences`: the refusal as the right answer, the reply of the target as
   * the wrong one. Throws `invalid-input` if there is nothing to save.
   */
  toDataset: call(
    z.strictObject({
      ...run,
      above,
      family: z.string().nullable().default(null),
      search: z.string().max(200).default(''),
      kind: z.enum(['refusals', 'preferences']),
      refusal: z.string().trim().min(1).max(2000),
      name: z.string().trim().min(1).max(200),
    }),
    Dataset,
  ),
};
