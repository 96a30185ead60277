import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { stream } from '../../../engine/data/random.ts';
import { planBatches } from '../../../engine/models/batches.ts';
import { configOf } from '../../../engine/models/config.ts';
import { forward } from '../../../engine/models/gpt2.ts';
import { nextTokenLogp } from '../../../engine/models/heads/next-token.ts';
import { rewardOf } from '../../../engine/models/heads/reward.ts';
import { createModel, withHead } from '../../../engine/models/model.ts';
import { scoreRewards, scoreTokens } from '../../../engine/models/score.ts';
import { inputParameters, parameterFeeds } from '../../../engine/models/symbols.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { evaluate, input } from '../../../engine/tensor/index.ts';
import { rejected } from '../../support/errors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const policy = createModel(configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 30 }, 11), 4);
for (let i = 0; i < policy.parameters.size; i++) policy.parameters.flat[i] *= 4;
const reward = withHead(policy, 'reward', 6);
const draw = stream(3, 'rows');
const rows = Array.from({ length: 40 }, (_, r) => Int32Array.from({ length: r === 0 ? 30 : 1 + draw.int(29) }, (_, t) => (t === 0 ? 1 : draw.int(11))));

/** A row alone, unpadded, in float64 on the host. */
const alone = (row: Int32Array): { logp: number[]; reward: number } => {
  const T = row.length, parameters = inputParameters(reward.parameters.slots);
  const hidden = forward({ config: reward.config, parameters, tokens: input('tokens', { dtype: 'int32', shape: [1, T] }) });
  const feeds = { ...parameterFeeds(reward.parameters), tokens: row, targets: Int32Array.of(...row.slice(1), 0), last: [T - 1] };
  const [logp, value] = evaluate([nextTokenLogp(parameters, hidden, input('targets', { dtype: 'int32', shape: [T] })), rewardOf(parameters, hidden, input('last', { dtype: 'int32', shape: [1] }))], feeds);
  return { logp: [0, ...logp.data.slice(0, -1)], reward: value.data[0] };
};

describe('scoring in batches', () => {
  it('gives each token what its row alone gives it', async () => {
    const scores = await scoreTokens({ device, model: policy, rows });
    rows.forEach((row, r) => {
      expect(scores[r].length).toBe(row.length);
      alone(row).logp.forEach((value, t) => { expect(scores[r][t]).toBeCloseTo(value, 4); });
    });
  });

  it('reads rewards at the last real token', async () => {
    const rewards = await scoreRewards({ device, model: reward, rows });
    rows.forEach((row, r) => { expect(rewards[r]).toBeCloseTo(alone(row).reward, 4); });
  });

  it('refuses the wrong head, and rows that the model cannot read', async () => {
    expect(await rejected(scoreRewards({ device, model: policy, rows }))).toMatchObject({ kind: 'unsupported' });
    expect(await rejected(scoreTokens({ device, model: reward, rows }))).toMatchObject({ kind: 'unsupported' });
    expect(await rejected(scoreTokens({ device, model: policy, rows: [rows[1], new Int32Array(31)] }))).toMatchObject({ kind: 'invalid-input', where: 'row 1' });
    expect(await rejected(scoreTokens({ device, model: policy, rows: [Int32Array.of(1, 11)] }))).toMatchObject({ kind: 'invalid-input', where: 'row 0' });
  });
});

describe('batch plans', () => {
  it('hold every row once, long enough, within the budget, in sizes that are powers of two', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 300 }), fc.integer({ min: 64, max: 8192 }), (lengths, tokens) => {
      const plans = planBatches(lengths, { tokens });
      expect(plans.flatMap((plan) => plan.rows).sort((a, b) => a - b)).toEqual(lengths.map((_, r) => r));
      for (const { rows: at, B, T } of plans) {
        expect(at.every((r) => lengths[r] <= T) && at.length <= B && Number.isInteger(Math.log2(B))).toBe(true);
        expect(B === 1 || B * T <= tokens).toBe(true);
      }
    }), { seed: 1 });
  });

  it.each([['short answers', 12, 40], ['long answers', 60, 400], ['one length', 50, 50]])('are at least 90 %% real tokens: %s', (_, low, high) => {
    const lengths = Array.from({ length: 512 }, () => draw.between(low, high));
    const places = planBatches(lengths).reduce((total, { B, T }) => total + B * T, 0);
    expect(lengths.reduce((a, b) => a + b, 0) / places).toBeGreaterThan(0.9);
  });
});
