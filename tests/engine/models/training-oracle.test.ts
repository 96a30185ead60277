import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { flatParameters } from '../../../engine/models/symbols.ts';
import { initialState, inPlaceOutputs, optimizerState, optimizerStep } from '../../../engine/optim/index.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { div, grad, input, mul, neg, sum, tokenLogp } from '../../../engine/tensor/index.ts';

interface Expected {
  readonly tokens: number[][];
  readonly adamw: {
    readonly learningRate: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    readonly clipNorm: number;
    readonly steps: readonly {
      readonly loss: number;
      readonly gradNorm: number;
      readonly parameterNorms: Readonly<Record<string, number>>;
    }[];
  };
}

const folder = new URL('../../support/oracles/gpt2/', import.meta.url);
const { tokens, adamw } = JSON.parse(await readFile(new URL('expected.json', folder), 'utf8')) as Expected;
const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

it('takes the three clipped AdamW steps that PyTorch takes on the GPT-2 of Transformers', async () => {
  const { config, parameters } = await readModelFolder(fileURLToPath(folder));
  const flat = input('parameters', { dtype: 'float32', shape: [parameters.size] });
  const lookup = flatParameters(parameters.slots, flat);
  const [B, T] = [tokens.length, tokens[0].length];
  const hidden = forward({
    config,
    parameters: lookup,
    tokens: input('tokens', { dtype: 'int32', shape: [B, T] }),
  });
  const logp = tokenLogp(
    logitsOf(config, lookup, hidden),
    input('targets', { dtype: 'int32', shape: [B * T] }),
  );
  const weight = input('weight', { dtype: 'float32', shape: [B * T] });
  const loss = neg(div(sum(mul(logp, weight)), sum(weight)));
  const settings = {
    kind: 'adamw' as const,
    beta1: adamw.beta1,
    beta2: adamw.beta2,
    epsilon: adamw.epsilon,
    weightDecay: adamw.weightDecay,
    clipNorm: adamw.clipNorm,
  };
  const state = optimizerState(settings, [flat]);
  const step = optimizerStep(settings, {
    loss,
    params: [flat],
    grads: grad(loss, [flat]),
    state,
    learningRate: input('learningRate', { dtype: 'float32', shape: [] }),
  });
  const { outputs, inPlace } = inPlaceOutputs(step, { parameters: flat });
  const program = await device.compile({
    name: 'three steps',
    outputs: { ...outputs, loss, gradNorm: step.metrics.gradNorm },
    inPlace,
  });
  const feeds = {
    parameters: parameters.flat,
    ...initialState(state),
    learningRate: Float32Array.of(adamw.learningRate),
    tokens: Int32Array.from(tokens.flat()),
    targets: Int32Array.from(tokens.flatMap((row) => [...row.slice(1), 0])),
    weight: Float32Array.from(tokens.flatMap((row) => row.map((_, t) => Number(t < T - 1)))),
  };
  for (const expected of adamw.steps) {
    const out = await program.run(feeds);
    expect(valuesOf(out, 'loss', 'float32')[0]).toBeCloseTo(expected.loss, 5);
    expect(valuesOf(out, 'gradNorm', 'float32')[0] / expected.gradNorm).toBeCloseTo(1, 5);
    for (const [name, norm] of Object.entries(expected.parameterNorms)) {
      const own = Math.sqrt(parameters.view(name).reduce((total, x) => total + x * x, 0));
      // softmax is invariant to a bias of the keys: its gradient is rounding error, which Adam scales up to
      // full steps
      expect(own / norm, name).toBeCloseTo(1, name.endsWith('c_attn.bias') ? 2 : 4);
    }
  }
});
