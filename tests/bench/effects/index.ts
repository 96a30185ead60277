import type { Effect } from './effect.ts';
import { crtAttacks } from './crt-attacks.ts';
import { satoriRepair, satoriSolved } from './satori-repair.ts';
import { tangoSteps, tangoSamePolicy } from './tango-steps.ts';
import { slimScales } from './slim-scales.ts';
import { spaTurns, spaTurnsSix } from './spa-turns.ts';
import { drGrpoLength } from './dr-grpo-length.ts';
import { hypoCoverage } from './hypo-coverage.ts';
import { kdrlTeacher, kdrlTeacherStrong } from './kdrl-teacher.ts';
import { parGold } from './par-gold.ts';
import { pfPpoNoise, pfPpoNoiseUpdates } from './pf-ppo-noise.ts';
import { remixReuse } from './remix-reuse.ts';
import { repExpCoverage, repExpUndivided } from './rep-exp-coverage.ts';
import { rftForgetting } from './rft-forgetting.ts';
import { rlgWeight } from './rlg-weight.ts';
import { rpcVotes } from './rpc-votes.ts';
import { rlooVariance, rlooVarianceLevels } from './rloo-variance.ts';
import { scoreGain } from './score-gain.ts';
import { secSteps } from './sec-steps.ts';
import { weakToStrong } from './weak-to-strong.ts';
import { vplUsers, vplUsersInContext } from './vpl-users.ts';

/** Every tested effect. A new one is its file and one line here. */
export const effects: readonly Effect[] = [
  rlooVariance,
  rlooVarianceLevels,
  drGrpoLength,
  kdrlTeacher,
  kdrlTeacherStrong,
  secSteps,
  parGold,
  pfPpoNoise,
  pfPpoNoiseUpdates,
  repExpCoverage,
  repExpUndivided,
  hypoCoverage,
  rftForgetting,
  spaTurns,
  spaTurnsSix,
  slimScales,
  weakToStrong,
  remixReuse,
  vplUsers,
  vplUsersInContext,
  rpcVotes,
  rlgWeight,
  scoreGain,
  tangoSteps,
  tangoSamePolicy,
  crtAttacks,
  satoriRepair,
  satoriSolved,
];
