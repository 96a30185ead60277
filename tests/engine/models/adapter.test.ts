import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { adapted, createAdapter, scaleOf } from '../../../engine/models/adapters/lora.ts';
import { openModelFolder, readCheckpoint, writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { configOf } from '../../../engine/models/config.ts';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { generate } from '../../../engine/models/generate/generate.ts';
import { inputsOf } from '../../../engine/models/inputs.ts';
import { inspectModel } from '../../../engine/models/inspect.ts';
import { createModel, merged, withHead, type Model } from '../../../engine/models/model.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { openDevice, valuesOf, type Device } from '../../../engine/runtime/index.ts';
import { div, grad, input, neg, sum, mul, tokenLogp } from '../../../engine/tensor/index.ts';
import { charactersTokenizer } from '../../../engine/text/characters.ts';

interface Expected {
  readonly tokens: number[][];
  readonly logits: number[];
  readonly loss: number;
  readonly gradients: Readonly<Record<string, number[]>>;
}

const oracles = fileURLToPath(new URL('../../support/oracles/', import.meta.url));
const expected = JSON.parse(await readFile(join(oracles, 'adapters', 'expected.json'), 'utf8')) as Record<
  'gpt2' | 'llama',
  Expected
>;
const tokenizer = charactersTokenizer('abcdefg');

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-adapter-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

/** Largest deviation, relative to the largest value. */
const deviation = (made: ArrayLike<number>, right: ArrayLike<number>): number => {
  expect(made.length).toBe(right.length);
  const values = Array.from(right);
  return (
    Math.max(...values.map((value, at) => Math.abs(made[at] - value))) / Math.max(...values.map(Math.abs))
  );
};

const logits = async (model: Model, tokens: number[][]): Promise<Float32Array> => {
  const { lookup, feeds } = inputsOf(model);
  const shape = [tokens.length, tokens[0].length];
  const hidden = forward({
    config: model.config,
    parameters: lookup(),
    tokens: input('tokens', { dtype: 'int32', shape }),
  });
  const program = await device.compile({
    name: 'logits',
    outputs: { logits: logitsOf(model.config, lookup(), hidden) },
  });
  const all = { ...feeds, tokens: Int32Array.from(tokens.flat()) };
  return valuesOf(
    await program.run(Object.fromEntries(Object.entries(all).filter(([name]) => name in program.inputs))),
    'logits',
    'float32',
  );
};

const small = (): Model =>
  createModel(
    configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 16 }, tokenizer.vocabulary),
    3,
  );
const settings = { rank: 3, alpha: 5, targets: ['all-linear'], rsLora: false, base: 'float32' as const };
const modelWithAdapter = (
  model: Model,
  path = join(folder, 'base'),
  more: Partial<typeof settings> = {},
): Model => ({
  ...model,
  adapter: createAdapter(model, { ...settings, ...more }, { seed: 5, base: { path, hash: null } }),
});
const stirred = (model: Model): Model => {
  model.adapter?.parameters.flat.forEach((_x, at, flat) => {
    flat[at] = Math.sin(at + 1) / 4;
  });
  return model;
};

describe.each(['gpt2', 'llama'] as const)('an adapter that PEFT saved for a %s', (name) => {
  const { tokens, logits: right, loss, gradients } = expected[name];

  test('gives PEFT’s logits, merged or not', async () => {
    const model = await readModelFolder(join(oracles, 'adapters', name));
    expect(deviation(await logits(model, tokens), right)).toBeLessThan(1e-5);
    expect(deviation(await logits(merged(model), tokens), right)).toBeLessThan(1e-5);
  });

  test('gives PyTorch’s loss and gradients', async () => {
    const model = await readModelFolder(join(oracles, 'adapters', name));
    const [B, T] = [tokens.length, tokens[0].length];
    const { lookup, feeds } = inputsOf(model);
    const parameters = lookup();
    const hidden = forward({
      config: model.config,
      parameters,
      tokens: input('tokens', { dtype: 'int32', shape: [B, T] }),
    });
    const logp = tokenLogp(
      logitsOf(model.config, parameters, hidden),
      input('targets', { dtype: 'int32', shape: [B * T] }),
    );
    const weight = input('weight', { dtype: 'float32', shape: [B * T] });
    const value = neg(div(sum(mul(logp, weight)), sum(weight)));
    const names = Object.keys(gradients);
    const grads = grad(
      value,
      names.map((key) => parameters(key)),
    );
    const program = await device.compile({
      name: 'gradients',
      outputs: { value, ...Object.fromEntries(names.map((key, at) => [`d ${key}`, grads[at]])) },
    });
    const made = await program.run(
      Object.fromEntries(
        Object.entries({
          ...feeds,
          tokens: Int32Array.from(tokens.flat()),
          targets: Int32Array.from(tokens.flatMap((row) => [...row.slice(1), 0])),
          weight: Float32Array.from(tokens.flatMap((row) => row.map((_x, t) => Number(t < T - 1)))),
        }).filter(([key]) => key in program.inputs),
      ),
    );
    expect(valuesOf(made, 'value', 'float32')[0]).toBeCloseTo(loss, 5);
    for (const key of names)
      expect(deviation(valuesOf(made, `d ${key}`, 'float32'), gradients[key]), key).toBeLessThan(1e-4);
  });
});

test('a new adapter leaves the model’s output bit for bit unchanged, and has PEFT’s initial first matrix', async () => {
  const model = small();
  const tokens = [[1, 4, 5, 6, 7, 3]];
  const own = modelWithAdapter(model);
  expect(await logits(own, tokens)).toEqual(await logits(model, tokens));
  const a = own.adapter!.parameters.view('transformer.h.1.mlp.c_proj.lora_A.weight');
  expect(a.length).toBe(3 * 64);
  expect(Math.max(...a.map(Math.abs))).toBeLessThanOrEqual(1 / 8);
  expect(Math.sqrt(a.reduce((total, x) => total + x * x, 0) / a.length)).toBeCloseTo(1 / 8 / Math.sqrt(3), 2);
});

test('the scale is alpha divided by the rank, or by its square root', () => {
  expect(scaleOf({ ...settings, rank: 16, alpha: 8 })).toBe(0.5);
  expect(scaleOf({ ...settings, rank: 16, alpha: 8, rsLora: true })).toBe(2);
});

test('rejects a target that no layer has, and lists the available names', () => {
  expect(() => modelWithAdapter(small(), '', { targets: ['q_proj'] })).toThrow(/no layer 'q_proj'/);
});

test('the frozen model is in memory once: scoring, sampling and the inputs of graphs are views of its array', () => {
  const model = modelWithAdapter(small());
  const base = model.parameters.flat.buffer;
  const live = liveModel(device, model);
  const frozen = (feeds: object) => Object.entries(feeds).filter(([name]) => name.startsWith('frozen/'));
  for (const feeds of [live.base!.inputs.feeds, inputsOf(model).feeds]) {
    expect(frozen(feeds)).toHaveLength(model.parameters.slots.length);
    for (const [, { buffer }] of frozen(feeds)) expect(buffer).toBe(base);
  }
});

test('the backward pass computes no gradient of a frozen matrix', () => {
  const { lookup } = inputsOf(modelWithAdapter(small(), '', { targets: ['h.1.mlp.c_fc'] }));
  const parameters = lookup();
  const [loss] = [
    sum(
      logitsOf(
        small().config,
        parameters,
        forward({
          config: small().config,
          parameters,
          tokens: input('tokens', { dtype: 'int32', shape: [1, 4] }),
        }),
      ),
    ),
  ];
  const [gradient] = grad(loss, [parameters('transformer.h.1.mlp.c_fc.lora_B.weight')]);
  // dB = dyᵀ·(s·x·Aᵀ): no product has the shape of a full weight
  const products: number[][] = [];
  const seen = new Set();
  const walk = (x: typeof loss): void => {
    if (seen.has(x)) return;
    seen.add(x);
    if (x.op.name === 'matmul' && x.type.shape.length === 2) products.push([...x.type.shape]);
    x.inputs.forEach(walk);
  };
  walk(gradient);
  expect(products.length).toBeGreaterThan(0);
  for (const weight of ['16,48', '48,16', '16,64', '64,16'])
    expect(products.map(String)).not.toContain(weight);
});

test('samples the same answers with the adapter as from the merged model', async () => {
  const model = stirred(modelWithAdapter(small()));
  const ask = {
    device,
    rows: [0, 1, 2].map((sample) => ({ prompt: Int32Array.of(1, 4, 5), promptId: 'p', sample })),
    temperature: 1,
    maxTokens: 9,
    seed: 1,
    purpose: 'test',
    step: 0,
  };
  const [own, whole, without] = [
    await generate({ ...ask, model }),
    await generate({ ...ask, model: merged(model) }),
    await generate({ ...ask, model: small() }),
  ];
  expect(own.map(({ tokens }) => [...tokens])).toEqual(whole.map(({ tokens }) => [...tokens]));
  expect(own.map(({ tokens }) => [...tokens])).not.toEqual(without.map(({ tokens }) => [...tokens]));
  const rows = ragged(own, Int32Array, ({ tokens }) => tokens);
  const { values, offsets } = await liveModel(device, model).logp(rows, 1);
  own.forEach(({ logp, promptLength }, row) =>
    expect(deviation(values.subarray(offsets[row] + promptLength, offsets[row + 1]), logp)).toBeLessThan(
      1e-4,
    ),
  );
});

describe('a checkpoint of an adapter', () => {
  test('contains only the adapter, is loaded with its model, and is restored bit for bit', async () => {
    const base = small();
    const at = join(folder, 'round', 'base');
    const to = join(folder, 'round', 'adapter');
    await mkdir(join(folder, 'round'));
    const { hash } = await writeCheckpoint(at, { model: base, tokenizer });
    const model = stirred({
      ...base,
      adapter: createAdapter(base, settings, { seed: 1, base: { path: at, hash } }),
    });
    const { bytes } = await writeCheckpoint(to, { model, tokenizer, state: { step: 1 } });
    const read = await readCheckpoint(to);
    expect(read.model.parameters.flat).toEqual(base.parameters.flat);
    expect(read.model.adapter?.parameters.flat).toEqual(model.adapter?.parameters.flat);
    expect(read.model.adapter?.settings).toEqual({ ...settings, targets: ['c_attn', 'c_proj', 'c_fc'] });
    expect(bytes).toBeLessThan(model.adapter!.parameters.size * 4 + 6000);
    expect((await readCheckpoint(to, model)).model.parameters).toBe(base.parameters);
    // move both together, as a moved workspace does
    await cp(join(folder, 'round'), join(folder, 'moved'), { recursive: true });
    await rm(join(folder, 'round'), { recursive: true });
    expect((await openModelFolder(join(folder, 'moved', 'adapter'))).model.adapter?.base.path).toBe(
      join(folder, 'moved', 'base'),
    );
  });

  test.each([1, 3])('of a reward model with %i labels includes its head', async (labels) => {
    const at = join(folder, `policy ${labels}`);
    const to = join(folder, `reward ${labels}`);
    const policy = small();
    const { hash } = await writeCheckpoint(at, { model: policy, tokenizer });
    const head = withHead(policy, 'reward', 4, labels);
    const model = stirred({
      ...head,
      adapter: createAdapter(head, settings, { seed: 1, base: { path: at, hash } }),
    });
    await writeCheckpoint(to, { model, tokenizer });
    const { model: read } = await readCheckpoint(to);
    expect(read.config).toEqual(model.config);
    expect((await inspectModel(to)).adapter?.parameters).toBe(model.adapter?.parameters.size);
    expect(read.adapter?.parameters.view('score.weight')).toEqual(
      model.adapter?.parameters.view('score.weight'),
    );
    const rows = ragged(
      [
        [1, 4, 5, 6],
        [1, 3],
      ],
      Int32Array,
    );
    expect(await liveModel(device, read).scores(rows)).toEqual(await liveModel(device, model).scores(rows));
    expect(
      deviation(
        await liveModel(device, merged(read)).scores(rows),
        await liveModel(device, read).scores(rows),
      ),
    ).toBeLessThan(1e-5);
  });

  test('reports an error when its model is missing or a different one', async () => {
    const at = join(folder, 'lost base');
    const to = join(folder, 'lost adapter');
    const base = small();
    const { hash } = await writeCheckpoint(at, { model: base, tokenizer });
    await writeCheckpoint(to, {
      model: { ...base, adapter: createAdapter(base, settings, { seed: 1, base: { path: at, hash } }) },
      tokenizer,
    });
    await rm(at, { recursive: true });
    await expect(openModelFolder(to)).rejects.toMatchObject({
      kind: 'not-found',
      message: expect.stringContaining('base model of this adapter is missing'),
    });
    await writeCheckpoint(at, { model: createModel(base.config, 99), tokenizer });
    await expect(openModelFolder(to)).rejects.toMatchObject({ kind: 'conflict' });
  });
});

test('merging writes a folder that computes the same as model and adapter, for any type of the model’s weights', async () => {
  const base = join(oracles, 'sharded');
  const own = await readModelFolder(base);
  const to = join(folder, 'halves');
  const tokens = [[3, 4, 5, 6]];
  const model = stirred({
    ...own,
    adapter: createAdapter(own, { ...settings, rsLora: true }, { seed: 1, base: { path: base, hash: null } }),
  });
  await writeCheckpoint(to, { model, tokenizer });
  const { path } = await calls.export({ folder: to, to: join(folder, 'merged'), merge: true });
  expect(JSON.parse(await readFile(join(path, 'config.json'), 'utf8'))).toMatchObject({
    dtype: 'float32',
    model_type: 'llama',
  });
  expect(
    deviation(await logits(await readModelFolder(path), tokens), await logits(model, tokens)),
  ).toBeLessThan(1e-5);
  await expect(calls.export({ folder: path, to: join(folder, 'again'), merge: true })).rejects.toMatchObject({
    kind: 'invalid-input',
  });
  const half = await readModelFolder(
    (await calls.export({ folder: to, to: join(folder, 'half'), merge: true, dtype: 'BF16' })).path,
  );
  expect(new Set(half.origin!.dtypes.values())).toEqual(new Set(['BF16']));
  expect(JSON.parse(half.origin!.config)).toMatchObject({ dtype: 'bfloat16' });
  expect(deviation(await logits(half, tokens), await logits(model, tokens))).toBeLessThan(5e-2);
});

describe('an unusable adapter folder', () => {
  const folderWith = async (change: Record<string, unknown>): Promise<string> => {
    const to = await mkdtemp(join(folder, 'broken-'));
    const json = JSON.parse(
      await readFile(join(oracles, 'adapters', 'gpt2', 'adapter_config.json'), 'utf8'),
    ) as object;
    await cp(join(oracles, 'adapters', 'gpt2'), to, { recursive: true });
    await writeFile(
      join(to, 'adapter_config.json'),
      JSON.stringify({ ...json, base_model_name_or_path: join(oracles, 'gpt2'), ...change }),
    );
    return to;
  };

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['another kind', { peft_type: 'IA3' }, /type IA3/],
    ['DoRA', { use_dora: true }, /DoRA/],
    ['biases', { bias: 'all' }, /biases/],
    ['ranks by layer', { rank_pattern: { c_attn: 4 } }, /differ between layers/],
    ['whole modules', { modules_to_save: ['wte'] }, /whole module wte/],
    [
      'an initialization that changes the model',
      { init_lora_weights: 'pissa_niter_16' },
      /own matrices \(pissa_niter_16\)/,
    ],
    ['invocation tokens', { alora_invocation_tokens: [3] }, /certain tokens/],
    ['another model', { base_model_name_or_path: join(oracles, 'sharded') }, /no layer/],
    ['another rank', { r: 5 }, /shape \[2, 16\]; the model asks for \[5, 16\]/],
  ])('with %s is reported with the reason', async (_name, change, message) => {
    await expect(folderWith(change).then(readModelFolder)).rejects.toThrow(message);
  });

  test('loads if its list of targets names more than the model has', async () => {
    const model = await readModelFolder(await folderWith({ target_modules: ['c_attn', 'c_proj', 'q_proj'] }));
    expect(deviation(await logits(model, expected.gpt2.tokens), expected.gpt2.logits)).toBeLessThan(1e-5);
  });
});

test('a parameter lookup without adapter layers returns the model’s own', () => {
  const base = inputsOf(small()).lookup();
  const none = adapted(
    base,
    Object.assign(
      (): never => {
        throw new Error('nothing here');
      },
      { has: () => false },
    ),
    settings,
  );
  expect(none('transformer.wte.weight')).toBe(base('transformer.wte.weight'));
  expect(none.lowRank?.('transformer.h.0.attn.c_attn')).toBeUndefined();
});
