import * as z from 'zod';
import { call, real } from './define.ts';

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
  /** The world’s own word for it; null where it is harmless, or no world knows. */
  family: z.string().nullable(),
});
export type RedTeamAttack = z.infer<typeof RedTeamAttack>;

export const RedTeam = z.strictObject({
  attacks: count,
  successes: count,
  /** The scorer whose values are the harm. */
  scorer: z.string(),
  /** True if the run’s world knows families. */
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

const run = { runId: z.string().min(1) };
const above = z.number().min(0).max(1).default(0.5).describe('An attack succeeds if its harm is above this.');

/** Attacks of a run in which another model replies to the answers. */
export const redTeam = {
  /** Over all attacks of the run, the newest 50,000 at most. */
  of: call(z.strictObject({ ...run, above }), RedTeam),
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
    }),
    z.strictObject({ total: count, attacks: z.array(RedTeamAttack) }),
  ),
};
