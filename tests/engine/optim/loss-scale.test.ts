/** Gradients that overflow as in float16, simulated in float32: beyond 65,504 they are infinite. */
import { afterAll, expect, it } from 'vitest';
import {
  initialState,
  inPlaceOutputs,
  lossScale,
  optimizerState,
  optimizerStep,
  type LossScaling,
  type OptimizerSettings,
} from '../../../engine/optim/index.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { abs, greater, grad, input, mul, square, sum, where } from '../../../engine/tensor/index.ts';
import { worstError } from '../../support/tensors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const settings: OptimizerSettings = {
  kind: 'adamw',
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.1,
  clipNorm: 1,
};

const training = async (lossScaling?: LossScaling) => {
  const p = input('p', { dtype: 'float32', shape: [3] });
  const learningRate = input('learningRate', { dtype: 'float32', shape: [] });
  const own = { ...settings, ...(lossScaling && { lossScaling }) };
  const loss = sum(mul(square(p), input('c', p.type)));
  const [exact] = grad(lossScaling ? mul(loss, lossScale(lossScaling)) : loss, [p]);
  const half = where(greater(abs(exact), 65_504), Infinity, exact);
  const state = optimizerState(own, [p]);
  const result = optimizerStep(own, {
    loss,
    params: [p],
    grads: [lossScaling ? half : exact],
    state,
    learningRate,
  });
  const program = await device.compile({
    name: 'scaled',
    outputs: { ...inPlaceOutputs(result, { p }).outputs, ...result.metrics },
    inPlace: inPlaceOutputs(result, { p }).inPlace,
  });
  const arrays: Record<string, Float32Array> = { p: Float32Array.of(1, -2, 0.5), ...initialState(state) };
  return {
    arrays,
    step: async (c: number) => {
      const results = await program.run({
        ...arrays,
        c: new Float32Array(3).fill(c),
        learningRate: Float32Array.of(0.1),
      });
      return {
        skipped: valuesOf(results, 'skipped', 'float32')[0],
        gradNorm: valuesOf(results, 'gradNorm', 'float32')[0],
      };
    },
  };
};

it('halves until the gradients fit, without other changes', async () => {
  const { arrays, step } = await training({});
  const start = structuredClone(arrays);
  // |gradient| is at most 4, so the first factor below 16,376 fits
  for (const scale of [32_768, 16_384, 8_192]) {
    expect((await step(1)).skipped).toBe(1);
    expect(arrays).toEqual({ ...start, 'optimizer/lossScale': Float32Array.of(scale) });
  }
  expect((await step(1)).skipped).toBe(0);
  expect([
    arrays['optimizer/lossScale'][0],
    arrays['optimizer/goodSteps'][0],
    arrays['optimizer/step'][0],
  ]).toEqual([8_192, 1, 1]);
});

it('doubles after a number of consecutive finite steps', async () => {
  const { arrays, step } = await training({ initial: 64, patience: 3 });
  const scales: number[] = [];
  for (const c of [1, 1, 1, 1, 1, 1e6, 1, 1, 1]) {
    await step(c);
    scales.push(arrays['optimizer/lossScale'][0]);
  }
  expect(scales).toEqual([64, 64, 128, 128, 128, 64, 64, 64, 128]);
});

it('takes the same steps as without scaling, and reports the same norm', async () => {
  const [scaled, plain] = [await training({ initial: 1024 }), await training()];
  for (const c of [1, 0.3, 2, 1e-6, 1])
    expect(worstError([(await scaled.step(c)).gradNorm], [(await plain.step(c)).gradNorm])).toBeLessThan(
      1e-6,
    );
  expect(worstError(scaled.arrays.p, plain.arrays.p)).toBeLessThan(1e-6);
});
