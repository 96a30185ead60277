/**
 * Closed forms of the kernel: real stages, objectives and optimizer on a device, with every outcome of a
 * bandit enumerated.
 */
import type { Device } from '../../runtime/index.ts';
import type { Tasks } from '../tasks/kinds/index.ts';
import type { Objective } from '../kernel/objective.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import type { Deviation } from '../parts/credit/center-by-group.ts';
import { rowMetrics } from '../kernel/recorder.ts';
import { train, type Recipe } from '../kernel/recipe.ts';
import { broadcast } from '../kernel/rows.ts';
import { pipe, stage } from '../kernel/stage.ts';
import { descend, type BanditRun } from './bandit.ts';
import type { ClosedForm } from './closed-form.ts';

type Offered = Pick<Tasks, 'verifiable' | 'preferences'>;

const kernel = (
  id: string,
  title: string,
  expected: readonly number[],
  compute: ClosedForm['compute'],
  tolerance = 1e-3,
): ClosedForm => ({ id: `kernel/${id}`, title, owner: 'kernel', expected, tolerance, compute });

/**
 * Policy gradient on enumerated arms: advantages by group, an on-policy surrogate, and a divergence as a
 * term of the loss.
 */
const policyGradient =
  (size: number, sd: Deviation, beta: number, estimator: part.Estimator = 'k3') =>
  ({ verifiable: task }: Offered): Recipe =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups({ groupSize: size }),
        part.score(task.reward),
        part.centerByGroup({ scaleBy: sd }),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
        weighted(beta, part.klToReference({ estimator })),
      ),
    });

/** A loss on the pairs of arms. */
const onPairs =
  (objective: Objective<'tokens' | 'mask' | 'pairId' | 'chosen' | 'agreement' | 'weight' | 'logp/initial'>) =>
  ({ preferences: task }: Offered): Recipe =>
    train({ rows: pipe(task.pairs, part.logpUnder('initial')), objective });

/** An ideal critic of enumerated arms: before the answer, the logit of the mean reward. */
const exactValues = stage({
  id: 'exactValues',
  station: 'credit',
  needs: ['mask', 'weight', 'reward/total'],
  adds: ['values'],
  run: async ({ mask, weight, 'reward/total': rewards }) => {
    const mean = rewards.reduce((sum, r, at) => sum + weight[at] * r, 0) / weight.reduce((a, b) => a + b, 0);
    const { values, ...rest } = broadcast(
      rewards.map(() => Math.log(mean / (1 - mean))),
      mask,
    );
    return { columns: { values: { ...rest, values: Float32Array.from(values) } } };
  },
});

/** Direct advantage on arms that the initial policy enumerates, each a step of its own. */
const directAdvantage =
  (beta: number) =>
  ({ verifiable: task }: Offered): Recipe =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleInitialGroups({ groupSize: 3 }),
        part.score(task.reward),
        part.stepEnds({ step: 'token' }),
        exactValues,
        part.stepAdvantages({ lambda: 0 }),
      ),
      objective: part.advantageRegression({ beta }),
    });

const ARMS = [1, 0, -1];
const settled = async (device: Device, run: BanditRun): Promise<Float64Array> =>
  (await descend(device, run)).policies[run.steps];
const settles = (
  id: string,
  title: string,
  expected: readonly number[],
  run: Omit<BanditRun, 'rewards'>,
): ClosedForm => kernel(id, title, expected, (device) => settled(device, { rewards: ARMS, ...run }));

/** REINFORCE on enumerated arms with β · (log π − log π_ref) subtracted from the reward. */
const paidOutOfTheReward =
  (size: number, beta: number) =>
  ({ verifiable: task }: Offered): Recipe =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups({ groupSize: size }),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.tokenRewards({ klWeight: beta }),
        part.againstBatch({ baseline: 'mean' }),
      ),
      objective: part.scoreFunction(),
    });

/**
 * π(best) of a two-armed bandit, r = (1, 0), at times 1, 4 and 16 of a gradient flow in steps of 0.01; with
 * k1 in the loss where `beta` is not 0.
 */
const flow = async (device: Device, sd: Deviation, beta = 0): Promise<number[]> => {
  const { policies } = await descend(device, {
    rewards: [1, 0],
    recipe: policyGradient(2, sd, beta, 'k1'),
    rate: 0.01,
    steps: 1600,
  });
  return [100, 400, 1600].map((step) => policies[step][0]);
};

/** A weak divergence term converges slowly, and allows larger steps. */
const strides = (beta: number) => (beta < 0.5 ? { rate: 2, steps: 800 } : { rate: 0.5, steps: 400 });

/**
 * Runs the run's own metric on every group of `size` answers that draw one of `outcomes` equally likely
 * rewards, one of them 1.
 */
const flatGroups = (size: number, outcomes: number): number => {
  const groups = outcomes ** size;
  const rows = groups * size;
  const groupId = Float64Array.from({ length: rows }, (_, r) => Math.floor(r / size));
  const total = Float64Array.from({ length: rows }, (_, r) =>
    Number(Math.floor(groupId[r] / outcomes ** (r % size)) % outcomes === 0),
  );
  return rowMetrics({ groupId, 'reward/total': total }).frac_reward_zero_std;
};

export const kernelForms: readonly ClosedForm[] = [
  ...[
    [1, 0.66524, 0.24473, 0.09003],
    [0.5, 0.86681, 0.11731, 0.01588],
    [0.1, 0.99995, 0.00005, 0],
  ].map(([beta, ...expected]) =>
    settles(
      `k2-${beta}`,
      `KL-regularised bandit, β = ${beta}, k2 in the loss: π ∝ π_ref·exp(r/β)`,
      expected,
      { recipe: policyGradient(3, 'none', beta, 'k2'), ...strides(beta) },
    ),
  ),
  ...[
    [1, 0.64741, 0.22004, 0.13255],
    [0.5, 0.7871, 0.13754, 0.07536],
    [0.1, 0.95142, 0.03221, 0.01638],
  ].map(([beta, ...expected]) =>
    settles(`k3-${beta}`, `… with k3 in the loss, β = ${beta}: π = β·π_ref/(λ − r)`, expected, {
      recipe: policyGradient(3, 'none', beta),
      ...strides(beta),
    }),
  ),
  ...[
    [1, 0.73942, 0.16667, 0.09392],
    [0.5, 0.89872, 0.06667, 0.03462],
  ].map(([beta, ...expected]) =>
    settles(`k3-deviation-${beta}`, `… and advantages divided by their deviation, β = ${beta}`, expected, {
      recipe: policyGradient(3, 'population', beta),
      rate: 0.5,
      steps: 400,
    }),
  ),
  ...[
    [1, 0.66524, 0.24473, 0.09003],
    [0.5, 0.86681, 0.11731, 0.01588],
    [0.1, 0.99995, 0.00005, 0],
  ].map(([beta, ...expected]) =>
    settles(
      `k1-reward-${beta}`,
      `… with k1 in the reward, β = ${beta}: π ∝ π_ref·exp(r/β) as with k2`,
      expected,
      { recipe: paidOutOfTheReward(3, beta), ...strides(beta) },
    ),
  ),
  kernel(
    'k1',
    'k1 in the loss (β = 1) regularizes nothing: the gradient flow of REINFORCE is as without it',
    [0.620124, 0.832969, 0.962346],
    (device) => flow(device, 'none', 1),
  ),
  settles(
    'dpo',
    'DPO (β = ½) on soft Bradley–Terry labels reaches the KL-regularised optimum',
    [0.86681, 0.11731, 0.01588],
    { recipe: onPairs(part.logisticMargin({ beta: 0.5 })), rate: 2, steps: 500 },
  ),
  kernel(
    'dpo-loss',
    '… and its loss falls from ln 2 to the Bayes entropy',
    [0.693147, 0.509913],
    async (device) => {
      const { losses } = await descend(device, {
        rewards: ARMS,
        recipe: onPairs(part.logisticMargin({ beta: 0.5 })),
        rate: 2,
        steps: 500,
      });
      return [losses[0], losses[losses.length - 1]];
    },
    1e-5,
  ),
  ...[
    [0.1, 0.99331],
    [0.5, 0.73106],
    [1, 0.62246],
  ].map(([tau, winner]) =>
    kernel(
      `ipo-${tau}`,
      `IPO on two arms, the first always preferred, τ = ${tau}: π(winner) = σ(1/(2τ))`,
      [winner, 1 - winner],
      (device) =>
        settled(device, {
          rewards: [1, 0],
          pairs: [[0, 1, 1]],
          recipe: onPairs(part.ratioMargin({ loss: part.squaredLoss({ target: 1 / (2 * tau) }) })),
          rate: 0.2,
          steps: 200,
        }),
    ),
  ),
  ...[
    [1, 0.49429, 0.31177, 0.19394],
    [0.5, 0.60832, 0.27787, 0.11382],
    [0.25, 0.72995, 0.22799, 0.04206],
  ].map(([beta, ...expected]) =>
    kernel(
      `direct-advantage-${beta}`,
      `Direct advantage with exact values, β = ${beta}: β·x + κ·eˣ = A, x = log π/π_ref, short of π_ref·exp(A/β)`,
      expected,
      (device) =>
        settled(device, {
          rewards: [1, 0.5, 0],
          recipe: directAdvantage(beta),
          rate: Math.min(1 / beta ** 2, 10),
          steps: 400,
        }),
    ),
  ),
  kernel(
    'flow-reinforce',
    'Gradient flow of REINFORCE on two arms, δ + sinh δ = t, at t = 1, 4, 16',
    [0.620124, 0.832969, 0.962346],
    (device) => flow(device, 'none'),
  ),
  kernel(
    'flow-grpo',
    'Gradient flow of GRPO with deviations, 2 sinh(δ/2) = t, at t = 1, 4, 16',
    [0.723607, 0.947214, 0.996139],
    (device) => flow(device, 'population'),
  ),
  ...(
    [
      ['sample', 1.5, -0.5],
      ['population', 1.73205, -0.57735],
      ['none', 0.75, -0.25],
    ] as const
  ).map(([sd, best, rest]) =>
    kernel(
      `advantages-${sd}`,
      `Advantages of rewards (1, 0, 0, 0) in a group, divided by ${sd === 'none' ? 'nothing' : `the ${sd} deviation`}`,
      [best, rest, rest, rest],
      () => part.centered(Float64Array.of(1, 0, 0, 0), new Float64Array(4), new Float64Array(4).fill(1), sd),
      1e-5,
    ),
  ),
  kernel(
    'advantages-rloo',
    'Advantages of rewards (1, 0, 0, 0) against the mean of the others',
    [1, -1 / 3, -1 / 3, -1 / 3],
    () => part.againstOthers(Float64Array.of(1, 0, 0, 0), new Float64Array(4), new Float64Array(4).fill(1)),
    1e-9,
  ),
  kernel(
    'zero-variance',
    'Share of groups whose rewards are all equal, as runs measure it: groups of 8 with p = ¼ and ½, of 16 with ½',
    [0.10013, 0.00781, 0.00003],
    () => [flatGroups(8, 4), flatGroups(8, 2), flatGroups(16, 2)],
    1e-5,
  ),
  kernel(
    'gae',
    'GAE, γ = 1, λ = 0.95, r = (0, 0, 1), v = (0.5, 0.6, 0.7)',
    [0.46575, 0.385, 0.3],
    () => part.generalizedAdvantages([0, 0, 1], [0.5, 0.6, 0.7], 1, 0.95),
    1e-9,
  ),
];
