import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import type { ResultKind, ResultValue } from '../../../engine/schema/results.ts';
import type { Forecast } from '../../../preload/contract/inheritance.ts';
import type { Sample } from '../../../preload/contract/runs.ts';

export type Side = 'method' | 'baseline';

/** Training budget that a side has spent, over all its runs: answers' tokens and updates. */
export interface Spent {
  readonly tokens: number;
  readonly updates: number;
}

/** A row of a dataset that an effect brings along, as a line of a JSONL file. */
export type Row = Readonly<Record<string, unknown>>;

/** Ids of the imported datasets, by their names in `data`. */
export type DatasetIds = Readonly<Record<string, string>>;

/** What the finished runs of a plan left. A run is named by its node; by default the side's last one. */
export interface SideRuns<S extends string = string> {
  /** What the ids of its nodes begin with. */
  readonly side: S;
  readonly seed: number;
  /** Evaluations of the run's own policy, first to last; throws if there is none. */
  evaluations(node?: string): Promise<readonly PolicyEvaluation[]>;
  /** The last evaluation of a run. */
  evaluation(node?: string): Promise<PolicyEvaluation>;
  /** The last result of another kind; throws if there is none. */
  result<K extends ResultKind>(kind: K, node?: string): Promise<ResultValue<K>>;
  /** Every value of a metric, first to last, and of all metrics whose names begin so; empty if there is none. */
  metric(name: string, node?: string): Promise<readonly number[]>;
  /** Stored answers of a purpose, oldest first. */
  answers(purpose: Sample['purpose'], node?: string): Promise<readonly Sample[]>;
  /** Ids of the side's runs, in the order of the plan. */
  nodes(): readonly string[];
  spent(): Promise<Spent>;
  /** What the endpoint of a distance between data says of the plan (`plans.forecast`). */
  forecast(): Promise<Forecast | null>;
}

/** What is run for one seed: a plan, and the datasets that it reads. */
export interface Trial {
  readonly id: string;
  /** Datasets that the plan reads, imported before it starts. */
  readonly data?: (seed: number) => Readonly<Record<string, readonly Row[]>>;
  /** The plan of one seed, without its name. */
  readonly plan: (
    seed: number,
    datasets: DatasetIds,
  ) => { readonly specs?: object; readonly nodes: readonly object[] };
}

/**
 * A published effect of a system against a baseline with the same budget, as one number per seed and side. Both
 * sides are runs of one plan: nodes whose ids begin with `method` or `baseline`; all other nodes are shared.
 * Budgets, thresholds and starting policies are chosen by the baseline alone, on seeds that are not reported.
 */
export interface Effect extends Trial {
  /** 1–13 (`engine/systems/kernel/clusters.ts`); null for a system without a cluster. */
  readonly cluster: number | null;
  /** The id of the system in `engine/systems`; null for a method that is no system of the list. */
  readonly system: string | null;
  /** The claim, and the world in which it is tested here. */
  readonly title: string;
  readonly cites: string;
  readonly method: string;
  readonly baseline: string;
  /** The measured number, and the claimed direction of the difference. */
  readonly measure: string;
  readonly better: 'lower' | 'higher';
  /** Steps of a run in a quick check, 2 by default: as many as its plan needs to reach its end. */
  readonly quickSteps?: number;
  /**
   * What qualifies the number: why an effect does not show and what a further attempt found, or choices that were
   * made after both sides had been seen.
   */
  readonly note?: string;
  readonly number: (runs: SideRuns<Side>) => Promise<number>;
}

/** Throws for an empty list: the number of an effect is never made up. */
export const mean = (values: readonly number[]): number => {
  if (values.length === 0) throw new Error('the run reported no values to average');
  return values.reduce((a, b) => a + b, 0) / values.length;
};
