/**
 * Training and inference on fixed rows without sampling: the same inputs on every device, so that all
 * differences are the device's.
 */
import { stream } from '../../engine/random/random.ts';
import { createAdapter } from '../../engine/models/adapters/lora.ts';
import { configOf } from '../../engine/models/config.ts';
import { frozenBase } from '../../engine/models/inputs.ts';
import { createModel, trainedOf, withHead, type Model } from '../../engine/models/model.ts';
import type { PerToken } from '../../engine/rl/kernel/columns.ts';
import { Updater, type UpdateReport } from '../../engine/rl/compute/updater.ts';
import { liveModel } from '../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../engine/rl/compute/model-graph.ts';
import { sum, weighted, type Objective } from '../../engine/rl/kernel/objective.ts';
import * as part from '../../engine/rl/parts/index.ts';
import { ragged, type Table } from '../../engine/rl/kernel/rows.ts';
import { Device, Program, type Feeds, type ProgramPlan, type Values } from '../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../engine/schema/run-spec.ts';
import { evaluate, type TensorType } from '../../engine/tensor/index.ts';
import { topological } from '../../engine/tensor/expr.ts';
import { inputName } from '../../engine/tensor/ops/source.ts';
import { familyOracle, formulaModelOf } from './families.ts';
import { worstError } from './tensors.ts';

/**
 * A device that evaluates graphs in float64 on the host by the ops' `eval`, and rounds once at the end of a
 * program.
 */
export class ExactDevice extends Device {
  constructor() {
    super({ id: 'cpu', threads: 1 });
  }

  override compile({ name, outputs, inPlace = {} }: ProgramPlan): Promise<Program> {
    const names = Object.keys(outputs);
    const roots = Object.values(outputs);
    const inputs: Record<string, TensorType> = {};
    for (const node of topological(roots)) {
      const input = inputName(node);
      if (input !== undefined) inputs[input] = node.type;
    }
    const places = Object.fromEntries(
      Object.entries(inPlace).map(([output, input]) => [output, { input, how: 'copied' as const }]),
    );
    const execute = (feeds: Feeds): Promise<Record<string, Values>> => {
      const returned: Record<string, Values> = {};
      evaluate(
        roots,
        Object.fromEntries(Object.keys(inputs).map((input) => [input, feeds[input] as Float32Array])),
      ).forEach(({ data }, at) => {
        const place = places[names[at]];
        if (place) (feeds[place.input] as Float32Array).set(data);
        else returned[names[at]] = Float32Array.from(data);
      });
      return Promise.resolve(returned);
    };
    const types = Object.fromEntries(names.map((output, at) => [output, roots[at].type]));
    return Promise.resolve(
      new Program({ name, inputs, outputs: types, inPlace: places, axes: {} }, execute, () =>
        Promise.resolve(),
      ),
    );
  }
}

/** Prompts of two tokens, answers of 1 to 9: eight rows, so that pairs and groups of four fit. */
const LENGTHS = [3, 7, 5, 9, 11, 4, 6, 8];
const PROMPT = 2;
const TOKENS = 24;
const TEMPERATURES = [1, 0.3, 0.05] as const;

interface Case {
  readonly model: Model;
  readonly objective: Objective;
  readonly temperature: number;
}

const seeded = (): Model =>
  createModel(configOf({ family: 'gpt2', width: 16, layers: 1, heads: 2, context: 16 }, TOKENS), 5);
/** Embeddings large enough that logits at the lowest temperature reach hundreds, as in a trained model. */
const sharp = (): Model => {
  const model = seeded();
  model.parameters.view('transformer.wte.weight').forEach((x, at, wte) => {
    wte[at] = 8 * x;
  });
  return model;
};
const family = (name: string): Model =>
  formulaModelOf(familyOracle.cases.find((each) => each.name === name)!.config);
const rewarding = (): Model => withHead(seeded(), 'reward', 6);
const withAdapter = (model: Model): Model => {
  const adapter = createAdapter(
    model,
    { rank: 2, alpha: 4, rsLora: false, base: 'float32', targets: ['all-linear'] },
    { seed: 1, base: { path: '', hash: null } },
  );
  adapter.parameters.flat.forEach((x, at, flat) => {
    flat[at] = x + Math.sin(at) / 8;
  });
  return { ...model, adapter };
};

const grpo = sum(
  part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
  weighted(0.01, part.klToReference({ estimator: 'k3' })),
);
const atTemperatures = (what: string, objective: Objective): [string, () => Case][] =>
  TEMPERATURES.map((temperature) => [
    `${what} at temperature ${temperature}`,
    () => ({ model: sharp(), objective, temperature }),
  ]);

/** One update each, for every kind of head, family and adapter. */
export const fixedCases: { readonly [name: string]: () => Case } = {
  ...Object.fromEntries([
    ...atTemperatures('GRPO', grpo),
    ...atTemperatures(
      'likelihood and entropy',
      sum(part.likelihood({ average: 'token' }), part.entropyBonus),
    ),
  ]),
  DPO: () => ({ model: seeded(), objective: part.logisticMargin({ beta: 0.1 }), temperature: 1 }),
  'Bradley-Terry': () => ({ model: rewarding(), objective: part.bradleyTerry, temperature: 1 }),
  'PPO, policy': () => ({
    model: seeded(),
    objective: sum(
      part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, average: 'token' }),
      weighted(0.01, part.entropyBonus),
    ),
    temperature: 0.8,
  }),
  'PPO, critic': () => ({ model: rewarding(), objective: part.clippedValue({ clip: 0.2 }), temperature: 1 }),
  'GRPO, LoRA': () => ({ model: withAdapter(seeded()), objective: grpo, temperature: 0.8 }),
  'GRPO, Llama': () => ({ model: family('llama tied'), objective: grpo, temperature: 0.8 }),
  'GRPO, Qwen2 with LoRA': () => ({ model: withAdapter(family('qwen2')), objective: grpo, temperature: 0.8 }),
  'GRPO, Qwen3': () => ({ model: family('qwen3'), objective: grpo, temperature: 0.8 }),
  'DPO, Gemma 2': () => ({
    model: family('gemma 2'),
    objective: part.logisticMargin({ beta: 0.1 }),
    temperature: 1,
  }),
};

const draw = stream(11, 'fixed rows');
const between = (low: number, high: number): number => low + (high - low) * draw.next();
const tokens = ragged(LENGTHS, Int32Array, (n) => Array.from({ length: n }, () => draw.int(TOKENS)));
const mask = ragged(LENGTHS, Uint8Array, (n) => new Uint8Array(n).fill(1, PROMPT));
const onTokens = (
  of: (at: number) => number,
  on: (at: number) => boolean = (at) => mask.values[at] === 1,
): PerToken<Float64Array> => ({
  axis: 'T',
  offsets: tokens.offsets,
  values: Float64Array.from(mask.values, (_, at) => (on(at) ? of(at) : 0)),
});
const onRows = (of: (r: number) => number): Float64Array => Float64Array.from(LENGTHS, (_, r) => of(r));

const noise = onTokens(
  () => between(-1, 1),
  () => true,
);
const advantage = onTokens(() => between(-1, 1));
const asFloats = ({ values, ...rest }: PerToken<Float64Array>): PerToken => ({
  ...rest,
  values: Float32Array.from(values),
});

/**
 * Columns that stages would have added. The behaviour policy and the reference are near the model: ratios
 * are around 1, some beyond the clip.
 */
const tableFor = async ({ model, temperature }: Case): Promise<Table> => {
  const scores = model.config.head === 'reward';
  const logp = scores ? undefined : (await liveModel(exact, model).logp(tokens, temperature)).values;
  const near = (spread: number, on?: () => boolean) =>
    asFloats(onTokens((at) => (logp?.[at] ?? 0) + spread * noise.values[at], on));
  return {
    tokens,
    mask,
    weight: onRows(() => 1),
    groupId: onRows((r) => Math.floor(r / 4)),
    pairId: onRows((r) => r >> 1),
    chosen: onRows((r) => 1 - (r % 2)),
    agreement: onRows(() => 1),
    advantage,
    behaviorLogp: near(0.3),
    'logp/initial': near(0.5, () => true),
    values: asFloats(onTokens((at) => noise.values[at])),
    returns: advantage,
  };
};

export interface FixedOutcome {
  readonly loss: number;
  readonly gradNorm: number;
  readonly metrics: { readonly [name: string]: number };
  /**
   * The gradient's largest error, over its largest entry: from the parameters after a step of plain descent
   * at rate 1.
   */
  readonly gradientError: number;
}
/** Results of one case on the device and computed exactly. */
export interface FixedPair {
  readonly made: FixedOutcome;
  readonly right: FixedOutcome;
}

const exact = new ExactDevice();

/** One update on a device, and its gradient. */
const descended = async (
  device: Device,
  { model, objective, temperature }: Case,
  table: Table,
): Promise<{ report: UpdateReport; gradient: Float64Array }> => {
  const base = frozenBase(model);
  const parameters = trainedOf(model);
  const before = Float64Array.from(parameters.flat);
  const learner = new Updater({
    device,
    graph: modelGraph(model.config),
    parameters,
    ...(base && { base }),
    objective,
    limits: { maxTokens: 12 },
    temperature,
    steps: 1,
    optimizer: OptimizerSpec.parse({
      kind: 'sgd',
      beta1: 0,
      learningRate: 1,
      warmup: 0,
      schedule: 'constant',
      weightDecay: 0,
      clipNorm: 1e9,
    }),
  });
  const report = await learner.update(table, 0);
  await device.read(parameters.flat);
  return { report, gradient: before.map((x, at) => x - parameters.flat[at]) };
};

/** Largest difference over the largest entry. */
const errorOf = (made: ArrayLike<number>, right: ArrayLike<number>): number => {
  const top = Math.max(...Array.from(right, Math.abs));
  const errors = Array.from(right, (x, at) => Math.abs(made[at] - x) / top);
  return errors.some(Number.isNaN) ? Infinity : Math.max(...errors);
};

/** One update on a case's rows, on a device and exactly. */
export const onFixedRows = async (device: Device, name: string): Promise<FixedPair> => {
  const table = await tableFor(fixedCases[name]());
  const [made, right] = [
    await descended(device, fixedCases[name](), table),
    await descended(exact, fixedCases[name](), table),
  ];
  const outcome = ({ report: { loss, gradNorm, metrics }, gradient }: typeof made): FixedOutcome => ({
    loss,
    gradNorm,
    metrics,
    gradientError: errorOf(gradient, right.gradient),
  });
  return { made: outcome(made), right: outcome(right) };
};

/** Errors of per-token outputs, at each temperature; relative for values above 1. */
export const perTokenErrors = async (device: Device): Promise<{ readonly [question: string]: number }> => {
  const errors: { [question: string]: number } = {};
  for (const temperature of TEMPERATURES)
    for (const question of ['logp', 'entropy', 'meanLogp'] as const) {
      const [made, right] = [
        await liveModel(device, sharp()).each(question, tokens, temperature),
        await liveModel(exact, sharp()).each(question, tokens, temperature),
      ];
      errors[`${question} at temperature ${temperature}`] = worstError(
        made.values,
        Float64Array.from(right.values),
      );
    }
  return errors;
};

/** Every case, by name, and the per-token outputs. */
export const allOnFixedRows = async (
  device: Device,
): Promise<{
  readonly updates: { readonly [name: string]: FixedPair };
  readonly perToken: { readonly [question: string]: number };
}> => {
  const updates: { [name: string]: FixedPair } = {};
  for (const name of Object.keys(fixedCases)) updates[name] = await onFixedRows(device, name);
  return { updates, perToken: await perTokenErrors(device) };
};
