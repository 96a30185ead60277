/** A run that is open: what it learns from, its models and scorers, and where it stands. */
import type { ParameterSet } from '../../models/parameters.ts';
import type { Model } from '../../models/model.ts';
import type { RewardContext } from '../../rewards/index.ts';
import type { Stack } from '../../rewards/stack.ts';
import type { Device } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Updater } from '../compute/updater.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Control } from '../kernel/control.ts';
import type { Method } from '../kernel/method.ts';
import type { Recipe, Role } from '../kernel/recipe.ts';
import type { Table } from '../kernel/rows.ts';
import type { Stage } from '../kernel/stage.ts';
import type { LeftOut } from '../tasks/fitting.ts';
import type { TaskData } from '../tasks/task-data.ts';
import type { FaultLog } from './fault-log.ts';

/** A role with its model. */
export interface LiveRole {
  readonly name: string;
  readonly role: Role;
  readonly stages: readonly Stage[];
  readonly model: Model;
  /** What of it learning changes. */
  readonly trained: ParameterSet;
  readonly live: LiveModel;
  readonly learner?: Updater;
  /**
   * Temperature of its log-probabilities: a role that samples is its policy at the sampling temperature, any
   * other is at 1.
   */
  readonly temperature: number;
  /** Where a role that restarts begins each batch. */
  readonly start?: Float32Array;
  /** Batches of rows made, updates taken. */
  draws: number;
  updates: number;
}

/** Where a run stands; everything else follows from the spec. */
export interface RunCounters {
  step: number;
  units: number;
  skippedInRow: number;
}

/** What every stack of scorers of a run is opened with. */
export type Scoring = Pick<RewardContext, 'report' | 'rehearsal' | 'initial' | 'reference'>;

export interface Session {
  readonly run: StartRun;
  readonly spec: RunSpec;
  readonly method: Method;
  readonly recipe: Recipe;
  readonly data: TaskData;
  /**
   * Rows of files that were too long for the model, of those that it would have been trained and judged on.
   */
  readonly leftOut: LeftOut;
  readonly tokenizer: Tokenizer;
  readonly device: Device;
  readonly roles: ReadonlyMap<string, LiveRole>;
  /** The role whose model the run is about: what is evaluated and saved. */
  readonly main: LiveRole;
  /** The model that the run began with. */
  readonly initial: LiveModel;
  /** The same as a model that writes. */
  readonly initialModel: Model;
  readonly control: Control;
  /** Scorers of the rows that are learned from. */
  readonly stack: Stack;
  readonly buffers: Map<string, Table>;
  /** Rows of turns that have not ended, by role: they are in no buffer yet. */
  readonly turnRows: Map<string, Table>;
  readonly counters: RunCounters;
  /** Answers that a scorer could not score. */
  readonly faults: FaultLog;
  readonly scoring: Scoring;
  readonly totalSteps: number;
  /** What the models took together while the run was opened: one whose head is replaced is copied. */
  readonly openingBytes: number;
  /** What the inspection found; saved with the checkpoint for scorers that correct for length. */
  lengthFit?: { readonly intercept: number; readonly slope: number };
}
