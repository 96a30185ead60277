/**
 * Time of one training step: forward, backward, clipping and AdamW of a GPT-2 in one graph, state in place. Every figure stands beside the rate of
 * matrix products of the step's own shapes, since processors and loads differ: FLOP ÷ that rate is what no better graph could save.
 */
import { cpus } from 'node:os';
import { configOf } from '../../engine/models/config.ts';
import { transformerOf } from '../../engine/models/families/index.ts';
import { forward, logitsOf } from '../../engine/models/forward.ts';
import { layoutOf } from '../../engine/models/parameters.ts';
import { flatParameters } from '../../engine/models/symbols.ts';
import { initialState, inPlaceOutputs, optimizerState, optimizerStep } from '../../engine/optim/index.ts';
import { openDevice, type Device, type Feeds, type Program } from '../../engine/runtime/index.ts';
import { concat, grad, input, matmul, mean, neg, reshape, sum, tokenLogp, type Expr } from '../../engine/tensor/index.ts';
import { randomFloats, uniforms } from '../support/tensors.ts';

interface Size { readonly width: number; readonly layers: number; readonly heads: number; readonly context: number; readonly batch: number; readonly vocabulary: number; readonly steps: number }

/** `small` is the demo's model; (a) and (b) are the reference models of every comparison. */
const sizes: Record<string, Size> = {
  small: { width: 64, layers: 3, heads: 4, context: 56, batch: 32, vocabulary: 64, steps: 60 },
  a: { width: 256, layers: 4, heads: 4, context: 128, batch: 16, vocabulary: 512, steps: 12 },
  b: { width: 512, layers: 8, heads: 8, context: 256, batch: 4, vocabulary: 8192, steps: 6 },
};

/** Floating-point operations of one step: three products forward and backward for each weight, and the two of attention. */
const flopOf = ({ width, layers, context, batch, vocabulary }: Size): number => {
  const tokens = batch * context;
  return 6 * tokens * (12 * layers * width ** 2 + vocabulary * width) + 12 * tokens * context * width * layers;
};

const float32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const optimizer = { kind: 'adamw' as const, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };

const trainingStep = async (device: Device, size: Size): Promise<{ program: Program; feeds: Feeds; parameters: number; compileMs: number }> => {
  const start = performance.now();
  const { batch, context, vocabulary } = size;
  const config = configOf({ family: 'gpt2', ...size }, vocabulary);
  const slots = layoutOf(transformerOf(config).parameters());
  const parameters = slots.reduce((total, slot) => total + slot.size, 0);
  const flat = input('parameters', float32(parameters));
  const tokens = input('tokens', { dtype: 'int32', shape: [batch, context] });
  const targets = input('targets', { dtype: 'int32', shape: [batch * context] });
  const lookup = flatParameters(slots, flat);
  const loss = neg(mean(tokenLogp(logitsOf(config, lookup, forward({ config, parameters: lookup, tokens })), targets)));
  const state = optimizerState(optimizer, [flat]);
  const result = optimizerStep(optimizer, { loss, params: [flat], grads: grad(loss, [flat]), state, learningRate: input('learningRate', float32()) });
  const { outputs, inPlace } = inPlaceOutputs(result, { parameters: flat });
  const report = concat([loss, result.metrics.gradNorm, result.metrics.skipped].map((x) => reshape(x, [1])), 0);
  const ids = (seed: number) => Int32Array.from(uniforms(seed, batch * context), (u) => Math.floor(u * vocabulary));
  const program = await device.compile({ name: 'training step', outputs: { ...outputs, report }, inPlace });
  const compileMs = performance.now() - start;
  return { program, parameters, compileMs, feeds: { ...initialState(state), parameters: randomFloats(1, [parameters], [-0.03, 0.03]), learningRate: Float32Array.of(1e-4), tokens: ids(2), targets: ids(3) } };
};

/** The three products of the widest layer, forward and backward. */
const products = async (device: Device, { width, batch, context }: Size): Promise<{ program: Program; feeds: Feeds; flop: number }> => {
  const rows = batch * context;
  const [x, w, g] = [input('x', float32(rows, width)), input('w', float32(width, 4 * width)), input('g', float32(rows, 4 * width))];
  const first = (y: Expr) => sum(y, 1); // a pass over the product, so that little is returned
  const outputs = { y: first(matmul(x, w)), dx: first(matmul(g, w, { transposeB: true })), dw: first(matmul(x, g, { transposeA: true })) };
  return {
    program: await device.compile({ name: 'products', outputs }), flop: 6 * rows * width * 4 * width,
    feeds: { x: randomFloats(1, x.type.shape), w: randomFloats(2, w.type.shape), g: randomFloats(3, g.type.shape) },
  };
};

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];

const timesOf = async (program: Program, feeds: Feeds, count: number): Promise<number[]> => {
  await program.run(feeds);
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const start = performance.now();
    await program.run(feeds);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
};

export interface TrainFigures {
  readonly model: string;
  readonly processor: string;
  readonly threads: number;
  readonly parameters: number;
  /** Building, differentiating, rewriting and lowering the graph, and making its session. */
  readonly compileMs: number;
  readonly stepMs: { readonly least: number; readonly median: number; readonly p90: number };
  readonly gigaflop: number;
  /** Of matrix products alone, in GFLOP/s (median); and what a step of nothing else would take. */
  readonly productRate: number;
  readonly productBoundMs: number;
}

/** Measures one model by name; throws for a name that is not there. */
export const measureTraining = async (model: string, threads: number): Promise<TrainFigures> => {
  const size = sizes[model];
  if (!size) throw new Error(`There is no model '${model}'; there are ${Object.keys(sizes).join(', ')}.`);
  const device = await openDevice({ id: 'cpu', threads });
  const { program, feeds, parameters, compileMs } = await trainingStep(device, size);
  const times = await timesOf(program, feeds, size.steps);
  const alone = await products(device, size);
  const productRate = alone.flop / quantile(await timesOf(alone.program, alone.feeds, 30), 0.5) / 1e6;
  const flop = flopOf(size);
  await device.close();
  return {
    model, processor: cpus()[0].model, threads, parameters, compileMs,
    stepMs: { least: times[0], median: quantile(times, 0.5), p90: quantile(times, 0.9) },
    gigaflop: flop / 1e9, productRate, productBoundMs: flop / productRate / 1e6,
  };
};

export const trainModels = Object.keys(sizes);
