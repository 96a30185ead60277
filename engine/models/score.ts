import { WhetstoneError } from '../schema/errors.ts';
import { input, mul, tokenLogp } from '../tensor/index.ts';
import { specials } from '../text/tokenizer.ts';
import { planBatches, type BatchPlan } from './batches.ts';
import { floats, type ModelDevice } from './device.ts';
import { forward, gpt2Parameters, logitsOf } from './gpt2.ts';
import { rewardOf } from './heads/reward.ts';
import type { Model } from './model.ts';
import { layoutOf } from './parameters.ts';
import { programFor, runWith } from './programs.ts';
import { inputParameters, parameterFeeds } from './symbols.ts';

/** Places of one batch: enough to keep the device busy, few enough that logits of a large vocabulary stay below 128 MiB. */
const placesFor = ({ config: { vocabulary } }: Model): number => Math.max(64, Math.min(8192, Math.floor(2 ** 25 / vocabulary)));

/**
 * Log-probability of each token of each row, given the tokens before it: float32, as long as the row; the first is 0, as `begin` is
 * never predicted. `temperature` divides the logits, as in sampling. Runs in batches of rows of like length.
 */
export const scoreTokens = async ({ device, model, rows, temperature = 1 }: {
  device: ModelDevice; model: Model; rows: readonly Int32Array[]; temperature?: number;
}): Promise<Float32Array[]> => {
  expectHead(model, 'next-token');
  const { config } = model, scores = new Array<Float32Array>(rows.length);
  await inBatches(model, rows, async ({ B, T, rows: at }, tokens) => {
    const program = await programFor(device, 'score tokens', config, { B, T }, () => {
      const parameters = inputParameters(layoutOf(gpt2Parameters(config)));
      const hidden = forward({ config, parameters, tokens: input('tokens', { dtype: 'int32', shape: [B, T] }) });
      const logits = mul(logitsOf(parameters, hidden), input('inverseTemperature', { dtype: 'float32', shape: [] }));
      return { logp: tokenLogp(logits, input('targets', { dtype: 'int32', shape: [B * T] })) };
    });
    const targets = new Int32Array(B * T);
    targets.set(tokens.subarray(1));
    const logp = floats(await runWith(program, parameterFeeds(model.parameters), { tokens, targets, inverseTemperature: Float32Array.of(1 / temperature) }), 'logp');
    at.forEach((row, b) => {
      scores[row] = new Float32Array(rows[row].length);
      scores[row].set(logp.subarray(b * T, b * T + rows[row].length - 1), 1);
    });
  });
  return scores;
};

/** A reward model's value of each row, read at its last token: float32 per row. Runs in batches of rows of like length. */
export const scoreRewards = async ({ device, model, rows }: { device: ModelDevice; model: Model; rows: readonly Int32Array[] }): Promise<Float32Array> => {
  expectHead(model, 'reward');
  const { config } = model, rewards = new Float32Array(rows.length);
  await inBatches(model, rows, async ({ B, T, rows: at }, tokens) => {
    const program = await programFor(device, 'score rewards', config, { B, T }, () => {
      const parameters = inputParameters(layoutOf(gpt2Parameters(config)));
      const hidden = forward({ config, parameters, tokens: input('tokens', { dtype: 'int32', shape: [B, T] }) });
      return { rewards: rewardOf(parameters, hidden, input('lastRow', { dtype: 'int32', shape: [B] })) };
    });
    const lastRow = Int32Array.from({ length: B }, (_, b) => b * T + (b < at.length ? rows[at[b]].length - 1 : 0));
    const values = floats(await runWith(program, parameterFeeds(model.parameters), { tokens, lastRow }), 'rewards');
    at.forEach((row, b) => { rewards[row] = values[b]; });
  });
  return rewards;
};

const expectHead = ({ config }: Model, head: Model['config']['head']): void => {
  if (config.head !== head) throw new WhetstoneError('unsupported', `This is a ${config.head} model; a ${head} model is needed here.`, { where: 'model' });
};

const inBatches = async (model: Model, rows: readonly Int32Array[], run: (plan: BatchPlan, tokens: Int32Array) => Promise<void>): Promise<void> => {
  const { context, vocabulary } = model.config;
  rows.forEach((row, r) => {
    if (row.length < 1 || row.length > context) throw new WhetstoneError('invalid-input', `A row of ${row.length} tokens does not fit the model’s context of ${context}.`, { where: `row ${r}` });
    const wrong = row.find((id) => id < 0 || id >= vocabulary);
    if (wrong !== undefined) throw new WhetstoneError('invalid-input', `Token ${wrong} is not in the model’s vocabulary of ${vocabulary}.`, { where: `row ${r}`, hint: 'Encode text with the model’s own tokenizer.' });
  });
  for (const plan of planBatches(rows.map((row) => row.length), { tokens: placesFor(model), longest: context })) {
    const tokens = new Int32Array(plan.B * plan.T).fill(specials.pad);
    plan.rows.forEach((row, b) => { tokens.set(rows[row], b * plan.T); });
    await run(plan, tokens);
  }
};
