/**
 * Training steps through the engine, as in a run of supervised fine-tuning: its objective, updater and
 * device.
 */
import { writeFileSync } from 'node:fs';
import { configOf } from '../../../engine/models/config.ts';
import { createAdapter } from '../../../engine/models/adapters/lora.ts';
import { transformerOf } from '../../../engine/models/families/index.ts';
import { frozenBase } from '../../../engine/models/inputs.ts';
import { createModel, trainedOf, type Model } from '../../../engine/models/model.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { likelihood } from '../../../engine/rl/parts/objectives/likelihood.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { openDevice, type DeviceOptions } from '../../../engine/runtime/index.ts';
import { dequantize, evaluate, input } from '../../../engine/tensor/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { optimizer, type Size } from '../sizes.ts';

/** Distinct batches, used in turn. */
const BATCHES = 4;

/** Rows of random tokens, as long as the model's context; all but the first token of each are trained. */
export const batchesOf = ({ batch, context, vocabulary }: Size, seed: number): Table[] =>
  Array.from({ length: BATCHES }, (_, at) => {
    const draw = stream(seed, 'tokens', at);
    const rows = Array.from({ length: batch }, () =>
      Int32Array.from({ length: context }, () => draw.int(vocabulary)),
    );
    return {
      tokens: ragged(rows, Int32Array),
      mask: ragged(rows, Uint8Array, (row) => new Uint8Array(row.length).fill(1, 1)),
      weight: new Float64Array(batch).fill(1),
      promptId: Float64Array.from({ length: batch }, (_x, r) => r),
    };
  });

export interface Opened {
  readonly parameters: number;
  readonly compileMs: number;
  readonly loss: number;
  readonly gradNorm: number;
}
export interface Training {
  step(): Promise<{ readonly loss: number; readonly gradNorm: number }>;
  close(): Promise<void>;
  readonly opened: Opened;
}

const modelOf = ({ adapter, ...size }: Size): Model => {
  const model = createModel(configOf({ family: 'gpt2', ...size }, size.vocabulary), 1, adapter?.base);
  if (!adapter) return model;
  return {
    ...model,
    adapter: createAdapter(
      model,
      { base: 'float32', ...adapter, targets: ['all-linear'], rsLora: false },
      { seed: 1, base: { path: '', hash: null } },
    ),
  };
};

/** Every parameter in the model's order; the other side gets dequantized matrices. */
function* numbersOf({ config, parameters, quantized }: Model): Generator<Float32Array> {
  for (const {
    name,
    shape: [rows, columns],
  } of transformerOf(config).parameters()) {
    if (!quantized?.has(name)) yield parameters.view(name);
    else {
      const { codes, scales } = quantized.view(name);
      const blocks = scales.length;
      const matrix = dequantize(
        input('codes', { dtype: 'uint8', shape: [blocks, codes.length / blocks] }),
        input('scales', { dtype: 'float32', shape: [blocks] }),
        { format: quantized.format, shape: [rows, columns] },
      );
      yield Float32Array.from(evaluate([matrix], { codes, scales })[0].data);
    }
  }
}

/**
 * A model at its first step, which compiles. With `files`, first writes its parameters and batches there for
 * the other side.
 */
export const openTraining = async (
  size: Size,
  options: DeviceOptions,
  files?: { readonly parameters: string; readonly tokens: string },
): Promise<Training> => {
  const device = await openDevice(options);
  const model = modelOf(size);
  const { config } = model;
  const parameters = trainedOf(model);
  const base = frozenBase(model);
  const batches = batchesOf(size, 2);
  if (files) {
    writeFileSync(files.parameters, new Uint8Array());
    for (const values of numbersOf(model)) writeFileSync(files.parameters, values, { flag: 'a' });
    if (base) writeFileSync(files.parameters, parameters.flat, { flag: 'a' });
    writeFileSync(
      files.tokens,
      Int32Array.from(batches.flatMap(({ tokens }) => [...(tokens as { values: Int32Array }).values])),
    );
  }
  const learner = new Updater({
    device,
    graph: modelGraph(config),
    parameters,
    ...(base && { base }),
    objective: likelihood({ average: 'token' }),
    optimizer,
    limits: { maxTokens: size.context },
    temperature: 1,
    steps: 1e6,
  });
  let done = 0;
  const step = async () => {
    const { loss, gradNorm, skipped } = await learner.update(batches[done % BATCHES], done++);
    if (skipped) throw new Error(`step ${done} was skipped`);
    return { loss, gradNorm };
  };
  const start = performance.now();
  const first = await step();
  return {
    step,
    close: () => device.close(),
    opened: { parameters: parameters.size, compileMs: performance.now() - start, ...first },
  };
};
