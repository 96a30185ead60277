import type { Effect } from './effect.ts';
import { drGrpoLength } from './dr-grpo-length.ts';
import { hypoCoverage } from './hypo-coverage.ts';
import { kdrlTeacher } from './kdrl-teacher.ts';
import { parGold } from './par-gold.ts';
import { pfPpoNoise } from './pf-ppo-noise.ts';
import { repExpCoverage, repExpUndivided } from './rep-exp-coverage.ts';
import { rlgWeight } from './rlg-weight.ts';
import { rpcVotes } from './rpc-votes.ts';
import { rlooVariance, rlooVarianceLevels } from './rloo-variance.ts';
import { secSteps } from './sec-steps.ts';
import { vplUsers, vplUsersInContext } from './vpl-users.ts';

/** Every tested effect. A new one is its file and one line here. */
export const effects: readonly Effect[] = [
  rlooVariance,
  rlooVarianceLevels,
  drGrpoLength,
  kdrlTeacher,
  secSteps,
  parGold,
  pfPpoNoise,
  repExpCoverage,
  repExpUndivided,
  hypoCoverage,
  vplUsers,
  vplUsersInContext,
  rpcVotes,
  rlgWeight,
];
