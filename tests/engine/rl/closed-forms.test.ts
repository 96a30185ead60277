import { describe, expect, test, beforeAll } from 'vitest';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { sum, weighted, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { enumerable } from '../../../engine/rl/kernel/optimum.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { centered, type Deviation } from '../../../engine/rl/parts/credit/center-by-group.ts';
import { broadcast, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import {
  everyOutcome,
  onAnswer,
  softmax,
  tabularGraph,
  tabularParameters,
} from '../../../engine/rl/proof/tabular.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const descent = (learningRate: number) =>
  OptimizerSpec.parse({ kind: 'sgd', beta1: 0, learningRate, clipNorm: 1e6 });
const limits = { maxTokens: 1 };
const uniform = (V: number) => new Array<number>(V).fill(0);

/** An updater of a tabular policy, and the current policy. */
const learnerOf = (objective: Objective, logits: readonly number[], optimizer: OptimizerSpec) => {
  const parameters = tabularParameters(logits);
  const learner = new Updater({
    device,
    graph: tabularGraph(logits.length),
    parameters,
    objective,
    optimizer,
    limits,
    temperature: 1,
    steps: 1,
  });
  return { learner, policy: () => softmax(parameters.flat), logits: parameters.flat };
};

/**
 * Every outcome of a bandit once, weighted by its probability: the exact expectation over the policy's
 * samples.
 */
const enumerated = (
  rewards: readonly number[],
  policy: Float64Array,
  reference: ArrayLike<number>,
  sd: Deviation,
): Table => {
  const { tokens, mask } = everyOutcome(rewards.length);
  const weight = policy.map((p) => p * rewards.length);
  const credit = centered(Float64Array.from(rewards), new Float64Array(rewards.length), weight, sd);
  return {
    tokens,
    mask,
    weight,
    advantage: broadcast(credit, mask),
    behaviorLogp: onAnswer(policy.map(Math.log)),
    'logp/initial': onAnswer(Float64Array.from(reference, Math.log)),
  };
};

const surrogate = part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 });
const bandit = { rewards: [1, 0, -1], reference: [1 / 3, 1 / 3, 1 / 3] };

/** Runs gradient descent until the policy converges. */
const settle = async (
  objective: Objective,
  sd: Deviation,
  rate: number,
  steps: number,
): Promise<Float64Array> => {
  const { learner, policy } = learnerOf(objective, uniform(3), descent(rate));
  for (let step = 0; step < steps; step++)
    await learner.update(enumerated(bandit.rewards, policy(), bandit.reference, sd), 0);
  return policy();
};

const near = (found: ArrayLike<number>, wanted: readonly number[], tolerance = 1e-3) =>
  wanted.forEach((value, at) =>
    expect(Math.abs(found[at] - value), `entry ${at}: ${found[at]} against ${value}`).toBeLessThan(tolerance),
  );

describe('the computed fixed points', () => {
  test.each([
    [1, [0.66524, 0.24473, 0.09003]],
    [0.5, [0.86681, 0.11731, 0.01588]],
    [0.1, [0.99995, 0.00005, 0]],
  ])('β = %d: KL(π ‖ π_ref)', (weight, wanted) =>
    near(enumerable(bandit).fixedPoint({ divergence: 'policy-to-reference', weight }), wanted, 1e-5),
  );
  test.each([
    [1, [0.64741, 0.22004, 0.13255]],
    [0.5, [0.7871, 0.13754, 0.07536]],
    [0.1, [0.95142, 0.03221, 0.01638]],
  ])('β = %d: KL(π_ref ‖ π)', (weight, wanted) =>
    near(enumerable(bandit).fixedPoint({ divergence: 'reference-to-policy', weight }), wanted, 1e-5),
  );
  test.each([
    [1, [0.73942, 0.16667, 0.09392]],
    [0.5, [0.89872, 0.06667, 0.03462]],
  ])('β = %d: KL(π_ref ‖ π), advantages divided by their standard deviation', (weight, wanted) =>
    near(
      enumerable(bandit).fixedPoint({ divergence: 'reference-to-policy', weight, perDeviation: 1 }),
      wanted,
      1e-5,
    ),
  );
});

describe('policy gradient with k3 in the loss converges to its own fixed point', () => {
  test.each([[1], [0.5]])('β = %d, plain advantages', async (beta) => {
    const found = await settle(
      sum(surrogate, weighted(beta, part.klToReference({ estimator: 'k3' }))),
      'none',
      0.5,
      400,
    );
    near(found, [...enumerable(bandit).fixedPoint({ divergence: 'reference-to-policy', weight: beta })]);
  });
  test.each([[1], [0.5]])('β = %d, divided by the standard deviation', async (beta) => {
    const found = await settle(
      sum(surrogate, weighted(beta, part.klToReference({ estimator: 'k3' }))),
      'population',
      0.5,
      400,
    );
    near(found, [
      ...enumerable(bandit).fixedPoint({ divergence: 'reference-to-policy', weight: beta, perDeviation: 1 }),
    ]);
  });
  test('k2 in the loss reaches the optimum of the other divergence', async () => {
    const found = await settle(
      sum(surrogate, weighted(0.5, part.klToReference({ estimator: 'k2' }))),
      'none',
      0.5,
      400,
    );
    near(found, [0.86681, 0.11731, 0.01588]);
  });
  test('k1 in the loss does not regularize: its gradient is zero on-policy', async () => {
    const { learner, policy } = learnerOf(
      part.klToReference({ estimator: 'k1' }),
      [0.7, -0.2, 0.1],
      descent(0.1),
    );
    const { gradient } = await learner.gradient(
      enumerated(bandit.rewards, policy(), bandit.reference, 'none'),
    );
    near(gradient, [0, 0, 0], 1e-6);
  });
});

describe('gradient flow on two arms, r = (1, 0), from the uniform policy', () => {
  const flow = async (sd: Deviation, times: readonly number[]): Promise<number[]> => {
    const rate = 0.01;
    const { learner, policy } = learnerOf(surrogate, uniform(2), descent(rate));
    const found: number[] = [];
    for (let step = 1; found.length < times.length; step++) {
      await learner.update(enumerated([1, 0], policy(), [0.5, 0.5], sd), 0);
      if (Math.abs(step * rate - times[found.length]) < rate / 2) found.push(policy()[0]);
    }
    return found;
  };
  test('REINFORCE: δ + sinh δ = t', async () =>
    near(await flow('none', [1, 4, 16]), [0.620124, 0.832969, 0.962346]));
  test('GRPO with standard deviations: 2 sinh(δ/2) = t', async () =>
    near(await flow('population', [1, 4]), [0.723607, 0.947214]));
});

describe('DPO on soft Bradley–Terry labels of three arms', () => {
  const beta = 0.5;
  const pairsOf = (reference: number): Table => {
    const arms = [
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    const rows = arms.flatMap(([a, b]) => [a, b]);
    const sure = arms.flatMap(([a, b]) => {
      const p = 1 / (1 + Math.exp(bandit.rewards[b] - bandit.rewards[a]));
      return [p, p];
    });
    return {
      tokens: ragged(rows, Int32Array, (v) => [0, v]),
      mask: ragged(rows, Uint8Array, () => [0, 1]),
      pairId: Float64Array.from(rows, (_, r) => r >> 1),
      chosen: Float64Array.from(rows, (_, r) => 1 - (r & 1)),
      agreement: Float64Array.from(sure),
      weight: new Float64Array(6).fill(1),
      'logp/initial': onAnswer(rows.map(() => Math.log(reference))),
    };
  };
  test('reaches the KL-regularized optimum, and its loss falls from ln 2 to the Bayes entropy', async () => {
    const { learner, policy } = learnerOf(part.logisticMargin({ beta }), uniform(3), descent(2));
    const first = await learner.update(pairsOf(1 / 3), 0);
    expect(first.loss).toBeCloseTo(Math.LN2, 6);
    let last = first;
    for (let step = 0; step < 500; step++) last = await learner.update(pairsOf(1 / 3), 0);
    expect(last.loss).toBeCloseTo(0.509913, 5);
    near(policy(), [0.86681, 0.11731, 0.01588]);
  });
  test('has the gradient β/2 · (∇log π(chosen) − ∇log π(rejected)) at the reference, averaged over pairs', async () => {
    const table = { ...pairsOf(1 / 3), agreement: new Float64Array(6).fill(1) };
    const { learner } = learnerOf(part.logisticMargin({ beta }), uniform(3), descent(1));
    // ∇log π(a) − ∇log π(b) with respect to the logits is e_a − e_b
    near(
      (await learner.gradient(table)).gradient,
      [-2, 0, 2].map((g) => (g * beta) / 2 / 3),
      1e-6,
    );
  });
});

test.each<[Deviation, number[]]>([
  ['sample', [1.5, -0.5, -0.5, -0.5]],
  ['population', [1.73205, -0.57735, -0.57735, -0.57735]],
  ['none', [0.75, -0.25, -0.25, -0.25]],
])('advantages of rewards (1, 0, 0, 0), divided by %s standard deviation', (sd, wanted) =>
  near(
    centered(Float64Array.of(1, 0, 0, 0), new Float64Array(4), new Float64Array(4).fill(1), sd),
    wanted,
    1e-5,
  ),
);
