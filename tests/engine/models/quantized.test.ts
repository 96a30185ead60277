import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { createAdapter } from '../../../engine/models/adapters/lora.ts';
import { openModelFolder, readCheckpoint, writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { configOf } from '../../../engine/models/config.ts';
import { transformerOf } from '../../../engine/models/families/index.ts';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { generate } from '../../../engine/models/generate/generate.ts';
import { inputsOf } from '../../../engine/models/inputs.ts';
import { createModel, merged, sizeOf, withHead, type Model } from '../../../engine/models/model.ts';
import { layoutOf, ParameterSet } from '../../../engine/models/parameters.ts';
import { blockOf, partsFor, QuantizedSet } from '../../../engine/models/quantized.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { Device, openDevice, Tally, type Program } from '../../../engine/runtime/index.ts';
import { peakBytes } from '../../../engine/runtime/footprint.ts';
import {
  dequantize,
  evaluate,
  grad,
  input,
  mean,
  normalFloats,
  square,
  tokenLogp,
  type Expr,
  type QuantizedFormat,
} from '../../../engine/tensor/index.ts';
import { charactersTokenizer } from '../../../engine/text/characters.ts';
import { randomFloats } from '../../support/tensors.ts';

const oracles = fileURLToPath(new URL('../../support/oracles/', import.meta.url));
const tokenizer = charactersTokenizer('abcdefg');
const formats = ['int8', 'int4', 'nf4'] as const;

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-quantized-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

/** The dequantized values of a matrix. */
const numbersOf = (set: QuantizedSet, name: string): Float32Array => {
  const { codes, scales } = set.view(name);
  const blocks = scales.length;
  const [rows, columns] = set.slots.find((slot) => slot.name === name)!.shape;
  const [codesIn, scalesIn] = [
    input('codes', { dtype: 'uint8', shape: [blocks, codes.length / blocks] }),
    input('scales', { dtype: 'float32', shape: [blocks] }),
  ];
  return Float32Array.from(
    evaluate([dequantize(codesIn, scalesIn, { format: set.format, shape: [rows, columns] })], {
      codes,
      scales,
    })[0].data,
  );
};
const quantized = (format: QuantizedFormat, values: Float32Array): QuantizedSet => {
  const set = new QuantizedSet(format, [{ name: 'w', shape: [values.length / 64, 64] }]);
  set.set('w', values);
  return set;
};

describe('a quantized matrix', () => {
  test.each<[QuantizedFormat, number]>([
    ['int8', 1 / 2],
    ['int4', 1 / 2],
    ['nf4', (normalFloats[1] - normalFloats[0]) / 2],
  ])(
    'in %s differs by at most %d of its block’s scale, and not at all at the largest value',
    (format, bound) => {
      const values = randomFloats(3, [8, 64], [-3, 5]);
      const set = quantized(format, values);
      const { scales } = set.view('w');
      const block = blockOf[format];
      const made = numbersOf(set, 'w');
      values.forEach((value, at) =>
        expect(Math.abs(made[at] - value)).toBeLessThanOrEqual(bound * scales[Math.floor(at / block)] + 1e-6),
      );
      for (let b = 0; b < scales.length; b++) {
        const own = values.subarray(b * block, (b + 1) * block);
        const most = own.reduce((best, x, at) => (Math.abs(x) > Math.abs(own[best]) ? at : best), 0);
        // nf4 reaches both ends; the others are symmetric too
        expect(made[b * block + most]).toBeCloseTo(own[most], 5);
      }
      expect(quantized(format, made).codes).toEqual(set.codes);
    },
  );

  test('in int8 and int4 has the documented bytes', () => {
    const int8 = quantized(
      'int8',
      Float32Array.from({ length: 64 }, (_x, at) => (at === 5 ? -12.7 : at / 10)),
    );
    expect([int8.scales[0], ...int8.codes.subarray(3, 7)]).toEqual([Math.fround(0.1), 131, 132, 1, 134]);
    const int4 = quantized(
      'int4',
      Float32Array.from({ length: 64 }, (_x, at) => (at % 32) - 15),
    );
    const step = Math.fround(16 / 7);
    expect(int4.scales[0]).toBe(step);
    const code = (value: number): number => Math.round(value / step) + 8;
    expect([...int4.codes.subarray(0, 3)]).toEqual([
      code(-15) | (code(1) << 4),
      code(-14) | (code(2) << 4),
      code(-13) | (code(3) << 4),
    ]);
    expect(quantized('int4', new Float32Array(64)).scales[0]).toBe(0);
    expect(numbersOf(quantized('nf4', new Float32Array(64)), 'w').every((x) => x === 0)).toBe(true);
  });

  test('in nf4 has the bytes that bitsandbytes writes', () => {
    // bitsandbytes 0.50.2, functional.quantize_4bit(x, blocksize=64, quant_type='nf4')
    const right = [
      9, 28, 62, 96, 162, 212, 248, 27, 46, 95, 145, 195, 230, 10, 29, 78, 113, 178, 213, 248, 28, 62, 96,
      145, 212, 231, 11, 45, 79, 129, 178, 229,
    ];
    const { codes, scales } = quantized(
      'nf4',
      Float32Array.from({ length: 64 }, (_x, i) => (0.5 * (((i * 37) % 64) - 31.7)) / 32),
    );
    expect([...codes]).toEqual(right);
    expect(scales[0]).toBe(0.49531251192092896);
  });

  test('with a value that is not finite is rejected with its name', () => {
    for (const wrong of [NaN, Infinity])
      expect(() => quantized('int4', new Float32Array(64).fill(wrong, 3, 4))).toThrow(/NaN or infinite/);
  });
});

const shape = { family: 'gpt2', width: 16, layers: 2, heads: 2, context: 16 } as const;
const config = configOf(shape, tokenizer.vocabulary);
const settings = (base: 'float32' | QuantizedFormat) => ({
  rank: 3,
  alpha: 5,
  targets: ['all-linear'],
  rsLora: false,
  base,
});
const stirred = (model: Model): Model => {
  model.adapter?.parameters.flat.forEach((_x, at, flat) => {
    flat[at] = Math.sin(at + 1) / 4;
  });
  return model;
};
const withAdapter = (model: Model, base: 'float32' | QuantizedFormat): Model =>
  stirred({
    ...model,
    adapter: createAdapter(model, settings(base), { seed: 5, base: { path: folder, hash: null } }),
  });

/** The same model with its matrices dequantized to float32. */
const unpacked = ({ quantized: few, ...model }: Model): Model => {
  const parameters = new ParameterSet(layoutOf(transformerOf(model.config).parameters()));
  for (const { name } of parameters.slots)
    parameters.view(name).set(few?.has(name) ? numbersOf(few, name) : model.parameters.view(name));
  return { ...model, parameters };
};

const deviation = (made: ArrayLike<number>, right: ArrayLike<number>): number => {
  expect(made.length).toBe(right.length);
  const values = Array.from(right);
  return (
    Math.max(...values.map((value, at) => Math.abs(made[at] - value))) / Math.max(...values.map(Math.abs))
  );
};

const runOn = (program: Program, all: Record<string, Float32Array | Int32Array | Uint8Array>) =>
  program.run(Object.fromEntries(Object.entries(all).filter(([name]) => name in program.inputs)));

/** Logits, and the gradient of a loss for every matrix of the adapter. */
const outputsOf = async (model: Model): Promise<Record<string, ArrayLike<number>>> => {
  const { lookup, feeds } = inputsOf(model);
  const parameters = lookup();
  const tokens = [
    [1, 4, 5, 6],
    [2, 3, 7, 4],
  ];
  const hidden = forward({
    config: model.config,
    parameters,
    tokens: input('tokens', { dtype: 'int32', shape: [2, 4] }),
  });
  const logits = logitsOf(model.config, parameters, hidden);
  const names = model.adapter!.parameters.slots.map(({ name }) => name);
  const loss = mean(square(tokenLogp(logits, input('targets', { dtype: 'int32', shape: [8] }))));
  const grads = grad(
    loss,
    names.map((name) => parameters(name)),
    { recompute: true },
  );
  const outputs: Record<string, Expr> = {
    logits,
    loss,
    ...Object.fromEntries(names.map((name, at) => [`d ${name}`, grads[at]])),
  };
  const program = await device.compile({ name: 'outputs', outputs });
  return (await runOn(program, {
    ...(feeds as Record<string, Float32Array>),
    tokens: Int32Array.from(tokens.flat()),
    targets: Int32Array.of(4, 5, 6, 1, 3, 7, 4, 1),
  })) as Record<string, Float32Array>;
};

describe.each(formats)('a model with matrices in %s', (format) => {
  test('quantizes its dense matrices, keeps the rest in float32, and counts all parameters', () => {
    const model = createModel(config, 3, format);
    const whole = createModel(config, 3);
    expect(sizeOf(model)).toBe(sizeOf(whole));
    expect(model.quantized?.slots.map(({ name }) => name)).toEqual(
      whole.parameters.slots
        .map(({ name }) => name)
        .filter((name) => /\.(c_attn|c_proj|c_fc)\.weight$/.test(name)),
    );
    for (const { name } of model.parameters.slots)
      expect(model.parameters.view(name)).toEqual(whole.parameters.view(name));
    expect(model.quantized!.codes.byteLength).toBe((model.quantized!.size * (format === 'int8' ? 8 : 4)) / 8);
  });

  test.each(['gpt2', 'llama'])(
    'gives the outputs and gradients of the %s with dequantized matrices',
    async (name) => {
      const base =
        name === 'gpt2'
          ? createModel(config, 3, format)
          : (({ adapter: _, ...model }: Model) => model)(
              await readModelFolder(join(oracles, 'adapters', 'llama'), format),
            );
      expect(base.quantized!.size).toBeGreaterThan(0);
      const model = withAdapter(base, format);
      const [made, right] = [await outputsOf(model), await outputsOf(unpacked(model))];
      for (const [key, values] of Object.entries(right))
        expect(deviation(made[key], values), key).toBeLessThan(1e-5);
    },
  );

  test('generates the same with and without a cache, and the same as the dequantized model', async () => {
    const model = withAdapter(createModel(config, 3, format), format);
    const ask = {
      device,
      rows: [0, 1, 2].map((sample) => ({ prompt: Int32Array.of(1, 4, 5), promptId: 'p', sample })),
      temperature: 1,
      maxTokens: 9,
      seed: 1,
      purpose: 'test',
      step: 0,
    };
    const [own, right] = [
      await generate({ ...ask, model }),
      await generate({ ...ask, model: unpacked(model) }),
    ];
    expect(own.map(({ tokens }) => [...tokens])).toEqual(right.map(({ tokens }) => [...tokens]));
    const { values, offsets } = await liveModel(device, model).logp(
      ragged(own, Int32Array, ({ tokens }) => tokens),
      1,
    );
    own.forEach(({ logp, promptLength }, row) =>
      expect(deviation(values.subarray(offsets[row] + promptLength, offsets[row + 1]), logp)).toBeLessThan(
        1e-4,
      ),
    );
  });

  test('is in memory once: scoring and the inputs of graphs are views of its codes and scales', () => {
    const model = withAdapter(createModel(config, 3, format), format);
    const { codes, scales } = model.quantized!;
    for (const feeds of [liveModel(device, model).base!.inputs.feeds, inputsOf(model).feeds]) {
      for (const [name, { buffer }] of Object.entries(feeds)) {
        if (name.endsWith('/codes')) expect(buffer).toBe(codes.buffer);
        if (name.endsWith('/scales')) expect(buffer).toBe(scales.buffer);
      }
      expect(Object.keys(feeds).filter((name) => name.endsWith('/codes'))).toHaveLength(
        model.quantized!.slots.length,
      );
    }
  });

  test('shares them with a reward model made from it', () => {
    const model = createModel(config, 3, format);
    const reward = withHead(model, 'reward', 4);
    expect(reward.quantized).toBe(model.quantized);
    expect(reward.parameters.view('score.weight')).toEqual(
      withHead(createModel(config, 3), 'reward', 4).parameters.view('score.weight'),
    );
  });

  test('is rebuilt bit for bit from an adapter’s checkpoint; the adapter is merged into float32', async () => {
    const at = join(folder, format, 'base');
    const to = join(folder, format, 'adapter');
    await mkdir(join(folder, format));
    const whole = createModel(config, 3);
    const { hash } = await writeCheckpoint(at, { model: whole, tokenizer });
    const base = await readModelFolder(at, format);
    expect([base.quantized?.codes, base.quantized?.scales]).toEqual([
      createModel(config, 3, format).quantized?.codes,
      createModel(config, 3, format).quantized?.scales,
    ]);
    const model = stirred({
      ...base,
      adapter: createAdapter(base, settings(format), { seed: 1, base: { path: at, hash } }),
    });
    await writeCheckpoint(to, { model, tokenizer });
    const { model: read } = await openModelFolder(to);
    expect(read.quantized?.hash).toBe(base.quantized?.hash);
    expect(read.adapter?.settings.base).toBe(format);
    expect(read.adapter?.parameters.flat).toEqual(model.adapter?.parameters.flat);
    const made = await calls.export({ folder: to, to: join(folder, format, 'merged'), merge: true });
    const right = merged({ ...whole, adapter: model.adapter! });
    expect((await readCheckpoint(made.path)).model.parameters.flat).toEqual(right.parameters.flat);
    expect(() => merged(read)).toThrow(/float32/);
  });
});

test('a graph dequantizes one matrix at a time: its memory grows with the largest matrix, not with their number', () => {
  const peak = (layers: number): number => {
    const model = createModel(configOf({ ...shape, width: 64, layers }, tokenizer.vocabulary), 1, 'int8');
    const hidden = forward({
      config: model.config,
      parameters: inputsOf(model).lookup(),
      tokens: input('tokens', { dtype: 'int32', shape: [1, 2] }),
    });
    return peakBytes([hidden]);
  };
  expect(peak(1)).toBeGreaterThan(64 * 256 * 4);
  // room for a residual, but not for a second matrix
  expect(peak(6)).toBeLessThan(peak(1) + 1024);
});

test('rejects devices other than the CPU before computing anything', () => {
  const model = withAdapter(createModel(config, 3, 'int4'), 'int4');
  expect(() => liveModel(new Device({ id: 'webgpu', tally: new Tally() }), model)).toThrow(
    /int4, which is computed on the CPU only/,
  );
});

test('matrices that do not divide into whole blocks stay in float32; a model without quantizable matrices is rejected', () => {
  expect(
    partsFor(configOf({ ...shape, width: 12 }, 9), 'int8').matrices.map(({ name }) =>
      name.replace(/.*\d\./, ''),
    ),
  ).toEqual(['mlp.c_fc.weight', 'mlp.c_proj.weight', 'mlp.c_fc.weight', 'mlp.c_proj.weight']);
  expect(() => createModel(configOf({ ...shape, width: 10 }, 9), 1, 'nf4')).toThrow(/whole blocks of 64/);
});

test('rejects a checkpoint whose quantized matrices differ from those of its adapter', async () => {
  const at = join(folder, 'changed');
  const to = join(folder, 'changed adapter');
  const base = createModel(config, 3, 'int4');
  await writeCheckpoint(at, { model: createModel(config, 3), tokenizer });
  await writeCheckpoint(to, {
    model: {
      ...base,
      adapter: createAdapter(base, settings('int4'), { seed: 1, base: { path: at, hash: null } }),
    },
    tokenizer,
  });
  await expect(openModelFolder(to)).resolves.toBeDefined();
  await rm(at, { recursive: true });
  await writeCheckpoint(at, { model: createModel(config, 4), tokenizer });
  await expect(openModelFolder(to)).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('other quantized matrices'),
  });
  await expect(writeCheckpoint(join(folder, 'never'), { model: base, tokenizer })).rejects.toMatchObject({
    kind: 'internal',
  });
  const note = join(to, 'base.json');
  const json = JSON.parse(await readFile(note, 'utf8')) as object;
  expect(json).toMatchObject({ quantized: { format: 'int4', hash: base.quantized!.hash } });
  await writeFile(note, JSON.stringify({ ...json, quantized: { format: 'int3', hash: '' } }));
  await expect(readModelFolder(to)).rejects.toMatchObject({ kind: 'invalid-input' });
});
