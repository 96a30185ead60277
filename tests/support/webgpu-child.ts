/**
 * Runs on WebGPU and on the CPU in a separate process, because a driver fault ends the process; prints the
 * results as one JSON line. Arguments: scenarios to run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMachineMetric } from '../../engine/common/machine-metrics.ts';
import { Device, valuesOf } from '../../engine/runtime/index.ts';
import { generate } from '../../engine/models/generate/generate.ts';
import { configOf } from '../../engine/models/config.ts';
import { readCheckpoint } from '../../engine/models/checkpoint.ts';
import { createModel, trainedOf } from '../../engine/models/model.ts';
import { Updater } from '../../engine/rl/compute/updater.ts';
import { LiveModel, RowPrograms } from '../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../engine/rl/compute/model-graph.ts';
import { likelihood } from '../../engine/rl/parts/objectives/likelihood.ts';
import { ragged } from '../../engine/rl/kernel/rows.ts';
import { runToEnd } from '../../engine/rl/run/train.ts';
import { checkSpec } from '../../engine/index.ts';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import { OptimizerSpec, type RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { Expr } from '../../engine/tensor/expr.ts';
import {
  add,
  broadcastTo,
  evaluate,
  exp,
  input,
  mul,
  sizeOf,
  slice,
  sum,
} from '../../engine/tensor/index.ts';
import { ops } from '../../engine/tensor/ops/index.ts';
import { outputOf } from '../../engine/tensor/ops/source.ts';
import { formulaModelOf, familyOracle } from './families.ts';
import { allOnFixedRows } from './fixed-rows.ts';
import { writeModelFolder } from './model-folder.ts';
import { drawn, worstError } from './tensors.ts';
import { noResources, recorder } from './toy-run.ts';

// the driver uses every core for a while: tests running at the same time must not time out
setPriority(15);

const vector = { dtype: 'float32', shape: [4] } as const;

/** In-place outputs stay on the device; views find them there; the host gets them by `read`. */
async function memory(device: Device) {
  const [state, part] = [input('state', vector), input('part', { dtype: 'float32', shape: [2] })];
  const grow = await device.compile({
    name: 'grow',
    outputs: { next: mul(state, 2), total: sum(state) },
    inPlace: { next: 'state' },
  });
  const look = await device.compile({ name: 'look', outputs: { y: add(part, 0.5) } });
  const grown = await device.compile({
    name: 'grow a part',
    outputs: { next: add(part, 100) },
    inPlace: { next: 'part' },
  });
  const array = Float32Array.of(1, 2, 3, 4);
  const seen: Record<string, unknown> = {};
  for (const run of [1, 2])
    seen[`total ${run}`] = [...valuesOf(await grow.run({ state: array }), 'total', 'float32')];
  seen.view = [...valuesOf(await look.run({ part: array.subarray(2) }), 'y', 'float32')];
  seen.held = device.heldBytes;
  await device.read(array);
  seen.read = [...array];
  array.set([5, 6, 7, 8]);
  device.changed(array);
  seen['total 3'] = [...valuesOf(await grow.run({ state: array }), 'total', 'float32')];
  // an array written in parts is read as a whole, and vice versa
  await grown.run({ part: array.subarray(2) });
  seen['total 4'] = [...valuesOf(await grow.run({ state: array }), 'total', 'float32')];
  await grown.run({ part: array.subarray(2) });
  await grown.run({ part: array.subarray(0, 2) });
  seen['total 5'] = [...valuesOf(await grow.run({ state: array }), 'total', 'float32')];
  // a view is written while the newest values of the rest are only on the device
  await grown.run({ part: array.subarray(0, 2) });
  await device.read(array);
  seen.parts = [...array];
  await grow.run({ state: array });
  seen.refused = await Promise.resolve()
    .then(() => device.changed(array.subarray(1)))
    .then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  const cut = await device.compile({ name: 'cut', outputs: { y: slice(state, 0, 1, 3) } });
  seen.sameInputTwice = await Promise.all(
    [1, 2, 3].map(async () => [...valuesOf(await cut.run({ state: array }), 'y', 'float32')]),
  );
  await device.close();
  seen.closed = device.heldBytes;
  return seen;
}

/**
 * The error for a value too large for one buffer of any driver, and that the device still computes
 * afterwards.
 */
async function tooLarge(device: Device) {
  if (device.id === 'cpu') return null;
  const x = input('x', { dtype: 'float32', shape: [1, 1] });
  const one = { x: Float32Array.of(1) };
  const unbounded = new Device({ id: device.id, tensorBytes: Infinity });
  const program = await unbounded.compile({
    name: 'beyond',
    outputs: { y: exp(broadcastTo(x, [2 ** 29 + 64, 2])) },
  });
  const refused = await program.run(one).then(
    () => 'nothing',
    ({ facts }: WhetstoneError) => facts,
  );
  await unbounded.close();
  const after = valuesOf(
    await (await device.compile({ name: 'after', outputs: { y: add(x, 1) } })).run(one),
    'y',
    'float32',
  );
  return { refused, after: [...after] };
}

const spec = (method: string, own: Partial<RunSpecInput>) =>
  checkSpec({
    method: { id: method },
    task: { kind: 'world', id: 'toy/copy' },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 0 },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 2, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
    ...own,
  });

/**
 * Events and checkpoint of a run, and its peak memory on the device. `family`: on a small model of that
 * family.
 */
async function run(device: Device, method: string, own: Partial<RunSpecInput>, family?: string) {
  const outDir = mkdtempSync(join(tmpdir(), 'whetstone-webgpu-'));
  const { seen, events } = recorder();
  let heldBytes = 0;
  const emit: typeof events.emit = (body, at) => {
    heldBytes = Math.max(heldBytes, device.heldBytes);
    return events.emit(body, at);
  };
  const resources =
    family === undefined
      ? noResources
      : {
          ...noResources,
          checkpoints: {
            base: writeModelFolder(join(outDir, 'base'), { model: family, settings: { vocab_size: 430 } }),
          },
        };
  // many tokens end an answer here, so that random answers differ in length
  if (family !== undefined)
    writeFileSync(
      join(outDir, 'base', 'generation_config.json'),
      JSON.stringify({ eos_token_id: Array.from({ length: 100 }, (_, i) => i + 2) }),
    );
  const models =
    family === undefined
      ? {}
      : ({ models: { policy: { kind: 'model', modelId: 'base', prompts: 'plain' } } } as const);
  await runToEnd(
    {
      runId: 'toy',
      attempt: 1,
      spec: spec(method, { ...models, ...own }),
      resources,
      outDir: join(outDir, 'run'),
    },
    { emit },
    new AbortController().signal,
    device,
  );
  const saved = await Promise.all(
    seen.flatMap((event) => (event.type === 'checkpoint' ? [readCheckpoint(event.checkpoint.path)] : [])),
  );
  rmSync(outDir, { recursive: true, force: true });
  const some = (values: Float32Array) => [...values.filter((_value, at) => at % 7 === 0)];
  return {
    heldBytes,
    modelBytes: saved[0].model.parameters.flat.byteLength,
    trainedBytes: trainedOf(saved[0].model).flat.byteLength,
    metrics: seen.flatMap((event) =>
      event.type === 'metrics'
        ? [Object.fromEntries(Object.entries(event.values).filter(([name]) => !isMachineMetric(name)))]
        : [],
    ),
    answers: seen.flatMap((event) =>
      event.type === 'trajectories' ? event.rows.map(({ completion }) => completion) : [],
    ),
    saved: saved.map(({ model, optimizer = {} }) => ({
      parameters: some(trainedOf(model).flat),
      ...Object.fromEntries(Object.entries(optimizer).map(([name, values]) => [name, some(values)])),
    })),
  };
}

const gpt2 = (vocabulary = 40) =>
  createModel(configOf({ family: 'gpt2', context: 32, width: 16, layers: 2, heads: 2 }, vocabulary), 3);
/** Two query heads per key/value head, and rotary positions. */
const llama = () => formulaModelOf(familyOracle.cases.find(({ name }) => name === 'llama tied')!.config);

async function answers(device: Device, model = gpt2()) {
  const rows = [
    [1, 7, 9],
    [1, 20],
  ].map((prompt, at) => ({ prompt: Int32Array.from(prompt), promptId: `p${at}`, sample: 0 }));
  const options = { device, model, rows, maxTokens: 12, seed: 1, purpose: 'test', step: 0 };
  const both = {
    greedy: await generate({ ...options, temperature: 0 }),
    sampled: await generate({ ...options, temperature: 0.8 }),
    filtered: await generate({
      ...options,
      temperature: 0.8,
      filters: { topK: 20, topP: 0.8, minP: 0.05 },
      hooks: [{ add: (_row, bias) => bias.fill(-1e9, 3, 9) }],
    }),
  };
  return Object.fromEntries(
    Object.entries(both).map(([name, made]) => [
      name,
      made.map(({ tokens, logp }) => ({ tokens: [...tokens], logp: [...logp] })),
    ]),
  );
}

/** Gradients and log-probabilities of four answers to each of two prompts, with shared prefixes. */
async function sharedPrompts(device: Device) {
  const rows = Array.from({ length: 8 }, (_, r) =>
    Array.from(
      { length: 26 + (r % 4) },
      (_token, t) => 2 + (((t < 24 ? 5 * Math.floor(r / 4) : 3 * r) + t * t) % 30),
    ),
  );
  const tokens = ragged(rows, Int32Array);
  const mask = ragged(rows, Uint8Array, (row) => row.map((_, t) => Number(t >= 24)));
  const weight = new Float64Array(8).fill(1);
  const { config, parameters } = gpt2();
  const graph = modelGraph(config);
  const learner = new Updater({
    device,
    graph,
    parameters,
    objective: likelihood({ average: 'token' }),
    optimizer: OptimizerSpec.parse({}),
    limits: { maxTokens: 5 },
    temperature: 1,
    steps: 1,
  });
  const { loss, gradient } = await learner.gradient({ tokens, mask, weight });
  const logp = await new LiveModel(new RowPrograms(device, graph), parameters).logp(tokens, 1, mask);
  return { loss, gradient: [...gradient.filter((_value, at) => at % 7 === 0)], logp: [...logp.values] };
}

/**
 * Largest relative error of each op's values over its cases, against `eval`; cases without elements are left
 * to the CPU.
 */
async function opErrors(device: Device) {
  const worst: Record<string, number> = {};
  for (const op of ops) {
    const { definition } = op;
    // emitted only if a cache grows in place, which it does not here, and the kernel here differs in one of
    // its cases
    if (definition.name === 'cachedAttention') continue;
    const feeds: Record<string, Float32Array | Int32Array | Uint8Array> = {};
    const wanted: Record<string, Expr> = {};
    definition.cases.forEach((c, at) => {
      if (c.shapes.some((shape) => sizeOf(shape) === 0)) return;
      const inputs = c.shapes.map((shape, k) => {
        const name = `x${at}_${k}`;
        const kind = c.kinds?.[k];
        feeds[name] = drawn(c, k, 100 * at + k + 1);
        return input(name, { dtype: typeof kind === 'string' ? kind : kind ? 'int32' : 'float32', shape });
      });
      const node = op(inputs, c.attrs);
      node.outputs.forEach((_type, k) => {
        wanted[`y${at}_${k}`] = outputOf(node, k);
      });
    });
    if (Object.keys(wanted).length === 0) continue;
    const program = await device.compile({ name: definition.name, outputs: wanted });
    const results = await program.run(
      Object.fromEntries(Object.entries(feeds).filter(([name]) => name in program.inputs)),
    );
    const right = evaluate(Object.values(wanted), feeds);
    worst[definition.name] = Math.max(
      ...Object.keys(wanted).map((name, at) =>
        worstError(Float64Array.from(results[name] as ArrayLike<number | bigint>, Number), right[at].data),
      ),
    );
  }
  return worst;
}

const scenarios = {
  opErrors,
  fixedRows: allOnFixedRows,
  memory,
  tooLarge,
  answers,
  sharedPrompts,
  llamaAnswers: (device: Device) => answers(device, llama()),
  // of so many tokens thresholds are found by bisection
  wideAnswers: (device: Device) => answers(device, gpt2(90)),
  sft: (device: Device) =>
    run(device, 'sft', { budget: { steps: 3, batch: 4 }, optimizer: { learningRate: 0.01 } }),
  grpo: (device: Device) =>
    run(device, 'grpo', {
      method: { id: 'grpo', params: { groupSize: 4 } },
      budget: { steps: 2, batch: 2 },
      optimizer: { learningRate: 0.01 },
    }),
  llama: (device: Device) =>
    run(device, 'sft', { budget: { steps: 2, batch: 4 }, optimizer: { learningRate: 0.001 } }, 'llama tied'),
  lora: (device: Device) =>
    run(
      device,
      'grpo',
      {
        method: { id: 'grpo', params: { groupSize: 4, klWeight: 0.1 } },
        rewards: [{ id: 'length' }],
        adapter: { kind: 'lora', rank: 4, alpha: 8 },
        budget: { steps: 2, batch: 2 },
        optimizer: { learningRate: 0.02, warmup: 0 },
      },
      'qwen2',
    ),
};

const out: Record<string, unknown> = {};
const only = new Set(process.argv.slice(2));
for (const [name, scenario] of Object.entries(scenarios)) {
  if (only.size > 0 && !only.has(name)) continue;
  const on = async (id: 'cpu' | 'webgpu') => {
    const device = new Device({ id, threads: 1 });
    const result = await scenario(device);
    await device.close();
    return result;
  };
  const began = performance.now();
  out[name] = {
    cpu: await on('cpu'),
    webgpu: await on('webgpu'),
    seconds: (performance.now() - began) / 1000,
  };
}
process.stdout.write(`${JSON.stringify(out)}\n`);
