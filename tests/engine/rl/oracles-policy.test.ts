import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ColumnValue, PerToken } from '../../../engine/rl/kernel/columns.ts';
import { buildLoss, type ModelGraphView, type Objective } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { descend } from '../../../engine/rl/proof/bandit.ts';
import { train } from '../../../engine/rl/kernel/recipe.ts';
import { broadcast, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { pipe, type StageContext, type Stage } from '../../../engine/rl/kernel/stage.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { evaluate, grad, input, type Expr } from '../../../engine/tensor/index.ts';
import { oracleCases } from '../../support/oracle-cases.ts';
import { noSteps } from '../../support/no-steps.ts';

type Grid = readonly (readonly number[])[];
interface Oracle {
  readonly lengths: readonly number[];
  readonly size: number;
  readonly advantage: readonly number[];
  readonly reward: readonly number[];
  readonly logp: Grid;
  readonly behaviorLogp: Grid;
  readonly referenceLogp: Grid;
  readonly meanNow: Grid;
  readonly meanOld: Grid;
  readonly values: Grid;
  readonly returns: Grid;
  readonly cases: { readonly [name: string]: { readonly loss: number; readonly gradient: Grid } };
}
const oracle = JSON.parse(
  readFileSync(new URL('../../support/oracles/policy.json', import.meta.url), 'utf8'),
) as Oracle;
const { lengths, size } = oracle;
const R = lengths.length;
const T = Math.max(...lengths);

const rows = (grid: Grid): PerToken<Float64Array> =>
  ragged(grid, Float64Array, (row, r) => row.slice(0, lengths[r]));
const asFloats = (column: PerToken<Float64Array>): PerToken => ({
  ...column,
  values: Float32Array.from(column.values),
});
const mask = ragged(lengths, Uint8Array, (n) => new Uint8Array(n).fill(1));
const ones = new Float64Array(R).fill(1);
const groupId = Float64Array.from(lengths, (_, r) => Math.floor(r / size));
const reward = Float64Array.from(oracle.reward);

/** Runs one stage of the kernel. */
const columnsOf = async (stage: Stage, inputs: Table): Promise<Table> =>
  (await stage.run(inputs as never, {} as StageContext)).columns as Table;

let table: Table;
let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  table = {
    tokens: ragged(lengths, Int32Array, (n) => new Int32Array(n)),
    mask,
    weight: ones,
    groupId,
    'reward/total': reward,
    behaviorLogp: asFloats(rows(oracle.behaviorLogp)),
    'logp/initial': asFloats(rows(oracle.referenceLogp)),
    'mean-logp/policy': asFloats(rows(oracle.meanOld)),
    advantage: broadcast(oracle.advantage, mask),
    values: asFloats(rows(oracle.values)),
    returns: rows(oracle.returns),
    ...(await columnsOf(part.groupAccuracy, { groupId, weight: ones, 'reward/total': reward })),
  };
});

/** The objective's graph over one micro-batch, in float64, with the model's outputs as free variables. */
const lossAndGradient = (objective: Objective, from: Table, logp: readonly number[] = oracle.logp.flat()) => {
  const variable = input('variable', { dtype: 'float32', shape: [R, T] });
  const mean = input('mean', { dtype: 'float32', shape: [R, T] });
  const feeds: Record<string, Float64Array> = {
    variable: Float64Array.from(logp),
    mean: Float64Array.from(oracle.meanNow.flat()),
  };
  const padded = ({ values, offsets }: Exclude<ColumnValue, readonly unknown[] | Float64Array>) =>
    Float64Array.from({ length: R * T }, (_, at) => {
      const [r, t] = [Math.floor(at / T), at % T];
      return t < lengths[r] ? values[offsets[r] + t] : 0;
    });
  const inputs = (at: number): { [name: string]: Expr } =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'tokens') return variable;
          const column =
            objective.terms[at].prepare(from, { maxTokens: T })[String(name)] ?? from[String(name)];
          const feed = `${at}/${String(name)}`;
          feeds[feed] = column instanceof Float64Array ? column : padded(column as PerToken);
          return input(feed, { dtype: 'float32', shape: column instanceof Float64Array ? [R] : [R, T] });
        },
      },
    );
  const same = () => variable;
  const learner: ModelGraphView = {
    logp: same,
    entropy: same,
    meanLogp: () => mean,
    ofLogits: same,
    against: same,
    width: 0,
    shiftedLogp: same,
    score: same,
    features: same,
    step: noSteps,
    bonus: noSteps,
    values: same,
    verdicts: same,
  };
  const { loss } = buildLoss(objective, inputs, learner);
  const [value, slope] = evaluate([loss, grad(loss, [variable])[0]], feeds);
  return { loss: value.data[0], gradient: Array.from(slope.data) };
};
const agree = (found: ArrayLike<number>, wanted: ArrayLike<number>, factor = 1) =>
  Array.from(wanted).forEach((value, at) => expect(found[at], `entry ${at}`).toBeCloseTo(factor * value, 6));

const cases = oracleCases.policy;

describe('policy-gradient objectives match PyTorch on one fixed batch', () => {
  test('covers every case of the file', () =>
    expect(Object.keys(cases).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(cases))('%s', (name, objective) => {
    const { loss, gradient } = lossAndGradient(objective, table);
    const wanted = oracle.cases[name];
    expect(loss).toBeCloseTo(wanted.loss, 6);
    agree(gradient, wanted.gradient.flat());
  });
});

describe('identities under their conditions', () => {
  const onPolicy = () => ({ ...table, behaviorLogp: asFloats(rows(oracle.logp)) });
  const credited = (advantage_R: Float64Array): Table => ({
    ...onPolicy(),
    advantage: broadcast(advantage_R, mask),
  });
  const float32 = Array.from(Float32Array.from(oracle.logp.flat()));

  test('NFT = GRPO on-policy: binary rewards, population standard deviation, weight √((1 − p)/p), no divergence', async () => {
    const binary = Float64Array.of(1, 0, 0, 0, 1, 1);
    const labels = await columnsOf(part.groupAccuracy, { groupId, weight: ones, 'reward/total': binary });
    const nft = lossAndGradient(
      part.negativeAware({ promptWeight: 'grpo', epsilon: 1 }),
      { ...onPolicy(), ...labels },
      float32,
    );
    const grpo = lossAndGradient(
      part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, average: 'token' }),
      credited(part.centered(binary, groupId, ones, 'population')),
      float32,
    );
    nft.gradient.forEach((slope, at) => expect(slope).toBeCloseTo(grpo.gradient[at], 5));
    expect(Math.max(...nft.gradient.map(Math.abs))).toBeGreaterThan(0.01);
  });

  test('PPO = REINFORCE with the same baseline: one epoch, no clipping, no normalization', () => {
    const same = credited(Float64Array.from(oracle.advantage));
    const ppo = lossAndGradient(
      part.clippedSurrogate({ clipLow: 1, clipHigh: 1e6, average: 'token' }),
      same,
      float32,
    );
    agree(ppo.gradient, lossAndGradient(part.scoreFunction({ average: 'token' }), same, float32).gradient);
  });

  test('GSPO and CISPO = GRPO on-policy, averaged by answer and by token', () => {
    const same = credited(Float64Array.from(oracle.advantage));
    const grpo = (average: 'sequence' | 'token') =>
      lossAndGradient(part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, average }), same, float32)
        .gradient;
    agree(
      lossAndGradient(part.sequenceSurrogate({ clipLow: 3e-4, clipHigh: 4e-4 }), same, float32).gradient,
      grpo('sequence'),
    );
    agree(
      lossAndGradient(part.truncatedWeights({ clipLow: 1, clipHigh: 4 }), same, float32).gradient,
      grpo('token'),
    );
  });

  test('RLOO with two answers = the pair difference', () => {
    agree(
      part.againstOthers(
        Float64Array.of(0.8, 0.1, 3, 5),
        Float64Array.of(0, 0, 1, 1),
        new Float64Array(4).fill(1),
      ),
      [0.7, -0.7, -2, 2],
    );
  });

  test('CoPG on pairs = β²/2 × IPO: rewards ±¼ and β = τ', () => {
    const beta = 0.3;
    const pairs = {
      ...table,
      groupId: Float64Array.from(lengths, (_, r) => r >> 1),
      'reward/total': Float64Array.from(lengths, (_, r) => (r % 2 === 0 ? 0.25 : -0.25)),
    };
    const copg = lossAndGradient(part.contrastive({ beta, groupSize: 2 }), pairs);
    // IPO: (difference of log-ratios − 1/(2τ))², mean over pairs (arXiv:2310.12036, eq. 17)
    const gained = lengths.map((n, r) =>
      oracle.logp[r].slice(0, n).reduce((sum, x, t) => sum + x - oracle.referenceLogp[r][t], 0),
    );
    const margins = [0, 1, 2].map((p) => gained[2 * p] - gained[2 * p + 1] - 1 / (2 * beta));
    expect(copg.loss).toBeCloseTo((beta ** 2 / 2) * (margins.reduce((sum, m) => sum + m * m, 0) / 3), 6);
    const slopes = lengths.flatMap((n, r) =>
      Array.from({ length: T }, (_, t) => (t < n ? ((r % 2 === 0 ? 2 : -2) * margins[r >> 1]) / 3 : 0)),
    );
    agree(copg.gradient, slopes, beta ** 2 / 2);
  });

  test('… and with rewards ±1 and β = 4τ', () => {
    const tau = 0.3;
    const beta = 4 * tau;
    const pairs = {
      ...table,
      pairId: Float64Array.from(lengths, (_, r) => r >> 1),
      agreement: ones,
      chosen: Float64Array.from(lengths, (_, r) => 1 - (r & 1)),
    };
    const copg = lossAndGradient(part.contrastive({ beta, groupSize: 2 }), {
      ...pairs,
      groupId: pairs.pairId,
      'reward/total': Float64Array.from(lengths, (_, r) => (r % 2 === 0 ? 1 : -1)),
    });
    const ipo = lossAndGradient(
      part.ratioMargin({ loss: part.squaredLoss({ target: 1 / (2 * tau) }) }),
      pairs,
    );
    expect(copg.loss).toBeCloseTo((beta ** 2 / 2) * ipo.loss, 6);
    agree(copg.gradient, Array.from(ipo.gradient), beta ** 2 / 2);
  });

  test('DPO’s gradient at the reference = β/2 · (∇log π(chosen) − ∇log π(rejected)) times the label weight', () => {
    const beta = 0.4;
    const share = Float64Array.of(1, 1, 0.5, 0.5, 2, 2);
    const pairs = {
      ...table,
      weight: share,
      'logp/initial': asFloats(rows(oracle.logp)),
      pairId: Float64Array.from(lengths, (_, r) => r >> 1),
      agreement: ones,
      chosen: Float64Array.from(lengths, (_, r) => 1 - (r & 1)),
    };
    const { loss, gradient } = lossAndGradient(part.logisticMargin({ beta }), pairs, float32);
    expect(loss).toBeCloseTo(Math.LN2, 6);
    // each token's log-probability contributes 1 to the gradient of log π(answer); a label's weight is its
    // share of 3.5
    agree(
      gradient,
      lengths.flatMap((n, r) =>
        Array.from({ length: T }, (_, t) =>
          t < n ? ((r % 2 === 0 ? -1 : 1) * (beta / 2) * share[r]) / 3.5 : 0,
        ),
      ),
    );
  });

  test('Dr. GRPO differs from GRPO in two ways: no standard deviation, and a constant in place of the length', () => {
    const slope = (sd: 'sample' | 'none', average: 'sequence' | 'constant') =>
      lossAndGradient(
        part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, average }),
        credited(part.centered(reward, groupId, ones, sd)),
        float32,
      ).gradient;
    const [grpo, dr] = [slope('sample', 'sequence'), slope('none', 'constant')];
    const deviation_R = lengths.map((_, r) => {
      const own = [...reward].filter((_x, at) => groupId[at] === groupId[r]);
      const mean = own.reduce((a, b) => a + b, 0) / size;
      return Math.sqrt(own.reduce((a, b) => a + (b - mean) ** 2, 0) / (size - 1));
    });
    grpo.forEach((g, at) => {
      const r = Math.floor(at / T);
      expect(dr[at]).toBeCloseTo((g * deviation_R[r] * lengths[r]) / T, 5);
    });
  });
});

describe('optima on three arms, r = (1, 0, −1), from uniform', () => {
  const ARMS = [1, 0, -1];
  const reached = async (recipe: Parameters<typeof descend>[1]['recipe'], rate: number, steps: number) =>
    (await descend(device, { rewards: ARMS, recipe, rate, steps })).policies[steps];
  const near = (found: ArrayLike<number>, wanted: readonly number[]) =>
    wanted.forEach((p, at) => expect(Math.abs(found[at] - p)).toBeLessThan(1e-3));
  test.each([
    [1, [0.66524, 0.24473, 0.09003]],
    [0.5, [0.86681, 0.11731, 0.01588]],
  ])('a KL penalty in the reward reaches π_ref·exp(r/β): β = %d', async (beta, wanted) => {
    near(
      await reached(
        ({ verifiable: task }) =>
          train({
            rows: pipe(
              task.prompts,
              part.sampleGroups({ groupSize: 3 }),
              part.score(task.reward),
              part.logpUnder('initial'),
              part.tokenRewards({ klWeight: beta }),
              part.againstBatch({ baseline: 'mean' }),
            ),
            objective: part.scoreFunction(),
          }),
        0.5,
        400,
      ),
      wanted,
    );
  });
  test.each([
    [1, [0.66524, 0.24473, 0.09003]],
    [0.5, [0.86681, 0.11731, 0.01588]],
  ])('CoPG reaches it as well: β = %d', async (beta, wanted) => {
    near(
      await reached(
        ({ verifiable: task }) =>
          train({
            rows: pipe(
              task.prompts,
              part.sampleGroups({ groupSize: 3 }),
              part.score(task.reward),
              part.logpUnder('initial'),
            ),
            objective: part.contrastive({ beta, groupSize: 3 }),
          }),
        0.5,
        600,
      ),
      wanted,
    );
  });
});
