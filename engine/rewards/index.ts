import { brevity } from './brevity.ts';
import { coReward } from './co-reward.ts';
import { dynamicWeights } from './dynamic-weights.ts';
import { evol } from './evol.ts';
import { fapo } from './fapo.ts';
import { format } from './format.ts';
import { implicitProcessReward } from './implicit-process-reward.ts';
import { implicitReward } from './implicit-reward.ts';
import { lare } from './lare.ts';
import { length } from './length.ts';
import { lengthToken } from './length-token.ts';
import { majority } from './majority.ts';
import { monitor } from './monitor.ts';
import { novelty } from './novelty.ts';
import { overlong } from './overlong.ts';
import { par } from './par.ts';
import { persona } from './persona.ts';
import { progress } from './progress.ts';
import { repExp } from './rep-exp.ts';
import { retrievalJudgements } from './retrieval-judgements.ts';
import { rewardModel } from './reward-model.ts';
import type { Reward } from './reward.ts';
import { snippet } from './snippet.ts';
import { toolRules } from './tool-rules.ts';
import { verifier } from './verifier.ts';
import { verifiers } from './verifiers/index.ts';

/** Every reward. A new one is its file and one line here; tests/contracts/every-reward finds it. */
export const rewards: readonly Reward[] = [
  verifier,
  ...verifiers,
  rewardModel,
  implicitReward,
  implicitProcessReward,
  length,
  lengthToken,
  brevity,
  overlong,
  format,
  snippet,
  par,
  majority,
  evol,
  coReward,
  repExp,
  novelty,
  toolRules,
  monitor,
  progress,
  retrievalJudgements,
  lare,
  persona,
  fapo,
  dynamicWeights,
];

export type {
  AnswerRow,
  ContextFor,
  InitialModel,
  Learned,
  Likelihood,
  Reward,
  RewardContext,
  RewardNeed,
  RowFault,
  Scorer,
  ScoreRows,
  Scores,
  TextScorer,
} from './reward.ts';
export { defineReward, lineCount, turnCount } from './reward.ts';
