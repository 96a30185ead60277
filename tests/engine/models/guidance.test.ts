import { afterAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import { generate, type GenerateOptions, type Guidance } from '../../../engine/models/generate/generate.ts';
import { nextTokenLogits } from '../../../engine/models/logits.ts';
import { createModel, withHead, type Model } from '../../../engine/models/model.ts';
import { guidanceBy } from '../../../engine/rl/compute/decoding.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { fixedModel } from '../../support/fixed-model.ts';
import { rejected } from '../../support/errors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const lively = (seed: number, layers: number, heads = 2): Model => {
  const model = createModel(configOf({ family: 'gpt2', width: 16, layers, heads, context: 32 }, 13), seed);
  for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= 5;
  return model;
};
const optionsFor = (model: Model, more: Partial<GenerateOptions> = {}): GenerateOptions => ({
  device,
  model,
  rows: Array.from({ length: 7 }, (_, r) => ({
    prompt: Int32Array.of(1, ...Array.from({ length: 1 + (r % 3) }, (_x, t) => 3 + t + (r % 4))),
    promptId: `p${r % 5}`,
    sample: r,
  })),
  temperature: 0.8,
  maxTokens: 9,
  seed: 4,
  purpose: 'guidance',
  step: 0,
  ...more,
});
const normalized = (logits: readonly number[]): number[] => {
  const top = Math.max(...logits);
  const whole = Math.log(logits.reduce((sum, x) => sum + Math.exp(x - top), 0)) + top;
  return logits.map((x) => x - whole);
};
const firstTokens = async (own: Model, guidance: Guidance, temperature = 1) => {
  const rows = Array.from({ length: 200 }, (_, sample) => ({
    prompt: Int32Array.of(1),
    promptId: '?',
    sample,
  }));
  const answers = await generate(optionsFor(own, { rows, temperature, maxTokens: 1, guidance }));
  return new Map(answers.map(({ tokens, logp }) => [tokens[1], Math.exp(logp[0])]));
};

describe('a second model', () => {
  const [own, guide] = [lively(3, 1), lively(8, 2)];

  it.each([
    ['mix', 0.4],
    ['mix', 2],
    ['add', 0.5],
    ['add', -0.3],
  ] as const)('shifts every token as stated: %s, weight %d', async (how, weight) => {
    const guidance = guidanceBy({ how, weight }, guide);
    const answers = await generate(optionsFor(own, { guidance }));
    for (const { tokens, promptLength, logp } of answers) {
      const [mine, theirs] = await Promise.all(
        [own, guide].map((model) => nextTokenLogits(device, model, [...tokens], true)),
      );
      logp.forEach((value, t) => {
        const at = promptLength + t - 1;
        const [a, b] = [normalized(mine[at]), normalized(theirs[at])];
        const mixed = a.map((x, v) => (how === 'mix' ? weight * x + (1 - weight) * b[v] : x + weight * b[v]));
        expect(value).toBeCloseTo(normalized(mixed.map((x) => x / 0.8))[tokens[at + 1]], 3);
      });
    }
  });
  it('changes nothing at weight 1 of a mix, in a batch of any company', async () => {
    const guidance = guidanceBy({ how: 'mix', weight: 1 }, guide);
    const plain = await generate(optionsFor(own));
    const same = await generate(optionsFor(own, { guidance }));
    expect(same.map(({ tokens }) => [...tokens])).toEqual(plain.map(({ tokens }) => [...tokens]));
    const guided = guidanceBy({ how: 'mix', weight: 1.7 }, guide);
    const all = await generate(optionsFor(own, { guidance: guided }));
    const few = optionsFor(own).rows.slice(5);
    const alone = await generate(optionsFor(own, { guidance: guided, rows: few }));
    expect(alone.map(({ tokens }) => [...tokens])).toEqual(all.slice(5).map(({ tokens }) => [...tokens]));
  });
  it('decides greedy answers too', async () => {
    const guidance = guidanceBy({ how: 'mix', weight: 0 }, guide);
    const guided = await generate(optionsFor(own, { guidance, greedy: true }));
    const theirs = await generate(optionsFor(guide, { greedy: true }));
    expect(guided.map(({ tokens }) => [...tokens])).toEqual(theirs.map(({ tokens }) => [...tokens]));
  });
  it('must know the same tokens and write text, with a cache that grows in place', async () => {
    const guidance = (model: Model) => ({ guidance: { model, own: 1, theirs: 1 } });
    const wrong = [fixedModel([0, 0, 0, 0]), withHead(guide, 'reward', 1), lively(3, 1, 4)];
    const errors = await Promise.all(
      wrong.map((model) => rejected(generate(optionsFor(own, guidance(model))))),
    );
    expect(errors.map(({ kind, where }) => [kind, where])).toEqual([
      ['invalid-input', 'sampling.guidance'],
      ['invalid-input', 'sampling.guidance'],
      ['unsupported', 'sampling.guidance'],
    ]);
  });
});

// closed-forms.md: π* ∝ π_ref · exp(r ⁄ β) on three arms with rewards 1, 0, −1 and a uniform reference
const never = -1e4;
const uniform = fixedModel([never, never, never, 0, 0, 0]);
describe('on the bandit', () => {
  it.each([
    [1, [0.66524, 0.24473, 0.09003]],
    [2, [0.86681, 0.11731, 0.01588]],
    [0.5, [0.50648, 0.3072, 0.18632]],
    [0, [1 / 3, 1 / 3, 1 / 3]],
  ])('RL guidance by w = %d of the optimum at β = 1 is the optimum at β ⁄ w', async (weight, arms) => {
    const tuned = fixedModel([never, never, never, 1, 0, -1]);
    const drawn = await firstTokens(tuned, guidanceBy({ how: 'mix', weight }, uniform));
    for (const [token, p] of drawn) expect(p, `arm ${token - 3}`).toBeCloseTo(arms[token - 3], 5);
    expect(drawn.size).toBeGreaterThanOrEqual(2);
  });
  it.each([1, 0.5])('an autoregressive reward model at 1 ⁄ β, β = %d, gives π · exp(r ⁄ β)', async (beta) => {
    const reward = fixedModel([never, never, never, 1, 0, -1]);
    const base = fixedModel([never, never, never, -0.5, 0.2, 0.4]);
    const drawn = await firstTokens(base, guidanceBy({ how: 'add', weight: 1 / beta }, reward));
    const expected = normalized([-0.5 + 1 / beta, 0.2, 0.4 - 1 / beta]).map(Math.exp);
    for (const [token, p] of drawn) expect(p).toBeCloseTo(expected[token - 3], 5);
  });
});
