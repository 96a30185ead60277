/**
 * The objective of each case of an oracle file. The tests of the files compare them;
 * `tests/contracts/independent-numbers.test.ts` requires every objective of every method to be among them.
 */
import { sum, weighted, type Objective } from '../../engine/rl/kernel/objective.ts';
import type { RewardStack } from '../../engine/rl/kernel/reward-stack.ts';
import * as part from '../../engine/rl/parts/index.ts';
import { readOracle, type Oracle } from './objective-oracle.ts';

type Cases = { readonly [name: string]: Objective };

const sequence = { average: 'sequence' } as const;
const token = { average: 'token' } as const;
const objectives: Cases = {
  'likelihood/token': part.likelihood(token),
  'likelihood/sequence': part.likelihood(sequence),
  'clippedSurrogate/sequence': part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, ...sequence }),
  'clippedSurrogate/token/high': part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.28, ...token }),
  'klToReference/k3/sequence': part.klToReference({ estimator: 'k3', ...sequence }),
  'klToReference/k3/token': part.klToReference({ estimator: 'k3', ...token }),
  'logisticMargin/0.1': part.logisticMargin({ beta: 0.1 }),
  'logisticMargin/0.5/smoothing 0.1': part.logisticMargin({ beta: 0.5, labelSmoothing: 0.1 }),
  bradleyTerry: part.bradleyTerry,
};

/** Answers to a prompt in `policy.json`. */
const { size: groupSize } = readOracle<Oracle & { readonly size: number }>('policy');
const policy: Cases = {
  scoreFunction: part.scoreFunction(),
  sequenceSurrogate: part.sequenceSurrogate({ clipLow: 0.05, clipHigh: 0.1 }),
  truncatedWeights: part.truncatedWeights({ clipLow: 1, clipHigh: 0.2 }),
  'negativeAware/1': part.negativeAware({ promptWeight: 'grpo', epsilon: 1 }),
  'negativeAware/0.1': part.negativeAware({ promptWeight: 'grpo', epsilon: 0.1 }),
  'negativeAware/dr-grpo': part.negativeAware({ promptWeight: 'dr-grpo', epsilon: 1 }),
  'negativeAware/even': part.negativeAware({ promptWeight: 'even', epsilon: 1 }),
  contrastive: part.contrastive({ beta: 0.3, groupSize }),
  coupledClassifier: part.coupledClassifier({ beta: 0.7, groupSize, balance: true }),
  uniformValuation: part.uniformValuation({ rho: 0.8 }),
  softBellman: part.softBellman({ beta: 0.3 }),
  'klToReference/k1': part.klToReference({ estimator: 'k1' }),
  'klToReference/k2': part.klToReference({ estimator: 'k2' }),
  'klToReference/k3/constant': part.klToReference({ estimator: 'k3', average: 'constant' }),
  'clippedSurrogate/constant': part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.28, average: 'constant' }),
  valueRegression: part.valueRegression,
  clippedValue: part.clippedValue({ clip: 0.2 }),
  entropyBonus: part.entropyBonus,
};

const { hingeLoss, logisticLoss, squaredLoss, ratioMargin, plainMargin } = part;
const preferences: Cases = {
  'ratio/sigmoid/0.1': ratioMargin({ beta: 0.1, loss: logisticLoss() }),
  'ratio/hinge/0.5': ratioMargin({ beta: 0.5, loss: hingeLoss() }),
  'ratio/ipo/0.1': ratioMargin({ average: 'mean', loss: squaredLoss({ target: 5 }) }),
  'ratio/ipo/1': ratioMargin({ average: 'mean', loss: squaredLoss({ target: 0.5 }) }),
  'plain/sigmoid/0.5': plainMargin({ beta: 0.5, loss: logisticLoss() }),
  'plain/sigmoid/0.5/smoothing 0.1': plainMargin({ beta: 0.5, loss: logisticLoss({ labelSmoothing: 0.1 }) }),
  'plain/hinge/1': plainMargin({ loss: hingeLoss() }),
  'plain/hinge/delta 3': plainMargin({ loss: hingeLoss({ target: 3 }) }),
  'plain/simpo/2/1': plainMargin({ beta: 2, average: 'mean', loss: logisticLoss({ target: 1 }) }),
  'plain/simpo/2/1/smoothing 0.1': plainMargin({
    beta: 2,
    average: 'mean',
    loss: logisticLoss({ target: 1, labelSmoothing: 0.1 }),
  }),
  'odds/1': plainMargin({ average: 'mean', score: part.logOdds, loss: logisticLoss() }),
  'kto/0.3': part.prospectValue({ beta: 0.3, desirableWeight: 1, undesirableWeight: 1.5 }),
  'kto/0.3/below': part.prospectValue({ beta: 0.3, desirableWeight: 1, undesirableWeight: 1 }),
  'triples/sigmoid': sum(
    plainMargin({ unit: 3, beta: 0.5, loss: logisticLoss() }),
    weighted(0.7, part.likelihoodOf({ side: 2, unit: 3, average: 'token' })),
  ),
  'triples/length': sum(
    plainMargin({ unit: 3, beta: 2, average: 'mean', loss: logisticLoss({ target: 0.6 }) }),
    weighted(0.3, part.likelihoodOf({ side: 2, unit: 3, average: 'token' })),
  ),
  segments: plainMargin({ beta: 0.4, discount: 0.9, pessimism: 0.5, loss: logisticLoss() }),
  xpo: sum(part.logisticMargin({ beta: 0.3 }), weighted(0.2, part.optimism)),
  'fresh kl': part.freshKl,
  'token rewards': part.contrastRewards({ beta: 0.5 }),
  'likelihood of chosen/token': part.likelihoodOf({ side: 0, average: 'token' }),
  'likelihood of chosen/sequence': part.likelihoodOf({ side: 0, average: 'sequence' }),
};

const { beta, scale } = readOracle<Oracle & { readonly beta: number; readonly scale: number }>('steps');
const steps: Cases = {
  advantageRegression: part.advantageRegression({ beta }),
  prefixValue: part.prefixValue,
  advantageMargin: part.advantageMargin({ beta, scale }),
};

const stack: RewardStack<'total'> = {
  id: 'total',
  scorers: ['one', 'two'],
  empty: false,
  score: async () => {
    throw new Error('not needed here');
  },
};
const verifiers: Cases = {
  answerEntropy: part.answerEntropy,
  stepEntropy: part.stepEntropy,
  marginEntropy: part.marginEntropy({ margin: 0.7 }),
  marginByStrength: part.marginEntropy({ margin: 0.7, byStrength: true }),
  davidson: part.davidson,
  weighedAnswers: part.weighedAnswers({ clip: 0.9 }),
  promptValueError: part.promptValueError,
  ensembleEntropy: part.ensembleEntropy({ heads: 2 }),
  attributeError: part.attributeError(stack),
};

const variants: Cases = {
  ...Object.fromEntries(
    part.exactKinds.flatMap((kind) =>
      (['sequence', 'token', 'constant'] as const).map((average) => [
        `exactDivergence/${kind}/${average}`,
        // every model of a method is a case: names are part of an objective's computation
        sum(
          weighted(0.5, part.exactDivergence('average', { kind, average })),
          weighted(0.25, part.exactDivergence('teacher', { kind, average })),
          weighted(0.25, part.exactDivergence('initial', { kind, average })),
        ),
      ]),
    ),
  ),
  'rehearsalDivergence/forward': part.rehearsalDivergence({ kind: 'forward' }),
  'rehearsalDivergence/jensen-shannon': part.rehearsalDivergence({ kind: 'jensen-shannon' }),
  temperedReinforce: part.temperedReinforce(),
  meanScoreEntropy: part.meanScoreEntropy,
  inverseSoftQ: part.inverseSoftQ({ rewardWeight: 0.3, gamma: 0.9, ...token }),
  'inverseSoftQ/sequence': part.inverseSoftQ({ rewardWeight: 0.1, gamma: 1, ...sequence }),
  deadEnds: part.deadEnds({ bootstrap: 0.5, ...token }),
  'deadEnds/sequence': part.deadEnds({ bootstrap: 1, ...sequence }),
  'deadEnds/constant': part.deadEnds({ bootstrap: 0, average: 'constant' }),
  lowProbability: part.lowProbability({ share: 0.9, minP: 0.03 }),
  rewardDifferences: part.rewardDifferences({ beta: 0.4, clip: 0.15 }),
  decoupledSurrogate: part.decoupledSurrogate({ clipLow: 0.1, clipHigh: 0.15, cap: 1.2 }),
  groupPreference: part.groupPreference({ beta: 0.5, equality: 0.3, groupSize: 3 }),
  'klToPrevious/k3': part.klToPrevious({ estimator: 'k3' }),
  'scoreFunction/token': part.scoreFunction(token),
  gumbelPromptValue: part.gumbelPromptValue({ beta: 0.5, cap: 2 }),
};

/** Sizes and weights in `judges.json`. */
const {
  latents,
  beta: divergence,
  weight,
} = readOracle<Oracle & { readonly latents: number; readonly beta: number; readonly weight: number }>(
  'judges',
);
const judges: Cases = {
  latentPreference: part.latentPreference({ latents, beta: divergence }),
  goalContrast: part.goalContrast({ weight }),
};

const averages = ['sequence', 'token', 'constant'] as const;
const references: Cases = Object.fromEntries(
  averages.flatMap((average) => [
    [`klTo/k3/${average}`, part.klTo('average', { estimator: 'k3', average })],
    [`distillFrom/k2/${average}`, part.distillFrom('teacher', { estimator: 'k2', average })],
  ]),
);

const attack = { stepSize: 0.3, radius: 0.7, awayWeight: 0.8 } as const;
const latent: Cases = {
  'latentAdversary/4': part.latentAdversary({ attackSteps: 4, ...attack }),
  'latentAdversary/0': part.latentAdversary({ attackSteps: 0, ...attack }),
};
const turns: Cases = {
  turnValueError: part.turnValueError,
  contributionError: part.contributionError,
  'stepSurrogate/turn': part.stepSurrogate({ clipLow: 0.2, clipHigh: 0.3, ratio: 'turn' }),
  'stepSurrogate/trajectory': part.stepSurrogate({ clipLow: 0.2, clipHigh: 0.3, ratio: 'trajectory' }),
};
const attempts: Cases = {
  'shapedSurrogate/sequence': part.shapedSurrogate({ gamma: 0.1, ...sequence }),
  'shapedSurrogate/token': part.shapedSurrogate({ gamma: 0.3, ...token }),
  'shapedSurrogate/constant': part.shapedSurrogate({ gamma: 0.1, average: 'constant' }),
  'imitation/token': part.imitation(token),
  'weighedDivergence/k3': part.weighedDivergence({ estimator: 'k3' }),
};

/** By the name of the file. */
export const oracleCases = {
  objectives,
  policy,
  preferences,
  steps,
  verifiers,
  references,
  variants,
  latent,
  judges,
  turns,
  attempts,
} as const;

const weighed = readOracle<
  Oracle & { readonly gamma: number; readonly beta: number; readonly threshold: number }
>('replay-weights');
/**
 * Those of networks, by the name of the file; q-learning.test.ts, sac.test.ts, replay-weights.test.ts and
 * explore.test.ts compare them.
 */
export const networkCases = {
  network: { squared: part.tdError({ loss: 'squared' }), huber: part.tdError({ loss: 'huber' }) },
  'soft-actor-critic': {
    softValues: part.softValues({ gamma: 0.9 }),
    softPolicy: part.softPolicy,
    entropyTarget: part.entropyTarget({ perNumber: -0.75 }),
  },
  'replay-weights': {
    weighedSoftValues: part.weighedSoftValues(weighed),
    softStateValue: part.softStateValue({ beta: weighed.beta, rows: 5 }),
  },
  // in addition to the terms of PPO, by the kind of network
  explore: { latent: part.bonusValues, novelty: part.predictorError },
} as const;

/** Solved in closed form, and compared separately: the regression of `verifiers.json`. */
export const solvedCase = ({ folds }: { readonly folds: number }): Objective =>
  part.pairwiseRegression({ folds });
