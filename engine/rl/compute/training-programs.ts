/** The programs that train a model, one per micro-batch shape: forward, backward and the optimizer's step. */
import type { FrozenBase } from '../../models/inputs.ts';
import {
  groupsOf,
  inPlaceOutputs,
  lossScale,
  optimizerState,
  optimizerStep,
  type Group,
  type LossScaling,
  type OptimizerSettings,
} from '../../optim/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Device, Feeds, Program } from '../../runtime/index.ts';
import { add, concat, grad, input, mul, reshape, type Expr } from '../../tensor/index.ts';
import { buildLoss, modelsRead, type Objective } from '../kernel/objective.ts';
import { termInputs, type Arrays } from './batch-feeds.ts';
import { shapeOf, type MicroBatch } from './packing.ts';
import { withDropout, type Dropout } from './dropout.ts';
import { withFrozenBase, groupFeeds, groupInputs, groupLookup } from './grouped.ts';
import type { LiveModel } from './live-model.ts';
import { symbolicModel, type ModelGraph, type OtherModel } from './model-graph.ts';
import { inOneLoop } from './steps-per-run.ts';

/** Common settings of a model's training programs. */
export interface ProgramSettings {
  readonly device: Device;
  readonly graph: ModelGraph;
  /** The frozen base of a trained adapter. */
  readonly base?: FrozenBase;
  readonly objective: Objective;
  /** Temperature of log-probabilities. */
  readonly temperature: number;
  readonly dropout?: Dropout;
  /** Recomputes activations in the backward pass (gradient checkpointing). */
  readonly recompute?: boolean;
  /** Set if the device computes in float16. */
  readonly lossScaling?: LossScaling;
}

/** A program whose output `report` begins with the loss and ends with these metrics. */
interface Compiled {
  readonly program: Program;
  readonly metricNames: readonly string[];
}

/** Compiles and caches training programs. */
export class TrainingPrograms {
  readonly #settings: ProgramSettings;
  readonly #groups: readonly Group[];
  readonly #optimizer: OptimizerSettings;
  /** True if an input is fed the same array in every run, rather than values of the batch. */
  readonly #isKept: (name: string) => boolean;
  readonly #programs = new Map<string, Compiled>();
  #others: { readonly [name: string]: LiveModel } = {};

  constructor(
    settings: ProgramSettings,
    groups: readonly Group[],
    optimizer: OptimizerSettings,
    isKept: (name: string) => boolean,
  ) {
    this.#settings = settings;
    this.#groups = groups;
    this.#optimizer = optimizer;
    this.#isKept = isKept;
  }

  /** Sets the models that the objective names, and returns their feeds. */
  readOthers(modelOf: (name: string) => LiveModel): Feeds {
    const names = modelsRead(this.#settings.objective);
    this.#others = Object.fromEntries(names.map((name) => [name, modelOf(name)]));
    const feeds: Record<string, Feeds[string]> = { ...this.#settings.base?.inputs.feeds };
    for (const [name, { parameters, base }] of Object.entries(this.#others)) {
      const own = groupFeeds(groupsOf(parameters.slots), `${name}/parameters`, parameters.flat);
      for (const [key, values] of Object.entries({ ...base?.inputs.feeds, ...own })) {
        if (key in feeds && !sameArray(feeds[key], values))
          throw new WhetstoneError(
            'unsupported',
            `The policy and '${name}' have adapters on different base models.`,
            { where: `models.${name}`, hint: `Merge the adapter of '${name}' into its model first.` },
          );
        feeds[key] = values;
      }
    }
    return feeds;
  }

  #other(name: string): OtherModel {
    const { programs, parameters, base } = this.#others[name];
    const own = groupLookup(groupsOf(parameters.slots), `${name}/parameters`);
    return { graph: programs.graph, parameters: withFrozenBase(base, own) };
  }

  /** Compiles the programs for a micro-batch's shape, unless cached. */
  async of(kind: 'step' | 'steps' | 'accumulate', arrays: Arrays, rect: MicroBatch): Promise<Compiled> {
    const { R, T, shared } = rect;
    const key = `${kind} ${shapeOf(rect)}`;
    const known = this.#programs.get(key);
    if (known) return known;
    const { graph, objective, temperature, device, dropout, recompute, lossScaling, base } = this.#settings;
    const tokens = input('column/tokens', { dtype: 'int32', shape: [R, T] });
    const last = input('last', { dtype: 'int32', shape: [R] });
    const learner = symbolicModel(
      graph,
      withFrozenBase(base, groupLookup(this.#groups, 'parameters')),
      { tokens, last, shared },
      temperature,
      (name) => this.#other(name),
    );
    const built = buildLoss(objective, (term) => termInputs(arrays, term, { R, T, tokens }), learner);
    const metricNames = Object.keys(built.metrics);
    const roots = [built.loss, ...Object.values(built.metrics)];
    const [loss, ...values] = dropout && dropout.rate > 0 ? withDropout(roots, dropout.rate) : roots;
    const params = groupInputs(this.#groups, 'parameters');
    const grads = grad(lossScaling ? mul(loss, lossScale(lossScaling)) : loss, Object.values(params), {
      recompute,
    });
    const name = `${objective.id} ${key}`;
    const plan =
      kind === 'accumulate'
        ? accumulatePlan(packed([loss, ...values]), groupInputs(this.#groups, 'gradient'), grads)
        : stepPlan(this.#optimizer, { loss, params, groups: this.#groups, grads }, (norms) => [
            loss,
            ...norms,
            ...values,
          ]);
    const whole =
      kind === 'steps' ? inOneLoop(plan, device.stepsPerRun, (name) => !this.#isKept(name)) : plan;
    const compiled = {
      program: await device.compile({ name, kind: `${objective.id} ${kind}`, ...whole }),
      metricNames,
    };
    this.#programs.set(key, compiled);
    return compiled;
  }

  /** The update from a previously accumulated gradient, given as inputs. */
  async apply(): Promise<Program> {
    const known = this.#programs.get('apply');
    if (known) return known.program;
    const loss = input('loss', { dtype: 'float32', shape: [] });
    const [params, gradients] = ['parameters', 'gradient'].map((prefix) => groupInputs(this.#groups, prefix));
    const plan = stepPlan(
      this.#optimizer,
      { loss, params, groups: this.#groups, grads: Object.values(gradients) },
      (norms) => norms,
    );
    const program = await this.#settings.device.compile({ name: `${this.#optimizer.kind} update`, ...plan });
    this.#programs.set('apply', { program, metricNames: [] });
    return program;
  }
}

/** True for views of the same numbers. */
const sameArray = (a: Feeds[string], b: Feeds[string]): boolean =>
  a === b ||
  (ArrayBuffer.isView(a) &&
    ArrayBuffer.isView(b) &&
    a.buffer === b.buffer &&
    a.byteOffset === b.byteOffset &&
    a.byteLength === b.byteLength);

interface Step {
  readonly loss: Expr;
  readonly params: Readonly<Record<string, Expr>>;
  readonly groups: readonly Group[];
  readonly grads: readonly Expr[];
}

/**
 * In-place update of the parameters from a gradient; the report holds `values` of the gradient's norm and
 * the skipped flag.
 */
const stepPlan = (
  optimizer: OptimizerSettings,
  { loss, params: named, groups, grads }: Step,
  values: (norms: Expr[]) => Expr[],
) => {
  const learningRate = input('learningRate', { dtype: 'float32', shape: [] });
  const params = Object.values(named);
  const result = optimizerStep(optimizer, {
    loss,
    params,
    traits: groups,
    grads,
    state: optimizerState(optimizer, params, groups),
    learningRate,
  });
  const { outputs, inPlace } = inPlaceOutputs(result, named);
  return {
    outputs: { ...outputs, report: packed(values([result.metrics.gradNorm, result.metrics.skipped])) },
    inPlace,
  };
};

/** Accumulates a gradient into its inputs, in place. */
const accumulatePlan = (report: Expr, sums: Readonly<Record<string, Expr>>, grads: readonly Expr[]) => ({
  outputs: {
    report,
    ...Object.fromEntries(
      Object.entries(sums).map(([name, sum], at) => [`next/${name}`, add(sum, grads[at])]),
    ),
  },
  inPlace: Object.fromEntries(Object.keys(sums).map((name) => [`next/${name}`, name])),
});

/** Packs scalars into one array: every output that a run returns costs a copy. */
const packed = (values: readonly Expr[]): Expr =>
  concat(
    values.map((value) => reshape(value, [1])),
    0,
  );
