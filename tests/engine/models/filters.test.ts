import { afterAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import { truncated, type Filters } from '../../../engine/models/generate/filters.ts';
import { generate, type GenerateOptions } from '../../../engine/models/generate/generate.ts';
import { draw } from '../../../engine/models/generate/graphs.ts';
import { createModel } from '../../../engine/models/model.ts';
import { stream } from '../../../engine/random/random.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { ragged, rowOf } from '../../../engine/rl/kernel/rows.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { input, logSoftmax } from '../../../engine/tensor/index.ts';
import oracle from '../../support/oracles/truncation.json' with { type: 'json' };
import { uniforms } from '../../support/tensors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const logitsOf = ({ seed, vocabulary, spread, levels }: (typeof oracle.cases)[number]): Float32Array =>
  Float32Array.from(uniforms(seed, vocabulary), (u) =>
    levels === 0
      ? Math.round(u * spread * 2 ** 16) / 2 ** 16
      : (Math.round((u * spread * levels) / 4) / levels) * 4,
  );

/** Draws of a graph from the same logits [V] for each uniform. */
const drawsOf = async (logits_V: Float32Array, filters: Filters, uniforms_B: Float32Array) => {
  const [B, V] = [uniforms_B.length, logits_V.length];
  const drawn = draw(
    input('logits', { dtype: 'float32', shape: [B, V] }),
    input('uniforms', { dtype: 'float32', shape: [B] }),
    filters,
  );
  const program = await device.compile({ name: `filtered draw of ${B} ${V}`, outputs: { ...drawn } });
  const logits = new Float32Array(B * V);
  for (let b = 0; b < B; b++) logits.set(logits_V, b * V);
  const outputs = await program.run({ logits, uniforms: uniforms_B });
  return {
    token: valuesOf(outputs, 'token', 'int32'),
    logp: valuesOf(outputs, 'logp', 'float32'),
    dropped: 'dropped' in outputs ? valuesOf(outputs, 'dropped', 'float32') : new Float32Array(B),
  };
};

describe('the kept tokens', () => {
  it.each(
    oracle.cases.map((one) => [one.vocabulary, one.levels > 0 ? 'ties' : '', one.filters, one] as const),
  )('of %i %s are those of Transformers, and all that are equally likely: %o', async (V, _, filters, one) => {
    const logits = logitsOf(one);
    const least = Math.fround(one.least);
    const program = await device.compile({
      name: `kept of ${V}`,
      outputs: {
        kept: truncated(logSoftmax(input('logits', { dtype: 'float32', shape: [1, V] })), filters),
      },
    });
    const kept = valuesOf(await program.run({ logits }), 'kept', 'float32');
    const ours = [...kept.keys()].filter((v) => kept[v] > -1e6);
    expect(ours).toEqual([...logits.keys()].filter((v) => logits[v] >= least));
    const above = logits.filter((logit) => logit > least).length;
    expect(one.count).toBeGreaterThan(above);
    expect(one.count).toBeLessThanOrEqual(ours.length);
    if (one.count < ours.length) return;
    const { dropped } = await drawsOf(logits, filters, Float32Array.of(0.5));
    expect(dropped[0]).toBeCloseTo(one.dropped, 5);
  });
});

// by pairs of tokens, by bisection, and with draws in blocks
it.each([12, 100, 4100])('draws from the renormalized rest of %i tokens', async (V) => {
  const random = stream(11, 'uniforms', V);
  const logits = Float32Array.from({ length: V }, (_, v) => (v % 7 === 3 ? 4 + (v % 5) / 4 : -v / V));
  const filters = { topK: 9, topP: 0.85, minP: 0.02 };
  const n = 1500;
  const { token, logp, dropped } = await drawsOf(
    logits,
    filters,
    Float32Array.from({ length: n }, () => 1 - random.next()),
  );
  const counts = new Map<number, number>();
  for (const each of token) counts.set(each, (counts.get(each) ?? 0) + 1);
  let chiSquare = 0;
  let total = 0;
  for (const [v, count] of counts) {
    const at = token.indexOf(v);
    const p = Math.exp(logp[at]) / (1 - dropped[at]);
    total += p;
    chiSquare += (count - n * p) ** 2 / (n * p);
  }
  // every kept token was drawn, and no other
  expect(total).toBeCloseTo(1, 4);
  const freedom = counts.size - 1;
  // five standard deviations above the mean of the distribution
  expect(chiSquare).toBeLessThan(freedom + 5 * Math.sqrt(2 * Math.max(1, freedom)));
});

// a head of 8 numbers uses a cache that grows in place, one of 4 generates in chunks
describe.each([
  [13, 2],
  [13, 4],
  [90, 2],
  [90, 4],
])('a model of %i tokens with %i heads', (vocabulary, heads) => {
  const model = createModel(
    configOf({ family: 'gpt2', width: 16, layers: 1, heads, context: 32 }, vocabulary),
    3,
  );
  for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= 5;
  const options: GenerateOptions = {
    device,
    model,
    rows: Array.from({ length: 6 }, (_, r) => ({
      prompt: Int32Array.of(1, 3 + (r % 3)),
      promptId: `p${r % 3}`,
      sample: r,
    })),
    temperature: 0.9,
    maxTokens: 11,
    ends: [-1],
    seed: 4,
    purpose: 'filters',
    step: 0,
  };
  const tokens = (answers: readonly { tokens: Int32Array }[]) => answers.map(({ tokens: each }) => [...each]);

  it('writes the greedy answer with the likeliest token only', async () => {
    const alone = await generate({ ...options, filters: { topK: 1 } });
    expect(tokens(alone)).toEqual(tokens(await generate({ ...options, greedy: true })));
  });
  it('writes the same bits with filters that drop nothing', async () => {
    const plain = await generate(options);
    expect(await generate({ ...options, filters: { topP: 1, minP: 0 } })).toEqual(plain);
    expect(plain[0]).not.toHaveProperty('dropped');
  });
  it('keeps the log-probabilities of the whole distribution, and the dropped probability', async () => {
    const answers = await generate({ ...options, filters: { topP: 0.7 } });
    const { values, offsets } = await liveModel(device, model).logp(
      ragged(answers, Int32Array, (one) => one.tokens),
      0.9,
    );
    const whole = { axis: 'T' as const, values, offsets };
    answers.forEach(({ logp, dropped, promptLength }, r) => {
      expect([...logp]).toEqual([...rowOf(whole, r).subarray(promptLength)].map((x) => expect.closeTo(x, 4)));
      for (const mass of dropped ?? [NaN]) expect(mass).toBeLessThanOrEqual(0.3 + 1e-5);
    });
    expect(answers.flatMap(({ dropped }) => [...(dropped ?? [])]).some((mass) => mass > 0.05)).toBe(true);
  });
  it('gives a row the same answer in other company', async () => {
    const filters = { topK: 6, minP: 0.03 };
    const all = await generate({ ...options, filters });
    const alone = await generate({ ...options, filters, rows: options.rows.slice(4) });
    expect(tokens(alone)).toEqual(tokens(all.slice(4)));
  });
});
