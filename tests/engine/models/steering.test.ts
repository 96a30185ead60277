import { afterAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import { generate, type GenerateOptions } from '../../../engine/models/generate/generate.ts';
import type { Steering } from '../../../engine/models/generate/steering.ts';
import { differenceOfMeans, meanHidden } from '../../../engine/models/hidden.ts';
import { createModel, type Model } from '../../../engine/models/model.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { rejected } from '../../support/errors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const D = 16;
const V = 13;
const lively = (layers: number, heads = 2): Model => {
  const model = createModel(configOf({ family: 'gpt2', width: D, layers, heads, context: 32 }, V), 3);
  for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= 5;
  return model;
};
const direction = Float32Array.from({ length: D }, (_, d) => Math.sin(3 * d + 1));
const steered = (layer: number, strength: Steering['strength'] | number): Steering => ({
  layer,
  direction,
  strength: typeof strength === 'number' ? () => strength : strength,
});
const optionsFor = (model: Model, more: Partial<GenerateOptions> = {}): GenerateOptions => ({
  device,
  model,
  rows: Array.from({ length: 12 }, (_, sample) => ({
    prompt: Int32Array.of(1),
    promptId: `p${sample % 5}`,
    sample,
  })),
  temperature: 0.8,
  maxTokens: 9,
  seed: 4,
  purpose: 'steering',
  step: 0,
  ...more,
});
const close = (a: Awaited<ReturnType<typeof generate>>, b: typeof a): void => {
  expect(a.map(({ tokens }) => [...tokens])).toEqual(b.map(({ tokens }) => [...tokens]));
  a.forEach(({ logp }, r) => logp.forEach((x, t) => expect(x).toBeCloseTo(b[r].logp[t], 3)));
};

describe('a direction in hidden states', () => {
  // heads of 8 dimensions grow their cache in place; those of 4 are sampled in chunks
  it.each([2, 4])('is a bias of the layer where every place is steered, with %d heads', async (heads) => {
    const [plain, biased] = [lively(2, heads), lively(2, heads)];
    const bias = biased.parameters.view('transformer.h.0.mlp.c_proj.bias');
    direction.forEach((x, d) => (bias[d] += 0.7 * x));
    const expected = await generate(optionsFor(biased));
    close(await generate(optionsFor(plain, { steering: steered(0, 0.7) })), expected);
    const unsteered = await generate(optionsFor(plain));
    expect(unsteered.map(({ tokens }) => [...tokens])).not.toEqual(expected.map(({ tokens }) => [...tokens]));
    close(await generate(optionsFor(plain, { steering: steered(1, 0) })), unsteered);
  });
  it('gives the log-probabilities of a hand calculation, with a strength of its own for each token', async () => {
    const model = lively(1);
    // a block that adds nothing leaves embedding + position, to which strength · direction is added
    for (const { name } of model.parameters.slots)
      if (/c_proj/.test(name)) model.parameters.view(name).fill(0);
    const of = (name: string) => model.parameters.view(`transformer.${name}`);
    const strength = ({ made }: { made: readonly number[] }) => 0.5 * (made.length + 1);
    const rows = [{ prompt: Int32Array.of(1, 4, 5), promptId: 'p', sample: 0 }];
    const [{ tokens, logp }] = await generate(
      optionsFor(model, { rows, temperature: 1, steering: steered(0, strength) }),
    );
    logp.forEach((value, t) => {
      const at = 2 + t;
      const x = Array.from({ length: D }, (_, d) => {
        const embedded = of('wte.weight')[tokens[at] * D + d] + of('wpe.weight')[at * D + d];
        return embedded + 0.5 * (t + 1) * direction[d];
      });
      const mean = x.reduce((a, b) => a + b) / D;
      const variance = x.reduce((sum, each) => sum + (each - mean) ** 2, 0) / D;
      const normed = x.map(
        (each, d) => ((each - mean) / Math.sqrt(variance + 1e-5)) * of('ln_f.weight')[d] + of('ln_f.bias')[d],
      );
      const logits = Array.from({ length: V }, (_, v) =>
        normed.reduce((sum, each, d) => sum + each * of('wte.weight')[v * D + d], 0),
      );
      const top = Math.max(...logits);
      const whole = top + Math.log(logits.reduce((sum, z) => sum + Math.exp(z - top), 0));
      expect(value).toBeCloseTo(logits[tokens[at + 1]] - whole, 3);
    });
    expect(logp.length).toBeGreaterThan(2);
  });
  it('does not depend on the other rows', async () => {
    const model = lively(2);
    const steering = steered(1, ({ made }) => made.length - 2);
    const all = await generate(optionsFor(model, { steering }));
    const alone = await generate(optionsFor(model, { steering, rows: optionsFor(model).rows.slice(9) }));
    expect(alone.map(({ tokens }) => [...tokens])).toEqual(all.slice(9).map(({ tokens }) => [...tokens]));
  });
  it('must fit the model', async () => {
    const wrong = [steered(2, 1), { ...steered(0, 1), direction: direction.subarray(1) }];
    const errors = await Promise.all(
      wrong.map((steering) => rejected(generate(optionsFor(lively(2), { steering })))),
    );
    expect(errors.map(({ kind, where }) => [kind, where])).toEqual([
      ['invalid-input', 'sampling.steering.layer'],
      ['invalid-input', 'sampling.steering'],
    ]);
  });
});

describe('the mean hidden state', () => {
  it('is that of the places from which the answer is predicted, whatever the other texts', async () => {
    const model = lively(1);
    for (const { name } of model.parameters.slots)
      if (/c_proj/.test(name)) model.parameters.view(name).fill(0);
    const [wte, wpe] = ['wte', 'wpe'].map((name) => model.parameters.view(`transformer.${name}.weight`));
    const texts = [
      { tokens: [1, 4, 5, 6], from: 2 },
      { tokens: [1, 7], from: 1 },
      { tokens: [1, 2, 3], from: 3 },
    ];
    const [two, one, none] = await meanHidden(device, model, texts, 0);
    const state = (token: number, at: number, d: number) => wte[token * D + d] + wpe[at * D + d];
    two.forEach((x, d) => expect(x).toBeCloseTo((state(4, 1, d) + state(5, 2, d)) / 2, 5));
    one.forEach((x, d) => expect(x).toBeCloseTo(state(1, 0, d), 5));
    expect([...none]).toEqual(Array.from({ length: D }, () => 0));
    differenceOfMeans([two, one], [one]).forEach((x, d) => expect(x).toBeCloseTo((two[d] - one[d]) / 2, 5));
  });
});
