import type { Rule } from '../kernel/rule.ts';
import { equalAnswers } from './answers/equal-answers.ts';
import { lengthDrift } from './answers/length-drift.ts';
import { truncation } from './answers/truncation.ts';
import { bothLogpsFall } from './data/both-logps-fall.ts';
import { chanceOnPairs } from './data/chance-on-pairs.ts';
import { dataExhausted } from './data/data-exhausted.ts';
import { heldOutFalls } from './data/held-out-falls.ts';
import { overfit } from './data/overfit.ts';
import { blindReward } from './rewards/blind-reward.ts';
import { constantReward } from './rewards/constant-reward.ts';
import { flatGroups } from './rewards/flat-groups.ts';
import { lengthReward } from './rewards/length-reward.ts';
import { proxyOverGold } from './rewards/proxy-over-gold.ts';
import { scorerErrs } from './rewards/scorer-errs.ts';
import { verifierMisleads } from './rewards/verifier-misleads.ts';
import { clipShare } from './updates/clip-share.ts';
import { criticExplainsNothing } from './updates/critic-explains-nothing.ts';
import { entropyCollapse } from './updates/entropy-collapse.ts';
import { gradientSpikes } from './updates/gradient-spikes.ts';
import { klRunAway } from './updates/kl-run-away.ts';
import { learningRateTooSmall } from './updates/learning-rate-too-small.ts';
import { lossRises } from './updates/loss-rises.ts';
import { notFinite } from './updates/not-finite.ts';
import { samplerMismatch } from './updates/sampler-mismatch.ts';
import { staleData } from './updates/stale-data.ts';
import { weightsCollapse } from './updates/weights-collapse.ts';

/** Every rule; findings of the same severity are in this order. */
export const rules: readonly Rule[] = [
  notFinite,
  proxyOverGold,
  heldOutFalls,
  lossRises,
  learningRateTooSmall,
  constantReward,
  blindReward,
  scorerErrs,
  verifierMisleads,
  entropyCollapse,
  klRunAway,
  samplerMismatch,
  staleData,
  weightsCollapse,
  clipShare,
  gradientSpikes,
  criticExplainsNothing,
  flatGroups,
  equalAnswers,
  truncation,
  lengthDrift,
  lengthReward,
  bothLogpsFall,
  overfit,
  chanceOnPairs,
  dataExhausted,
];
