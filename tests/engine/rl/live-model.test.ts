import { afterAll, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { configOf } from '../../../engine/models/config.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { rewardOf } from '../../../engine/models/heads/reward.ts';
import { createModel, withHead, type Model } from '../../../engine/models/model.ts';
import { inputParameters, parameterFeeds } from '../../../engine/models/symbols.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { stepEntropy } from '../../../engine/rl/parts/index.ts';
import { ragged, rowOf } from '../../../engine/rl/kernel/rows.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { evaluate, input, mul, tokenLogp } from '../../../engine/tensor/index.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const policy = createModel(configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 30 }, 11), 4);
const reward = withHead(policy, 'reward', 6);
const draw = stream(3, 'rows');
const rows = Array.from({ length: 40 }, (_, r) =>
  Int32Array.from({ length: r === 0 ? 30 : 1 + draw.int(29) }, (_x, t) => (t === 0 ? 1 : 1 + draw.int(10))),
);
const tokens = ragged(rows, Int32Array);
const liveOf = (model: Model) =>
  new LiveModel(new RowPrograms(device, modelGraph(model.config)), model.parameters);

/** One row without padding, in float64 on the host. */
const alone = (
  row: Int32Array,
  temperature: number,
): { logp: number[]; reward: number; features: number[] } => {
  const T = row.length;
  const parameters = inputParameters(reward.parameters.slots);
  const hidden = forward({
    config: reward.config,
    parameters,
    tokens: input('tokens', { dtype: 'int32', shape: [1, T] }),
  });
  const logp = tokenLogp(
    mul(logitsOf(reward.config, parameters, hidden), 1 / temperature),
    input('targets', { dtype: 'int32', shape: [T] }),
  );
  const feeds = {
    ...parameterFeeds(reward.parameters),
    tokens: row,
    targets: Int32Array.of(...row.slice(1), 0),
    last: [T - 1],
  };
  const [scores, value, states] = evaluate(
    [logp, rewardOf(parameters, hidden, input('last', { dtype: 'int32', shape: [1] })), hidden],
    feeds,
  );
  return {
    logp: [0, ...scores.data.slice(0, -1)],
    reward: value.data[0],
    features: [...states.data.slice(-reward.config.width)],
  };
};

test.each([1, 0.6])(
  'gives each token the values of its row alone, at temperature %d',
  async (temperature) => {
    const found = await liveOf(policy).logp(tokens, temperature);
    rows.forEach((row, r) =>
      alone(row, temperature).logp.forEach((value, t) => expect(rowOf(found, r)[t]).toBeCloseTo(value, 4)),
    );
  },
);

test('reads scores and features at the last token that is not padding', async () => {
  const live = liveOf(reward);
  const [scores, { values, width }] = [await live.scores(tokens), await live.features(tokens)];
  rows.forEach((row, r) => {
    const own = alone(row, 1);
    expect(scores[r]).toBeCloseTo(own.reward, 4);
    own.features.forEach((value, f) => expect(values[r * width + f]).toBeCloseTo(value, 4));
  });
});

test('gives a verdict at every token, also where the padding token marks the end of a step', async () => {
  const end = 7;
  const marked = ragged(
    [
      [1, 2, 3, end],
      [1, end, end],
      [4, 5, 6, 2, 3, end],
    ],
    Int32Array,
  );
  const padding = (pad: number): Model => ({ ...reward, config: { ...reward.config, pad } });
  const otherPad = await liveOf(padding(0)).each('verdicts', marked, 1);
  const same = await liveOf(padding(end)).each('verdicts', marked, 1);
  expect([...same.values]).toEqual([...otherPad.values]);
  expect(same.values.every((verdict) => verdict !== 0)).toBe(true);

  const stepEnd = ragged(
    [
      [0, 0, 0, 1],
      [0, 0, 1],
      [0, 0, 1, 0, 0, 1],
    ],
    Uint8Array,
  );
  const stepRight = ragged(
    [
      [0, 0, 0, 1],
      [0, 0, 0],
      [0, 0, 0, 0, 0, 1],
    ],
    Uint8Array,
  );
  const learned = (pad: number) =>
    new Updater({
      device,
      graph: modelGraph(padding(pad).config),
      parameters: reward.parameters,
      objective: stepEntropy,
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 4 },
      temperature: 1,
      steps: 1,
    }).gradient({ tokens: marked, weight: Float64Array.of(1, 1, 1), stepEnd, stepRight });
  const [wanted, found] = [await learned(0), await learned(end)];
  expect(found.loss).toBeCloseTo(wanted.loss, 6);
  found.gradient.forEach((slope, at) => expect(slope).toBeCloseTo(wanted.gradient[at], 6));
});
