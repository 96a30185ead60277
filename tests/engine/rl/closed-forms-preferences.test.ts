import { beforeAll, describe, expect, test } from 'vitest';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import type { Objective } from '../../../engine/rl/kernel/objective.ts';
import { enumerable } from '../../../engine/rl/kernel/optimum.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { onAnswer, softmax, tabularGraph, tabularParameters } from '../../../engine/rl/proof/tabular.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/**
 * Pairs of arms, the better one first, as rows of two tokens: an initial one, then the arm. `reference` is
 * each arm's initial probability.
 */
const pairsOf = (pairs: readonly (readonly number[])[], reference: readonly number[]): Table => {
  const arms = pairs.flat();
  return {
    tokens: ragged(arms, Int32Array, (arm) => [0, arm]),
    mask: ragged(arms, Uint8Array, () => [0, 1]),
    'logp/initial': onAnswer(arms.map((arm) => Math.log(reference[arm]))),
    pairId: Float64Array.from(arms, (_, r) => r >> 1),
    chosen: Float64Array.from(arms, (_, r) => 1 - (r & 1)),
    agreement: new Float64Array(arms.length).fill(1),
    weight: new Float64Array(arms.length).fill(1),
  };
};

/** Runs gradient descent on the same rows until the policy converges. */
const settle = async (
  objective: Objective,
  table: Table,
  reference: readonly number[],
  learningRate: number,
  steps: number,
): Promise<Float64Array> => {
  const parameters = tabularParameters(reference.map(Math.log));
  const optimizer = OptimizerSpec.parse({ kind: 'sgd', beta1: 0, learningRate, clipNorm: 1e6 });
  const learner = new Updater({
    device,
    graph: tabularGraph(reference.length),
    parameters,
    objective,
    optimizer,
    limits: { maxTokens: 1 },
    temperature: 1,
    steps: 1,
  });
  for (let step = 0; step < steps; step++) await learner.update(table, 0);
  return softmax(parameters.flat);
};

const near = (found: ArrayLike<number>, wanted: ArrayLike<number>, tolerance = 1e-3) =>
  Array.from(wanted).forEach((value, at) =>
    expect(Math.abs(found[at] - value), `entry ${at}: ${found[at]} against ${value}`).toBeLessThan(tolerance),
  );

const ipoAt = (tau: number) => part.ratioMargin({ loss: part.squaredLoss({ target: 1 / (2 * tau) }) });
const optimumOf = (id: string, rewards: readonly number[], reference: readonly number[], params: object) =>
  methods.find((method) => method.id === id)?.optimum(enumerable({ rewards, reference }), params) ?? [];

describe('IPO', () => {
  test.each([
    [0.1, 0.99331],
    [0.5, 0.73106],
    [1, 0.62246],
  ])('two arms, certain labels, τ = %d: π(winner) = σ(1 ⁄ 2τ)', async (tau, winner) => {
    near(optimumOf('ipo', [1, 0], [0.5, 0.5], { tau }), [winner, 1 - winner], 1e-5);
    near(await settle(ipoAt(tau), pairsOf([[0, 1]], [0.5, 0.5]), [0.5, 0.5], 0.2, 200), [winner, 1 - winner]);
  });
  test('three arms, every pair equally often: π ∝ π_ref · exp(P(win) ⁄ τ)', async () => {
    const even = [1 / 3, 1 / 3, 1 / 3];
    near(
      await settle(
        ipoAt(0.5),
        pairsOf(
          [
            [0, 1],
            [0, 2],
            [1, 2],
          ],
          even,
        ),
        even,
        0.2,
        300,
      ),
      optimumOf('ipo', [1, 0, -1], even, { tau: 0.5 }),
    );
  });
  test('pairs with agreement ½ pull the log-ratios together', async () => {
    const table = { ...pairsOf([[0, 1]], [0.5, 0.5]), agreement: Float64Array.of(0.5, 0.5) };
    near(await settle(ipoAt(0.5), table, [0.5, 0.5], 0.2, 50), [0.5, 0.5]);
  });
});

test('the hinge loss has gradient 0 once the margin is reached', async () => {
  const reference = [0.9, 0.1];
  const rest = await settle(
    part.plainMargin({ loss: part.hingeLoss({ target: 2 }) }),
    pairsOf([[0, 1]], reference),
    reference,
    0.5,
    20,
  );
  near(rest, reference, 1e-6);
});
