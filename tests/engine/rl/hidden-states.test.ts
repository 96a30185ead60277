import { afterAll, describe, expect, test } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import { createModel } from '../../../engine/models/model.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { broadcast, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { effectiveRank, rankCourse } from '../../../engine/rl/parts/math/effective-rank.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { answersOf, perToken, runPart } from '../../support/run-part.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const policy = createModel(configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 30 }, 11), 4);
const live = new LiveModel(new RowPrograms(device, modelGraph(policy.config)), policy.parameters);
const rows = [[1, 4, 2, 7, 9], [1, 3], [1, 10, 6, 2, 2, 5, 8], [3]];
const tokens = ragged(rows, Int32Array);

describe('a model’s hidden states', () => {
  test('are those that predict each token', async () => {
    const { values, width } = await live.states(tokens);
    expect(width).toBe(16);
    // the state that predicts token t is the final one of the tokens before it
    const before = rows.flatMap((row) => row.slice(1).map((_, t) => row.slice(0, t + 1)));
    const features = await live.features(ragged(before, Int32Array));
    const places = rows.flatMap((row, r) => row.slice(1).map((_, t) => tokens.offsets[r] + t + 1));
    places.forEach((at, i) => {
      for (let d = 0; d < width; d++)
        expect(values[at * width + d]).toBeCloseTo(features.values[i * width + d], 4);
    });
    for (const start of tokens.offsets.subarray(0, rows.length))
      expect(values.subarray(start * width, (start + 1) * width).every((x) => x === 0)).toBe(true);
  });

  test('come with log-probabilities of given tokens, which agree with those of the rows', async () => {
    const logp = await live.logp(tokens, 0.7);
    const ids = [2, 4, 7, 9, 3];
    const { values, width } = await live.logpOf(tokens, 0.7, ids);
    expect([values.length, width]).toEqual([tokens.values.length * 5, 5]);
    tokens.values.forEach((id, at) => {
      const k = ids.indexOf(id);
      if (k >= 0) expect(values[at * width + k]).toBeCloseTo(logp.values[at], 4);
    });
  });
});

describe('the effective rank', () => {
  test('of a matrix is between 1 and its size, by the entropy of its singular values', () => {
    expect(effectiveRank([1, 0, 0, 0, 1, 0, 0, 0, 1], 3, 3)).toBeCloseTo(3, 9);
    expect(effectiveRank([1, 2, 3, 2, 4, 6], 2, 3)).toBeCloseTo(1, 5);
    expect(effectiveRank([3, 0, 0, 0, 1, 0], 2, 3)).toBeCloseTo(
      Math.exp(-0.75 * Math.log(0.75) - 0.25 * Math.log(0.25)),
      9,
    );
    expect(effectiveRank([0, 0], 1, 2)).toBe(0);
  });

  test('grows along an answer by its velocity and acceleration', () => {
    // ranks of the prefixes: 1, 2, 3
    const course = rankCourse(Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), 3, 1);
    expect(course.rank).toBeCloseTo(3, 6);
    expect(course.velocity).toBeCloseTo((1 + 1.5) / 2, 6);
    expect(course.acceleration).toBeCloseTo(0.5, 6);
  });

  test('VERL adds a bonus to advantages that is bounded and never changes their sign', async () => {
    const kept = new Map<string, unknown>();
    const memory = {
      get: (id: string) => kept.get(id),
      set: (id: string, state: unknown) => void kept.set(id, state),
    };
    const states = (second: number) => ({
      // two answers of two tokens: states of rank 1, and of rank 1 or 2
      states: async () => ({ values: Float32Array.of(1, 0, 1, 0, 1, 0, 0, second), width: 2 }),
    });
    const table: Table = { ...answersOf(2), advantage: perToken([-0.5, 0.5]) };
    const shape = part.rankShaping({ stride: 1, kappa: 2, decay: 0.5 });
    const shaped = await runPart(shape, table, { memory, ports: { 'model/policy': states(1) } });
    const [low, high] = [0, 2].map((at) => (shaped.advantage as PerToken).values[at]);
    // rank 1 is below the mean of 1.5, rank 2 is above it: tanh(1 ⁄ 3) × ½ + tanh(1) × ½ is more than the bound
    expect(low).toBeCloseTo(-0.5, 9);
    expect(high).toBeCloseTo(0.75, 9);
    expect(Array.from(shaped['row/rank'] as Float64Array).map((x) => Math.round(x * 1e6) / 1e6)).toEqual([
      1, 2,
    ]);
    expect([...kept.values()][0]).toMatchObject({ rank: 1.5 });
  });
});

describe('token hidden reward', () => {
  /** Log-probabilities of three tokens from states of two numbers, by an output matrix. */
  const W = [0.4, -0.3, 0.1, 0.9, -0.6, 0.2];
  const H = [0.5, -1, 1.5, 0.3, -0.2, 0.8];
  const ids = [2, 0, 1];
  const logpAt = (matrix: readonly number[], at: number, k: number) => {
    const z = [0, 1, 2].map((v) => matrix[2 * v] * H[2 * at] + matrix[2 * v + 1] * H[2 * at + 1]);
    return z[k] - Math.log(z.reduce((total, x) => total + Math.exp(x), 0));
  };
  const features = {
    states: { values: Float32Array.from(H), width: 2 },
    logp: {
      values: Float32Array.from([0, 1, 2].flatMap((at) => [0, 1, 2].map((k) => logpAt(W, at, k)))),
      width: 3,
    },
    id_T: Int32Array.from(ids),
  };

  test('an influence is the change of the right answers’ likelihood when a token is made likelier', () => {
    const right = [0, 1];
    const likelihood = (matrix: readonly number[]) =>
      right.reduce((total, at) => total + logpAt(matrix, at, ids[at]), 0);
    const predicted = part.influences(features, right, [0, 1, 2]);
    [0, 1, 2].forEach((at) => {
      const slope = W.map((_, w) => {
        const by = (step: number) =>
          logpAt(
            W.map((x, i) => (i === w ? x + step : x)),
            at,
            ids[at],
          );
        return (by(1e-5) - by(-1e-5)) / 2e-5;
      });
      const along = (step: number) => likelihood(W.map((x, w) => x + step * slope[w]));
      expect(predicted[at]).toBeCloseTo((along(1e-5) - along(-1e-5)) / 2e-5, 5);
    });
  });

  test('scales advantages by the slider, and drops tokens of little influence', async () => {
    const model = { states: async () => features.states, logpOf: async () => features.logp };
    const row = (n: number) => [...new Array<number>(n).keys()];
    const table: Table = {
      tokens: ragged([[2], [0], [1]], Int32Array),
      mask: ragged([[1], [1], [1]], Uint8Array),
      groupId: new Float64Array(3),
      'reward/total': Float64Array.of(1, 1, 0),
      advantage: broadcast([0.5, 0.5, -1], ragged([[1], [1], [1]], Uint8Array)),
    };
    // the stage asks for the distinct tokens in order: 0, 1, 2
    const inOrder = { ...features, id_T: Int32Array.from(ids) };
    const influence = part.influences(inOrder, [0, 1], row(3));
    const hidden = [influence[0], influence[1], -influence[2]];
    const scaled = await runPart(part.hiddenReward({ slider: 0.2, least: 0 }), table, {
      ports: { 'model/policy': model },
    });
    const values = (scaled.advantage as PerToken).values;
    [0.5, 0.5, -1].forEach((a, at) =>
      expect(values[at]).toBeCloseTo(a * (1 + Math.sign(hidden[at]) * 0.2), 9),
    );
    hidden.forEach((h, at) => expect((scaled['credit/hidden'] as PerToken).values[at]).toBeCloseTo(h, 6));
    const strict = await runPart(part.hiddenReward({ slider: 0.2, least: 0.9999 }), table, {
      ports: { 'model/policy': model },
    });
    expect(Array.from((strict.advantage as PerToken).values).filter((x) => x !== 0)).toHaveLength(1);
  });
});
