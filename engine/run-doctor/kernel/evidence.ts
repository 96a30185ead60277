/** Evidence that the rules read: the stored curves, answers and evaluations of one run. */
import { isVerifier } from '../../common/verifiers.ts';
import {
  PolicyEvaluation,
  PreferenceEvaluation,
  RewardInspection,
  type PolicyEvaluation as Policy,
} from '../../schema/evaluation.ts';
import { ReplayContents } from '../../schema/replay.ts';
import { resultSchemas, type ResultKind, type ResultValue } from '../../schema/results.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import { Curve, type StoredCurve } from './curve.ts';

/** A sampled training answer. */
export interface StoredAnswer {
  readonly step: number;
  readonly promptId: string;
  readonly completion: string;
  /** Tokens of the answer. */
  readonly tokens: number;
  readonly scores: Readonly<Record<string, number>>;
}

/** A stored result of a run, of any kind and version. */
export interface StoredResult {
  readonly kind: ResultKind;
  readonly step: number;
  readonly attempt: number;
  readonly value: unknown;
}

/** A run's stored data. */
export interface StoredRun {
  readonly spec: RunSpec;
  readonly curves: readonly StoredCurve[];
  /** Training answers of some steps, evenly spaced over the run; whole batches, in order of steps. */
  readonly answers: readonly StoredAnswer[];
  /** In order of arrival. */
  readonly results: readonly StoredResult[];
  /** The evaluation of the checkpoint that the run began from, on the same problems. */
  readonly start: Policy | null;
  /** Rows (pairs, demonstrations or prompts) that it can train on; null where they are endless or unknown. */
  readonly trainingRows: number | null;
}

/** A group: the answers to one prompt at one step. */
export interface Group {
  readonly step: number;
  readonly promptId: string;
  readonly answers: readonly StoredAnswer[];
}

const emptyCurve = (name: string): Curve =>
  new Curve({ name, steps: new Float64Array(), values: new Float64Array() });

/** The evidence of one run, as the rules read it; everything missing is empty, never an error. */
export class Evidence {
  readonly spec: RunSpec;
  readonly start: Policy | null;
  readonly answers: readonly StoredAnswer[];
  readonly trainingRows: number | null;
  readonly #curves: ReadonlyMap<string, Curve>;
  readonly #results: readonly StoredResult[];

  constructor({ spec, curves, answers, results, start, trainingRows }: StoredRun) {
    this.spec = spec;
    this.start = start;
    this.answers = answers;
    this.trainingRows = trainingRows;
    this.#curves = new Map(curves.map((each) => [each.name, new Curve(each)]));
    this.#results = results;
  }

  get metrics(): readonly string[] {
    return [...this.#curves.keys()];
  }

  /** The curve of a metric; where several roles share the name, that of the policy. Empty if there is none. */
  curve(name: string): Curve {
    return this.#curves.get(name) ?? this.#curves.get(`policy/${name}`) ?? emptyCurve(name);
  }

  /**
   * The training loss where it is one to be minimized: the negative log-likelihood, or the loss of a method that
   * learns from pairs, marks or demonstrations. Empty for policy gradients, whose loss has no meaning of its own.
   */
  get trainingLoss(): Curve {
    const nll = this.curve('nll');
    if (nll.isLong) return nll;
    const isGradient = this.curve('entropy').isLong || this.curve('reward/mean').isLong;
    return isGradient ? emptyCurve('loss') : this.curve('loss');
  }

  /** The newest step of any curve; 0 without one. */
  get lastStep(): number {
    return Math.max(0, ...this.#curves.values().map((each) => each.lastStep));
  }

  /** A parameter of the method if it has it and it is a number. */
  param(name: string): number | null {
    const value = this.spec.method.params[name];
    return typeof value === 'number' ? value : null;
  }

  /** True if a reward other than a verifier has weight. */
  get trainsOnProxy(): boolean {
    return this.spec.rewards.some(({ id, weight }) => weight !== 0 && !isVerifier(id));
  }

  /** Training answers by step and prompt, groups of one included. */
  get groups(): readonly Group[] {
    const by = Map.groupBy(this.answers, ({ step, promptId }) => `${step} ${promptId}`);
    return [...by.values()].map((answers) => ({
      step: answers[0].step,
      promptId: answers[0].promptId,
      answers,
    }));
  }

  /** Evaluations of the policy by step, each step's newest attempt; unreadable ones are left out. */
  get evaluations(): readonly Policy[] {
    return this.#values('evaluation', PolicyEvaluation).map(({ value }) => value);
  }

  get inspections(): readonly { readonly step: number; readonly value: RewardInspection }[] {
    return this.#values('reward-inspection', RewardInspection);
  }

  get preferences(): readonly { readonly step: number; readonly value: PreferenceEvaluation }[] {
    return this.#values('preference-evaluation', PreferenceEvaluation);
  }

  /** Contents of the buffer of weighed rows at the evaluations, in order of steps; of the last one of several. */
  get replayed(): readonly { readonly step: number; readonly value: ReplayContents }[] {
    return this.#values('replay', ReplayContents);
  }

  /** Answers that a scorer could not score, oldest first. */
  get faults(): readonly { readonly step: number; readonly value: ResultValue<'reward-fault'> }[] {
    return this.#results.flatMap(({ kind, step, value }) => {
      const read = kind === 'reward-fault' ? resultSchemas['reward-fault'].safeParse(value) : null;
      return read?.success ? [{ step, value: read.data }] : [];
    });
  }

  #values<T>(
    kind: ResultKind,
    schema: { safeParse(value: unknown): { success: boolean; data?: T } },
  ): { step: number; value: T }[] {
    const newest = new Map<number, { attempt: number; value: T }>();
    for (const each of this.#results) {
      if (each.kind !== kind || each.attempt < (newest.get(each.step)?.attempt ?? 0)) continue;
      const { data } = schema.safeParse(each.value);
      if (data !== undefined) newest.set(each.step, { attempt: each.attempt, value: data });
    }
    return [...newest].map(([step, { value }]) => ({ step, value })).sort((a, b) => a.step - b.step);
  }
}
