/**
 * Turns an objective and an optimizer into compiled programs, one for each shape of rectangle, and updates a
 * model with a batch of rows.
 */
import type { FrozenBase } from '../../models/inputs.ts';
import type { ParameterSet } from '../../models/parameters.ts';
import {
  groupsOf,
  inPlaceOutputs,
  learningRateAt,
  lossScale,
  lossScaleIn,
  optimizerState,
  optimizerStep,
  packedState,
  type Group,
  type LossScaling,
  type OptimizerSettings,
} from '../../optim/index.ts';
import { pause } from '../../pace/index.ts';
import type { Device, Feeds, Program, Values } from '../../runtime/index.ts';
import { valuesOf } from '../../runtime/index.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { OptimizerSpec } from '../../schema/run-spec.ts';
import {
  add,
  concat,
  grad,
  input,
  mul,
  reshape,
  sizeOf,
  type DType,
  type Expr,
  type TensorType,
} from '../../tensor/index.ts';
import { cutFor } from './alike.ts';
import { eachRow, rectangle, shapeOf, vector, type MicroBatch } from './buckets.ts';
import type { ColumnValue, Columns } from '../kernel/columns.ts';
import { isMask, maskOf, withDropout, type Dropout } from './dropout.ts';
import { besideBase, groupFeeds, groupInputs, groupLookup } from './grouped.ts';
import { symbolicModel, type ModelGraph } from './model-graph.ts';
import { buildLoss, type Limits, type Objective, type Prepared } from '../kernel/objective.ts';
import { openingsOf } from './openings.ts';
import { isPerToken, lengthsOf, type Table } from '../kernel/rows.ts';
import { inOneLoop, joined, oneShape } from './steps-per-run.ts';

export interface LearnerPlan {
  readonly device: Device;
  readonly graph: ModelGraph;
  /** Updated in place. */
  readonly parameters: ParameterSet;
  /** What `parameters` are an adapter beside; only read. */
  readonly base?: FrozenBase;
  readonly objective: Objective;
  readonly optimizer: OptimizerSpec;
  readonly limits: Limits;
  /** Temperature at which log-probabilities are taken. */
  readonly temperature: number;
  /** Updates of the whole run: the learning rate falls over them. */
  readonly steps: number;
  /** Bound on the tokens of one rectangle; more rows are summed over several. */
  readonly rectangleTokens?: number;
  readonly dropout?: Dropout;
  /** Compute activations again in the backward pass. */
  readonly recompute?: boolean;
  /** Where the device computes in float16. */
  readonly lossScaling?: LossScaling;
}

/** What one update did. `skipped` is 1 where loss or gradient was not finite: then nothing changed. */
export interface UpdateReport {
  readonly loss: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  readonly skipped: number;
  readonly metrics: { readonly [name: string]: number };
}

/**
 * Small enough for a processor's caches and for long rows to be sorted apart from short ones, large enough
 * that a run's overhead does not show.
 */
const RECTANGLE_TOKENS = 4096;

interface Compiled {
  readonly program: Program;
  readonly metricNames: readonly string[];
}

/** A column or prepared array by the name of its graph input. */
type Arrays = { readonly [inputName: string]: ColumnValue };

/** The gradient of a batch: its sum over rectangles, with the loss and the metrics. */
export interface BatchGradient {
  readonly loss: number;
  readonly gradient: Float32Array;
  readonly metrics: { readonly [name: string]: number };
}

export class BatchLearner {
  readonly #plan: LearnerPlan;
  readonly #groups: readonly Group[];
  readonly #optimizer: OptimizerSettings;
  readonly #programs = new Map<string, Compiled>();
  /**
   * The optimizer's arrays, end to end for each of its slots: moments, and its own count of updates. Saved
   * and restored as they are.
   */
  readonly state: Readonly<Record<string, Float32Array>>;
  readonly #feeds: Feeds;

  constructor(plan: LearnerPlan, saved: Readonly<Record<string, Float32Array>> = {}) {
    this.#plan = plan;
    this.#groups = groupsOf(plan.parameters.slots, plan.optimizer);
    this.#optimizer = { ...plan.optimizer, ...(plan.lossScaling && { lossScaling: plan.lossScaling }) };
    const { arrays, feeds } = this.#fresh();
    this.state = arrays;
    restore(arrays, saved);
    if (plan.base) plan.device.freeze(...plan.base.inputs.arrays);
    this.#feeds = {
      ...plan.base?.inputs.feeds,
      ...groupFeeds(this.#groups, 'parameters', plan.parameters.flat),
      ...feeds,
    };
  }

  #fresh(): ReturnType<typeof packedState> {
    return packedState(
      optimizerState(this.#optimizer, Object.values(groupInputs(this.#groups, 'parameters')), this.#groups),
    );
  }

  /** Forgets what the optimizer has gathered: its arrays are as they were at first. */
  forget(): void {
    for (const [name, values] of Object.entries(this.#fresh().arrays)) this.state[name].set(values);
  }

  /**
   * One update from a batch of rows; `step` 0 is the first of the run. `weights` scale the terms that carry
   * those names.
   */
  async update(table: Table, step: number, weights: Limits['weights'] = {}): Promise<UpdateReport> {
    const learningRate = learningRateAt(this.#plan.optimizer, step, this.#plan.steps);
    const { arrays, cuts } = this.#batch(table, weights);
    // a filter took every row: a step from a gradient of 0 would still move what has momentum
    if (cuts.length === 0) return { loss: 0, gradNorm: 0, skipped: 0, learningRate, metrics: {} };
    const rate = { learningRate: Float32Array.of(learningRate), ...this.#feeds };
    if (cuts.length === 1) {
      const { program, metricNames } = await this.#program('step', arrays, cuts[0]);
      const [loss, gradNorm, skipped, ...metrics] = await this.#run(program, arrays, cuts[0], rate, step);
      return {
        loss,
        gradNorm,
        skipped,
        learningRate,
        metrics: Object.fromEntries(metricNames.map((name, at) => [name, metrics[at]])),
      };
    }
    const { loss, gradient, metrics } = await this.#accumulated(arrays, cuts, step);
    const apply = await this.#applyProgram();
    const all: Feeds = {
      ...rate,
      ...groupFeeds(this.#groups, 'gradient', gradient),
      loss: Float32Array.of(loss),
    };
    // what is frozen takes no part in an update
    const feeds = Object.fromEntries(Object.keys(apply.inputs).map((name) => [name, all[name]]));
    const [gradNorm, skipped] = valuesOf(await apply.run(feeds), 'report', 'float32');
    this.#plan.device.changed(gradient); // nobody reads it again: its room on the device is free
    return { loss, gradNorm, skipped, learningRate, metrics };
  }

  /**
   * Updates from batches of rows, one after the other; `step` is the first one's. Where the device takes so
   * many in one run, and each batch is one rectangle, their state crosses the bus once.
   */
  async updates(
    tables: readonly Table[],
    step: number,
    weights: Limits['weights'] = {},
  ): Promise<UpdateReport[]> {
    const { stepsPerRun } = this.#plan.device;
    const together =
      stepsPerRun > 1 && tables.length === stepsPerRun
        ? await this.#together(tables, step, weights)
        : undefined;
    if (together) return together;
    const reports: UpdateReport[] = [];
    for (const [at, table] of tables.entries()) reports.push(await this.update(table, step + at, weights));
    return reports;
  }

  async #together(
    tables: readonly Table[],
    step: number,
    weights: Limits['weights'],
  ): Promise<UpdateReport[] | undefined> {
    const { optimizer, steps, rectangleTokens = RECTANGLE_TOKENS } = this.#plan;
    const batches = tables.map((table) => this.#batch(table, weights));
    const rects = oneShape(
      batches.map(({ cuts }) => cuts),
      rectangleTokens,
    );
    if (!rects) return undefined;
    const rates = tables.map((_, at) => learningRateAt(optimizer, step + at, steps));
    const { program, metricNames } = await this.#program('steps', batches[0].arrays, rects[0]);
    const feeds = Object.fromEntries(
      Object.entries(program.inputs).map(([name, { dtype, shape }]) => [
        name,
        this.#feeds[name] ??
          joined(
            batches.map(({ arrays }, at) =>
              name === 'learningRate'
                ? Float32Array.of(rates[at])
                : this.#fed(name, { dtype, shape: shape.slice(1) }, arrays, rects[at], step + at),
            ),
          ),
      ]),
    );
    const report = valuesOf(await program.run(feeds), 'report', 'float32');
    const width = report.length / tables.length;
    return rates.map((learningRate, at) => {
      const [loss, gradNorm, skipped, ...metrics] = report.subarray(at * width, (at + 1) * width);
      return {
        loss,
        gradNorm,
        skipped,
        learningRate,
        metrics: Object.fromEntries(metricNames.map((name, i) => [name, metrics[i]])),
      };
    });
  }

  /** The gradient alone, with the dropout of that step; nothing changes. */
  async gradient(table: Table, step = 0): Promise<BatchGradient> {
    const { arrays, cuts } = this.#batch(table);
    const made = await this.#accumulated(arrays, cuts, step);
    const { device, lossScaling } = this.#plan;
    await device.read(made.gradient);
    if (!lossScaling) return made;
    await device.read(this.state['optimizer/lossScale']);
    const scale = lossScaleIn(lossScaling, this.state);
    return { ...made, gradient: made.gradient.map((x) => x / scale) };
  }

  /** Arrays for the graph from the whole batch, and how its rows are cut. */
  #batch(table: Table, weights: Limits['weights'] = {}): { arrays: Arrays; cuts: readonly MicroBatch[] } {
    const {
      objective,
      limits,
      graph,
      device,
      base,
      dropout,
      rectangleTokens = RECTANGLE_TOKENS,
    } = this.#plan;
    const arrays: Record<string, ColumnValue> = {};
    for (const [name, column] of Object.entries(table))
      if (isPerToken(column) || column instanceof Float64Array) arrays[`column/${name}`] = column;
    objective.terms.forEach((term, at) => {
      const prepared: Prepared = term.prepare(table, { ...limits, weights });
      for (const [name, made] of Object.entries(prepared)) arrays[`${at}/${name}`] = made;
    });
    const unit = Math.max(...objective.terms.map((term) => term.unit));
    const { tokens, mask } = table as Pick<Columns, 'tokens'> & Partial<Columns>;
    // masks of dropout are drawn by row and token: what one row has dropped of a beginning, another keeps
    const openings = mask && graph.shares && !dropout?.rate ? openingsOf(tokens, mask) : undefined;
    return {
      arrays,
      cuts: cutFor({ device, kind: objective.id, frozen: base !== undefined }, lengthsOf(tokens), {
        unit,
        tokens: rectangleTokens,
        context: graph.context,
        openings,
      }),
    };
  }

  async #accumulated(arrays: Arrays, cuts: readonly MicroBatch[], step: number): Promise<BatchGradient> {
    const gradient = new Float32Array(this.#plan.parameters.size);
    const own = { ...this.#feeds, ...groupFeeds(this.#groups, 'gradient', gradient) };
    const metrics: { [name: string]: number } = {};
    let loss = 0;
    for (const [at, rect] of cuts.entries()) {
      await pause(at / cuts.length);
      const { program, metricNames } = await this.#program('accumulate', arrays, rect);
      const report = await this.#run(program, arrays, rect, own, step);
      loss += report[0];
      metricNames.forEach((name, i) => {
        metrics[name] = (metrics[name] ?? 0) + report[1 + i];
      });
    }
    return { loss, gradient, metrics };
  }

  async #run(
    program: Program,
    arrays: Arrays,
    rect: MicroBatch,
    own: Feeds,
    step: number,
  ): Promise<Float32Array> {
    const feeds = Object.fromEntries(
      Object.entries(program.inputs).map(([name, type]) => [
        name,
        own[name] ?? this.#fed(name, type, arrays, rect, step),
      ]),
    );
    return valuesOf(await program.run(feeds), 'report', 'float32');
  }

  /** What a batch feeds to an input. */
  #fed(name: string, { dtype, shape }: TensorType, arrays: Arrays, rect: MicroBatch, step: number): Values {
    const { graph, dropout } = this.#plan;
    return dropout && isMask(name)
      ? maskOf(name, sizeOf(shape), rect, dropout, step)
      : feedOf(name, dtype, arrays, rect, graph.pad);
  }

  async #program(kind: 'step' | 'steps' | 'accumulate', arrays: Arrays, rect: MicroBatch): Promise<Compiled> {
    const { R, T, shared } = rect;
    const key = `${kind} ${shapeOf(rect)}`;
    const known = this.#programs.get(key);
    if (known) return known;
    const { graph, objective, temperature, device, dropout, recompute, lossScaling, base } = this.#plan;
    const tokens = input('column/tokens', { dtype: 'int32', shape: [R, T] });
    const last = input('last', { dtype: 'int32', shape: [R] });
    const learner = symbolicModel(
      graph,
      besideBase(base, groupLookup(this.#groups, 'parameters')),
      { tokens, last, shared },
      temperature,
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
      kind === 'steps' ? inOneLoop(plan, device.stepsPerRun, (input) => !(input in this.#feeds)) : plan;
    const compiled = {
      program: await device.compile({ name, kind: `${objective.id} ${kind}`, ...whole }),
      metricNames,
    };
    this.#programs.set(key, compiled);
    return compiled;
  }

  async #applyProgram(): Promise<Program> {
    const known = this.#programs.get('apply');
    if (known) return known.program;
    const loss = input('loss', { dtype: 'float32', shape: [] });
    const [params, gradients] = ['parameters', 'gradient'].map((prefix) => groupInputs(this.#groups, prefix));
    const plan = stepPlan(
      this.#optimizer,
      { loss, params, groups: this.#groups, grads: Object.values(gradients) },
      (norms) => norms,
    );
    const program = await this.#plan.device.compile({ name: `${this.#plan.optimizer.kind} update`, ...plan });
    this.#programs.set('apply', { program, metricNames: [] });
    return program;
  }
}

interface Step {
  readonly loss: Expr;
  readonly params: Readonly<Record<string, Expr>>;
  readonly groups: readonly Group[];
  readonly grads: readonly Expr[];
}

/**
 * Update of the parameters from a gradient, in place; the report holds what `values` makes of the gradient's
 * norm and the mark of a skipped step.
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

/** A gradient added to what its inputs hold, in place. */
const accumulatePlan = (report: Expr, sums: Readonly<Record<string, Expr>>, grads: readonly Expr[]) => ({
  outputs: {
    report,
    ...Object.fromEntries(
      Object.entries(sums).map(([name, sum], at) => [`next/${name}`, add(sum, grads[at])]),
    ),
  },
  inPlace: Object.fromEntries(Object.keys(sums).map((name) => [`next/${name}`, name])),
});

/** Puts a saved state back. Throws `conflict` where it is not this optimizer's. */
const restore = (
  arrays: Readonly<Record<string, Float32Array>>,
  saved: Readonly<Record<string, Float32Array>>,
): void => {
  if (Object.keys(saved).length === 0) return;
  const names = new Set([...Object.keys(arrays), ...Object.keys(saved)]);
  for (const name of names) {
    if (arrays[name]?.length === saved[name]?.length) arrays[name].set(saved[name]);
    else
      throw new WhetstoneError(
        'conflict',
        `The checkpoint’s optimizer has ${saved[name]?.length ?? 'no'} values of '${name}', where ` +
          `${arrays[name]?.length ?? 'none'} are needed.`,
        {
          where: name,
          hint:
            'It was written by another optimizer, or by an earlier version of this app, whose state ' +
            'cannot be continued. The model in it is whole: launch a new run that starts from this ' +
            'checkpoint.',
        },
      );
  }
};

/** Scalars in one array: every output that a run returns costs a copy. */
const packed = (values: readonly Expr[]): Expr =>
  concat(
    values.map((value) => reshape(value, [1])),
    0,
  );

/**
 * What a term's `build` reads by name: its own prepared arrays first, then columns. Only what is read becomes
 * an input of the graph.
 */
const termInputs = (
  arrays: Arrays,
  term: number,
  { R, T, tokens }: { R: number; T: number; tokens: Expr },
): { readonly [name: string]: Expr } =>
  new Proxy<{ [name: string]: Expr }>(
    {},
    {
      get: (_, name) => {
        if (name === 'tokens') return tokens;
        const found = [`${term}/${String(name)}`, `column/${String(name)}`].find((key) => key in arrays);
        if (found === undefined) return undefined;
        return input(found, { dtype: 'float32', shape: isPerToken(arrays[found]) ? [R, T] : [R] });
      },
    },
  );

const feedOf = (name: string, dtype: DType, arrays: Arrays, rect: MicroBatch, pad: number | null): Values => {
  if (name === 'last') return lastTokens(arrays['column/tokens'] as Columns['tokens'], rect, pad);
  const column = arrays[name];
  if (!isPerToken(column)) return vector(column as Float64Array, rect);
  return dtype === 'int32' ? rectangle(column, rect, Int32Array) : rectangle(column, rect, Float32Array);
};

/** Position of each row's last token that is not `pad`; 0 for padded rows. */
export const lastTokens = (
  { values, offsets }: Columns['tokens'],
  rect: MicroBatch,
  pad: number | null,
): Int32Array => {
  const last = new Int32Array(rect.R);
  eachRow(rect, (row, r) => {
    let at = offsets[row + 1] - 1;
    while (at > offsets[row] && values[at] === pad) at--;
    last[r] = at - offsets[row];
  });
  return last;
};
