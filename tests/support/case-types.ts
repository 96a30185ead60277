import type * as z from 'zod';
import type { Call, Endpoint, Feed } from '../../preload/contract/define.ts';
import type { WhetstoneContract } from '../../preload/contract/index.ts';

/** Fixtures of the cases: a workspace with a dataset, two finished runs, a checkpoint and a label set. */
export interface World {
  readonly folder: string;
  readonly file: string;
  readonly datasetId: string;
  /** A dataset made from another one. */
  readonly derivedId: string;
  readonly runId: string;
  readonly otherRunId: string;
  readonly sampledRunId: string;
  readonly rewardRunId: string;
  /** Another reward model on the same data. */
  readonly otherRewardRunId: string;
  /** A run of another tool's log. */
  readonly importedRunId: string;
  readonly checkpointId: string;
  readonly setId: string;
  /** A label set that compares two runs. */
  readonly duelId: string;
  readonly pairId: string;
  /** An import of labels into that set. */
  readonly importId: string;
  readonly modelId: string;
  /** A stored report of a suite. */
  readonly suiteReportId: string;
  readonly experimentId: string;
  /** A plan that was stopped before its first node. */
  readonly planId: string;
  /** Another plan, which no other case starts. */
  readonly idlePlanId: string;
  readonly spec: unknown;
}
type InputOf<E extends Endpoint> = E extends Call<infer I> | Feed<infer I> ? z.input<I> : never;

export interface Case<E extends Endpoint> {
  readonly valid: (world: World) => InputOf<E>;
  /**
   * Input that the contract or the handler must reject, and the kind of the error. For calls without input,
   * a superfluous field.
   */
  readonly invalid: (world: World) => {
    readonly input: unknown;
    readonly kind: 'invalid-input' | 'not-found' | 'conflict';
  };
  /** The stand-in engine computes nothing: such calls must return its refusal instead of an answer. */
  readonly refusedByStandIn?: true;
}
/** A case for every endpoint: one that is missing does not compile. */
export type Cases = {
  readonly [D in keyof WhetstoneContract]: {
    readonly [K in keyof WhetstoneContract[D]]: Case<WhetstoneContract[D][K] & Endpoint>;
  };
};
