/**
 * Updates a model with batches of rows: one fused step, or gradient accumulation over several micro-batches.
 */
import type { ParameterSet } from '../../models/parameters.ts';
import {
  groupsOf,
  learningRateAt,
  lossScaleIn,
  type Group,
  type OptimizerSettings,
} from '../../optim/index.ts';
import { pause } from '../../pace/index.ts';
import { valuesOf, type Feeds, type Program, type Values } from '../../runtime/index.ts';
import type { OptimizerSpec } from '../../schema/run-spec.ts';
import { sizeOf, type TensorType } from '../../tensor/index.ts';
import type { ColumnValue, Columns } from '../kernel/columns.ts';
import type { Limits, Prepared } from '../kernel/objective.ts';
import { isPerToken, lengthsOf, type Table } from '../kernel/rows.ts';
import type { LiveModel } from './live-model.ts';
import { packFor } from './single-shape.ts';
import { feedOf, type Arrays } from './batch-feeds.ts';
import type { MicroBatch } from './packing.ts';
import { isMask, maskOf } from './dropout.ts';
import { groupFeeds } from './grouped.ts';
import { sharedPrefixes } from './shared-prefixes.ts';
import { freshState, restoreState } from './optimizer-state.ts';
import { joined, oneShape } from './steps-per-run.ts';
import { TrainingPrograms, type ProgramSettings } from './training-programs.ts';

export interface UpdaterPlan extends ProgramSettings {
  /** Updated in place. */
  readonly parameters: ParameterSet;
  readonly optimizer: OptimizerSpec;
  readonly limits: Limits;
  /** Total updates of the run, for the learning-rate schedule. */
  readonly steps: number;
  /** Bound on the tokens of one micro-batch; larger batches use gradient accumulation. */
  readonly microBatchTokens?: number;
}

/** Result of one update. `skipped` is 1 if loss or gradient was not finite: then nothing changed. */
export interface UpdateReport {
  readonly loss: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  readonly skipped: number;
  readonly metrics: { readonly [name: string]: number };
}

/**
 * Small enough for a processor's caches and for separating long rows from short ones, large enough that a
 * run's overhead does not matter.
 */
const MICRO_BATCH_TOKENS = 4096;

/** The gradient of a batch, summed over micro-batches, with the loss and the metrics. */
export interface BatchGradient {
  readonly loss: number;
  readonly gradient: Float32Array;
  readonly metrics: { readonly [name: string]: number };
}

export class Updater {
  readonly #plan: UpdaterPlan;
  readonly #groups: readonly Group[];
  readonly #optimizer: OptimizerSettings;
  readonly #programs: TrainingPrograms;
  /**
   * The optimizer's arrays, concatenated for each of its slots: moments, and its own count of updates. Saved
   * and restored unchanged.
   */
  readonly state: Readonly<Record<string, Float32Array>>;
  #feeds: Feeds;

  constructor(plan: UpdaterPlan, saved: Readonly<Record<string, Float32Array>> = {}) {
    this.#plan = plan;
    this.#groups = groupsOf(plan.parameters.slots, plan.optimizer);
    this.#optimizer = { ...plan.optimizer, ...(plan.lossScaling && { lossScaling: plan.lossScaling }) };
    const { arrays, feeds } = freshState(this.#optimizer, this.#groups);
    this.state = arrays;
    restoreState(arrays, saved);
    if (plan.base) plan.device.freeze(...plan.base.inputs.arrays);
    this.#feeds = {
      ...plan.base?.inputs.feeds,
      ...groupFeeds(this.#groups, 'parameters', plan.parameters.flat),
      ...feeds,
    };
    this.#programs = new TrainingPrograms(plan, this.#groups, this.#optimizer, (name) => name in this.#feeds);
  }

  /** Sets the models whose distributions the objective reads; needed before the first update if there are any. */
  readOthers(modelOf: (name: string) => LiveModel): void {
    this.#feeds = { ...this.#programs.readOthers(modelOf), ...this.#feeds };
  }

  /** Resets the optimizer's arrays to their initial values. */
  forget(): void {
    for (const [name, values] of Object.entries(freshState(this.#optimizer, this.#groups).arrays))
      this.state[name].set(values);
  }

  /**
   * One update from a batch of rows; `step` 0 is the first of the run. `weights` scale the terms with those
   * names.
   */
  async update(table: Table, step: number, weights: Limits['weights'] = {}): Promise<UpdateReport> {
    const learningRate = learningRateAt(this.#plan.optimizer, step, this.#plan.steps);
    const { arrays, cuts } = this.#batch(table, weights);
    // a filter dropped every row: a step from a gradient of 0 would still move parameters by momentum
    if (cuts.length === 0) return { loss: 0, gradNorm: 0, skipped: 0, learningRate, metrics: {} };
    const rate = { learningRate: Float32Array.of(learningRate), ...this.#feeds };
    if (cuts.length === 1) {
      const { program, metricNames } = await this.#programs.of('step', arrays, cuts[0]);
      return reportOf(await this.#run(program, arrays, cuts[0], rate, step), learningRate, metricNames);
    }
    const { loss, gradient, metrics } = await this.#accumulated(arrays, cuts, step);
    const apply = await this.#programs.apply();
    const all: Feeds = {
      ...rate,
      ...groupFeeds(this.#groups, 'gradient', gradient),
      loss: Float32Array.of(loss),
    };
    // frozen inputs take no part in an update
    const feeds = Object.fromEntries(Object.keys(apply.inputs).map((name) => [name, all[name]]));
    const [gradNorm, skipped] = valuesOf(await apply.run(feeds), 'report', 'float32');
    this.#plan.device.changed(gradient); // not read again: its device memory can be reused
    return { loss, gradNorm, skipped, learningRate, metrics };
  }

  /**
   * Consecutive updates from batches of rows; `step` is the first one's. If the device takes several per
   * run, and each batch is one micro-batch, their state crosses the bus once.
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
    const { optimizer, steps, microBatchTokens = MICRO_BATCH_TOKENS } = this.#plan;
    const batches = tables.map((table) => this.#batch(table, weights));
    const rects = oneShape(
      batches.map(({ cuts }) => cuts),
      microBatchTokens,
    );
    if (!rects) return undefined;
    const rates = tables.map((_, at) => learningRateAt(optimizer, step + at, steps));
    const { program, metricNames } = await this.#programs.of('steps', batches[0].arrays, rects[0]);
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
    return rates.map((learningRate, at) =>
      reportOf(report.subarray(at * width, (at + 1) * width), learningRate, metricNames),
    );
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

  /** Graph arrays of the whole batch, and its micro-batches. */
  #batch(table: Table, weights: Limits['weights'] = {}): { arrays: Arrays; cuts: readonly MicroBatch[] } {
    const {
      objective,
      limits,
      graph,
      device,
      base,
      dropout,
      microBatchTokens = MICRO_BATCH_TOKENS,
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
    // dropout masks are drawn by row and token, so rows with dropout cannot share a prefix's states
    const prefixes = mask && graph.shares && !dropout?.rate ? sharedPrefixes(tokens, mask) : undefined;
    return {
      arrays,
      cuts: packFor({ device, kind: objective.id, frozen: base !== undefined }, lengthsOf(tokens), {
        unit,
        tokens: microBatchTokens,
        context: graph.context,
        ...(graph.multiple && { multiple: graph.multiple }),
        prefixes,
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
      const { program, metricNames } = await this.#programs.of('accumulate', arrays, rect);
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

  /** The feed of a batch for an input. */
  #fed(name: string, type: TensorType, arrays: Arrays, rect: MicroBatch, step: number): Values {
    const { graph, dropout } = this.#plan;
    return dropout && isMask(name)
      ? maskOf(name, sizeOf(type.shape), rect, dropout, step)
      : feedOf(name, type, arrays, rect, graph.pad);
  }
}

/** The report of one update, decoded from a program's `report`. */
const reportOf = (
  [loss, gradNorm, skipped, ...metrics]: Float32Array,
  learningRate: number,
  metricNames: readonly string[],
): UpdateReport => ({
  loss,
  gradNorm,
  skipped,
  learningRate,
  metrics: Object.fromEntries(metricNames.map((name, at) => [name, metrics[at]])),
});
