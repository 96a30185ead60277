/** The optimizer in the graph against plain float64 TypeScript, over several steps, in place. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  initialState,
  inPlaceOutputs,
  optimizerState,
  optimizerStep,
  type OptimizerSettings,
} from '../../../engine/optim/index.ts';
import { openDevice, valuesOf, type Device, type Program } from '../../../engine/runtime/index.ts';
import { add, grad, input, mul, sum } from '../../../engine/tensor/index.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

const shapes = [[3, 2], [4]];
const scalarType = { dtype: 'float32', shape: [] } as const;
const adamw: OptimizerSettings = {
  kind: 'adamw',
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.1,
  clipNorm: 1,
};
const rates = [0.1, 0.05, 0.2, 0.1, 0.1];

type Arrays = Record<string, Float32Array>;
const start = (): Arrays => ({ p0: randomFloats(1, shapes[0]), p1: randomFloats(2, shapes[1]) });
/**
 * Inputs of step t: coefficients c of the loss Σ c·p², large at first so that only some steps are clipped.
 */
const coefficients = (t: number): Arrays =>
  Object.fromEntries(
    shapes.map((shape, at) => [
      `c${at}`,
      randomFloats(10 * t + at + 3, shape, t < 2 ? [0.5, 2] : [0.01, 0.05]),
    ]),
  );

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Loss Σ c·p²: its gradient 2cp depends on the parameters, and c can be any input. */
const build = (settings: OptimizerSettings) => {
  const params = shapes.map((shape, at) => input(`p${at}`, { dtype: 'float32', shape }));
  const loss = params
    .map((p, at) => sum(mul(input(`c${at}`, p.type), mul(p, p))))
    .reduce((a, b) => add(a, b));
  const state = optimizerState(settings, params);
  const result = optimizerStep(settings, {
    loss,
    params,
    grads: grad(loss, params),
    state,
    learningRate: input('learningRate', scalarType),
  });
  const { outputs, inPlace } = inPlaceOutputs(result, { p0: params[0], p1: params[1] });
  return {
    plan: { name: settings.kind, outputs: { loss, ...result.metrics, ...outputs }, inPlace },
    arrays: { ...start(), ...initialState(state) },
  };
};

/** The same, computed one number at a time. */
const reference = (settings: OptimizerSettings, steps: number) => {
  const p = Object.values(start()).flatMap((x) => Array.from(x));
  const [m, v] = [p.map(() => 0), p.map(() => 0)];
  const norms: number[] = [];
  for (let t = 1; t <= steps; t++) {
    const c = Object.values(coefficients(t - 1)).flatMap((x) => Array.from(x));
    const g = p.map((x, i) => 2 * c[i] * x);
    const norm = Math.hypot(...g);
    norms.push(norm);
    const updates = g
      .map((raw, i) => {
        const x = raw * Math.min(1, settings.clipNorm / norm);
        if (settings.kind === 'sgd') return (m[i] = settings.beta1 * m[i] + x);
        if (settings.kind === 'lion') {
          const mixed = Math.sign(settings.beta1 * m[i] + (1 - settings.beta1) * x);
          m[i] = settings.beta2 * m[i] + (1 - settings.beta2) * x;
          return mixed;
        }
        m[i] = settings.beta1 * m[i] + (1 - settings.beta1) * x;
        v[i] = settings.beta2 * v[i] + (1 - settings.beta2) * x * x;
        return (
          m[i] / (1 - settings.beta1 ** t) / (Math.sqrt(v[i] / (1 - settings.beta2 ** t)) + settings.epsilon)
        );
      })
      .map((u, i) => -rates[t - 1] * (u + settings.weightDecay * p[i]));
    updates.forEach((u, i) => {
      p[i] += u;
    });
  }
  return { p, norms };
};

const run = (program: Program, arrays: Arrays, t: number, over: Arrays = {}) =>
  program.run({ ...arrays, ...coefficients(t), learningRate: Float32Array.of(rates[t]), ...over });

describe.each([
  ['AdamW', adamw],
  ['AdamW without decay, β₂ = 0.999', { ...adamw, weightDecay: 0, beta2: 0.999 }],
  ['Lion', { ...adamw, kind: 'lion' as const, beta2: 0.99 }],
  ['momentum', { ...adamw, kind: 'sgd' as const }],
  ['plain gradient descent', { ...adamw, kind: 'sgd' as const, beta1: 0, weightDecay: 0 }],
])('%s', (_, settings) => {
  it('follows the float64 reference over five steps, some of them clipped', async () => {
    const { plan, arrays } = build(settings);
    const program = await device.compile(plan);
    expect(Object.values(program.inPlace).every(({ how }) => how === 'shared')).toBe(true);
    const norms: number[] = [];
    for (let t = 0; t < rates.length; t++) {
      const results = await run(program, arrays, t);
      norms.push(valuesOf(results, 'gradNorm', 'float32')[0]);
      expect(valuesOf(results, 'skipped', 'float32')[0]).toBe(0);
    }
    const expected = reference(settings, rates.length);
    expect(
      expected.norms.some((norm) => norm > settings.clipNorm) &&
        expected.norms.some((norm) => norm < settings.clipNorm),
    ).toBe(true);
    expect(worstError(norms, expected.norms)).toBeLessThan(2e-5);
    expect(worstError([...arrays.p0, ...arrays.p1], expected.p)).toBeLessThan(2e-5);
    expect(arrays['optimizer/step'][0]).toBe(rates.length);
  });

  it.each([
    ['NaN', NaN],
    ['infinity', Infinity],
    ['an overflow in the norm', 3e38],
  ])('ignores a step whose gradient contains %s', async (_name, bad) => {
    const { plan, arrays } = build(settings);
    const program = await device.compile(plan);
    await run(program, arrays, 0);
    const before = structuredClone(arrays);
    const poisoned = coefficients(1);
    poisoned.c1[2] = bad;
    const results = await run(program, arrays, 1, poisoned);
    expect(valuesOf(results, 'skipped', 'float32')[0]).toBe(1);
    expect(arrays).toEqual(before);
    // The next finite step continues from there.
    await run(program, arrays, 1);
    expect(worstError([...arrays.p0, ...arrays.p1], reference(settings, 2).p)).toBeLessThan(2e-5);
  });
});

it('skips a step if only its loss is not finite', async () => {
  const { plan, arrays } = build(adamw);
  const loss = mul(plan.outputs.loss, input('factor', scalarType));
  const params = shapes.map((shape, at) => input(`p${at}`, { dtype: 'float32', shape }));
  const result = optimizerStep(adamw, {
    loss,
    params,
    grads: params,
    state: optimizerState(adamw, params),
    learningRate: input('learningRate', scalarType),
  });
  const program = await device.compile({
    name: 'bad-loss',
    ...inPlaceOutputs(result, { p0: params[0], p1: params[1] }),
  });
  const before = structuredClone(arrays);
  await run(program, arrays, 0, { factor: Float32Array.of(NaN) });
  expect(arrays).toEqual(before);
});

it('is stable with a gradient of zero', async () => {
  const { plan, arrays } = build({ ...adamw, weightDecay: 0 });
  const before = [...arrays.p0];
  const zero = Object.fromEntries(Object.entries(coefficients(0)).map(([name, x]) => [name, x.fill(0)]));
  const results = await run(await device.compile(plan), arrays, 0, zero);
  expect(valuesOf(results, 'gradNorm', 'float32')[0]).toBe(0);
  expect([...arrays.p0]).toEqual(before);
});

it('moves every parameter by the learning rate in Adam’s first step, for any decay of its moments', async () => {
  const { plan, arrays } = build({ ...adamw, weightDecay: 0, beta2: 0.9999 });
  const before = [...arrays.p0];
  await run(await device.compile(plan), arrays, 0);
  before.forEach((x, at) => expect(Math.abs(arrays.p0[at] - x) / rates[0]).toBeCloseTo(1, 5));
});
