import type { RowValues, ValueRow, ValueSource } from './row-values.ts';
import type { Verdict, WorldSample } from './atlas.ts';
import type { ChartExamination } from './chart.ts';
import type { DeviceFacts, DeviceId, DeviceVerdict } from './device.ts';
import type { ErrorFacts } from '../common/errors.ts';
import type { InsideCalls } from './inside.ts';
import type { InspectedPair } from './inspected-pair.ts';
import type { HeadWeights, JudgeFit, JudgeLabels, JudgeOrder, StoredFeatures } from './judge.ts';
import type { PutPrompts } from './model.ts';
import type { BaseRef, ModelPlace, TextToRead, WorldChoice } from './places.ts';
import type { Preflight, PreflightProgress } from './preflight.ts';
import type { ExportProgress, ExportType } from './export.ts';
import type { RewardFault, RunResult } from './results.ts';
import type { RunSpec } from './run-spec.ts';
import type { DecodingSpec } from './sampling.ts';
import type { SelfTestProgress, SelfTestRow } from './self-test.ts';
import type { Trajectory } from './trajectory.ts';
import type { TriedPrompt } from './tried-prompt.ts';

export type { BaseRef, ModelPlace, TextToRead, WorldChoice } from './places.ts';

/** Files of the ids in a spec; main resolves them, the engine only reads them. Values are absolute paths. */
export interface Resources {
  /** Folders of checkpoints, and of models outside the workspace, by id. */
  readonly checkpoints: { readonly [checkpointId: string]: string };
  /** For the models among them: their hash, and the location of an adapter's base model. */
  readonly models?: { readonly [modelId: string]: { readonly hash: string; readonly base?: BaseRef } };
  /**
   * JSON-lines files, also by name of evaluations: of `Preference` where pairs are read, else
   * `Demonstration`.
   */
  readonly datasets: { readonly [datasetId: string]: string };
  readonly evaluations?: { readonly [name: string]: string };
  /** JSON-lines files of `Preference` by label set id. */
  readonly preferences: { readonly [id: string]: string };
  /** Folder of the feature cache for frozen models. */
  readonly features?: string;
}

export interface StartRun {
  readonly runId: string;
  /** 1 for the first; a resume begins the next. */
  readonly attempt: number;
  readonly spec: RunSpec;
  readonly resources: Resources;
  /** Folder for the engine's files; checkpoints become `checkpoints/<attempt>-<step>`. */
  readonly outDir: string;
  /** Checkpoint folder to continue from, optimizer and counters included. */
  readonly resumeFrom?: string;
}

/** Address of an event. `sequence` counts from 1 within (run, attempt) without gaps. */
export interface EventAddress {
  readonly runId: string;
  readonly attempt: number;
  readonly role: string;
  readonly step: number;
  readonly sequence: number;
  /** UTC epoch milliseconds. */
  readonly at: number;
}

/** A checkpoint folder, complete on disk when this is sent. */
export interface CheckpointFacts {
  readonly path: string;
  /** SHA-256 over the sorted manifest of files. */
  readonly hash: string;
  readonly bytes: number;
  /** Parameters in the model. */
  readonly parameters: number;
  readonly head: 'next-token' | 'reward';
  readonly final: boolean;
}

/**
 * Progress of a run. `done` of `total` count steps of the run, or outside its steps the unit in `of`: rows,
 * problems, percent.
 */
export interface Progress {
  readonly type: 'progress';
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly of?: string;
  readonly secondsLeft: number | null;
  /** Remaining work not included in `secondsLeft`, since the run has not timed any of it yet. */
  readonly untimed?: readonly string[];
}

export type EventBody =
  | { readonly type: 'started'; readonly parameters: number; readonly totalSteps: number }
  | { readonly type: 'metrics'; readonly values: { readonly [name: string]: number } }
  | { readonly type: 'trajectories'; readonly rows: readonly Trajectory[] }
  | Progress
  | { readonly type: 'checkpoint'; readonly checkpoint: CheckpointFacts }
  /** A table of results: an evaluation, a reward model's inspection. `kind` names its shape. */
  | ({ readonly type: 'result' } & RunResult)
  /** Pairs of a reward model's inspection, before its result; `from` of `total`. */
  | {
      readonly type: 'inspected-pairs';
      readonly from: number;
      readonly total: number;
      readonly rows: readonly InspectedPair[];
    }
  | { readonly type: 'finished'; readonly outcome: 'done' | 'stopped' }
  | { readonly type: 'failed'; readonly error: ErrorFacts };
export type EngineEvent = EventAddress & EventBody;

/** A file of a model folder when its contents were hashed. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Size, times and inode: the contents are hashed again only if this changes. */
  readonly stamp: string;
  /** UTC epoch milliseconds. */
  readonly hashedAt: number;
}

/** A prompt with two answers to it. */
export interface PairTexts {
  readonly prompt: string;
  readonly a: string;
  readonly b: string;
}

/** Description of a model folder. */
export interface ModelFacts {
  /** The folder that holds `config.json`. */
  readonly folder: string;
  readonly name: string;
  /** `model_type` of its configuration. */
  readonly architecture: string;
  readonly head: CheckpointFacts['head'];
  readonly parameters: number;
  /** Types of its weights on disk. */
  readonly dtypes: string[];
  readonly bytes: number;
  readonly context: number;
  readonly vocabulary: number;
  readonly layers: number;
  readonly width: number;
  readonly hash: string;
  /** True if it has a chat template. */
  readonly chat: boolean;
  /** For an adapter: its base model, and its size. */
  readonly adapter: {
    readonly base: string;
    readonly baseHash: string;
    readonly rank: number;
    readonly parameters: number;
  } | null;
  /** The hashed files. */
  readonly files: readonly ModelFile[];
}

/** Calls answered directly, outside any run. */
export interface EngineCalls extends InsideCalls {
  /** Every device that the runtime supports here; only the CPU is opened. */
  devices: { input: Record<string, never>; output: DeviceFacts[] };
  /** A small training run on a device. It may crash the process. */
  checkDevice: { input: { id: DeviceId }; output: DeviceVerdict };
  /** A run's need, from the sizes of its graphs. */
  preflight: {
    input: { spec: RunSpec; resources: Resources; limitBytes?: number };
    output: Preflight;
    progress: Omit<PreflightProgress, 'result'>;
  };
  /** Takes two real steps of a run, in a process of its own. */
  rehearse: {
    input: { spec: RunSpec; resources: Resources };
    output: NonNullable<Preflight['dryRun']>;
    progress: Omit<PreflightProgress, 'result'>;
  };
  /** Self-test with known results on a device. It can be cancelled between tests. */
  selfTest: { input: { device: DeviceId }; output: SelfTestRow[]; progress: SelfTestProgress };
  /** The toy run of a method with a seed, in a process of its own, which ends on cancellation. */
  toyRun: {
    input: { id: string; seed: number };
    output: { seed: number; value: number; reached: boolean; seconds: number };
    progress: { done: number; total: number };
  };
  /** A problem of a world, and demonstrations with its verifier's verdicts. */
  worldSample: {
    input: {
      world: { id: string; params: Readonly<Record<string, unknown>> };
      split: 'train' | 'heldout';
      level: number | null;
      index: number;
    };
    output: WorldSample;
  };
  /**
   * Faults of a chart of behaviour in a control world, and episodes [episode][step][O] replayed through it.
   */
  examineChart: {
    input: {
      world: string;
      chart: unknown;
      trajectories: readonly (readonly (readonly number[])[])[];
    };
    output: ChartExamination;
  };
  /** Results of a reward's code on some answers: these, or demonstrations of a world. */
  trySnippet: {
    input: { code: string } & (
      | { world: { id: string; params: Readonly<Record<string, unknown>> } }
      | { rows: readonly Pick<ValueRow, 'promptId' | 'prompt' | 'answer' | 'reference'>[] }
    );
    output: {
      prompt: string;
      completion: string;
      value: number | null;
      error: { kind: string; message: string } | null;
      log: string;
    }[];
  };
  /** Rewards of a spec on stored answers, one batch per step; answers to one prompt share their `group`. */
  rescore: {
    input: {
      spec: RunSpec;
      resources: Resources;
      /** Share of the run that was done at each batch, 0–1. */
      progress: readonly number[];
      batches: readonly (readonly {
        promptId: string;
        prompt: string;
        completion: string;
        tokens: number;
        stopReason: 'end' | 'length';
        group: number;
      }[])[];
    };
    output: {
      total: number[];
      scores: { [scorer: string]: number[] };
      advantage: number[];
      faults: readonly RewardFault[];
      /** Number of answers that the run's initial model generated, and of answers that it read. */
      recomputed: { answers: number; features: number };
    };
    progress: { done: number; total: number };
  };
  /** The pairs of a run's inspection, by its checkpoint; they come as progress, in order. */
  inspectAgain: {
    input: { run: StartRun };
    output: { pairs: number };
    progress: Omit<Extract<EventBody, { readonly type: 'inspected-pairs' }>, 'type'>;
  };
  /** Null for an answer that does not fit the model's context with its prompt. */
  score: {
    input: { checkpoint: string; base?: BaseRef; items: readonly { prompt: string; completion: string }[] };
    output: (number | null)[];
  };
  /** A value of each row, by code, a reward or a model. The last source stays open for the next rows. */
  rowValues: {
    input: { source: ValueSource; rows: readonly ValueRow[] };
    output: RowValues;
    progress: { done: number; total: number };
  };
  /** The cluster of each point, by k-means. */
  clusters: {
    input: { values: Float64Array; width: number; clusters: number; seed: number };
    output: Uint32Array;
  };
  /** The place of each point in the plane of the two leading principal components. */
  plane: {
    input: { values: Float64Array; width: number };
    output: { x: Float64Array; y: Float64Array; explained: readonly [number, number] };
  };
  generate: {
    /**
     * Without `putPrompts` the folder's prompt format applies. `guide`: a second model folder with the same
     * tokenizer, mixed in or added (GuidanceSpec).
     */
    input: {
      checkpoint: string;
      base?: BaseRef;
      prompts: readonly string[];
      samples: number;
      temperature: number;
      maxTokens: number;
      seed: number;
      putPrompts?: PutPrompts;
      world?: WorldChoice;
      decoding?: DecodingSpec;
      guide?: { folder: string; how: 'mix' | 'add' | 'cap'; weight: number };
      draft?: { folder: string; branching: readonly number[] };
    };
    /**
     * `logp` covers the model's tokens; for a multi-turn world, `completion` is the transcript. `verdict`:
     * if a world was given.
     */
    output: { prompt: string; completion: string; logp: number; verdict?: Verdict }[];
  };
  /**
   * Prompts, by index, that a model cannot answer: it cannot encode them, or has too little room for both.
   */
  promptFaults: {
    input: ModelPlace & { prompts: readonly string[]; maxTokens: number };
    output: { at: number; message: string }[];
  };
  /** One answer, token by token. It can be cancelled. */
  tryPrompt: {
    /** `hash` identifies the version of the folder's files: another version is loaded again. */
    input: ModelPlace & {
      hash: string;
      prompt: string;
      temperature: number;
      maxTokens: number;
      seed: number;
      putPrompts?: PutPrompts;
      world?: WorldChoice;
      decoding?: DecodingSpec;
    };
    output: TriedPrompt;
  };
  /** `bases` are candidates for an adapter's base model, by name. */
  inspect: {
    input: { folder: string; bases?: readonly { name: string; folder: string }[] };
    output: ModelFacts;
  };
  /** Length of each text in the model's tokens, begin and end included; null if it cannot be encoded. */
  measure: {
    input: ModelPlace & { texts: readonly TextToRead[] };
    output: { context: number; tokens: (number | null)[] };
  };
  /** A model's current files, if they are still those that were hashed; otherwise throws `conflict`. */
  recheck: {
    input: ModelPlace & { hash: string; files: readonly ModelFile[] };
    output: readonly ModelFile[];
  };
  /**
   * Writes a model to a new folder; `merge`: with its adapter added. Without `dtype` a whole model keeps its
   * types, and a merged one is float32.
   */
  export: {
    input: ModelPlace & { to: string; merge: boolean; dtype?: ExportType };
    output: Omit<CheckpointFacts, 'final'>;
    progress: Omit<ExportProgress, 'result'>;
  };
  /**
   * Differences of the features of two answers, P × width: by a frozen model, or text statistics without one.
   * NaN for each of the `tooLong` pairs that exceed the model's context. It can be cancelled.
   */
  pairFeatures: {
    /** `hash` identifies the version of the folder's files: another version is loaded again. */
    input: { model: (ModelPlace & { hash: string }) | null; pairs: readonly PairTexts[] };
    output: { differences: Float32Array; width: number; tooLong: number };
    progress: { share: number };
  };
  /** Fits a judge of pairs to labels. It can be cancelled. */
  fitJudge: {
    input: { features: StoredFeatures; labels: JudgeLabels; seed: number };
    output: JudgeFit;
    progress: { share: number };
  };
  /** Positions of unlabeled items in an order of the queue. It can be cancelled. */
  orderQueue: {
    input: { features: StoredFeatures; head: HeadWeights | null; order: JudgeOrder };
    output: Float64Array;
  };
  /** Of each token of an answer: its text, log-probability and the entropy that it was drawn from. */
  tokenFacts: {
    input: ModelPlace & { tokens: readonly number[]; promptLength: number; temperature: number };
    output: { text: string; logp: number; entropy: number; ends: boolean }[];
  };
  /** Next-token logits: of the last position, or of all. */
  logits: { input: ModelPlace & { tokens: readonly number[]; all: boolean }; output: number[][] };
}
export type CallName = keyof EngineCalls;
/** Progress of a call, if it reports any. */
export type CallProgress<N extends CallName = CallName> = N extends CallName
  ? EngineCalls[N] extends { progress: infer P }
    ? P
    : never
  : never;

export type ToEngine =
  | { readonly type: 'start'; readonly run: StartRun }
  | { readonly type: 'stop'; readonly runId: string }
  /** Events up to this one are committed; the engine may drop them from its buffer. */
  | {
      readonly type: 'acknowledge';
      readonly runId: string;
      readonly attempt: number;
      readonly sequence: number;
    }
  | { readonly type: 'call'; readonly id: number; readonly name: CallName; readonly input: unknown }
  /** The caller has given up; a call that supports it stops, and throws `cancelled`. */
  | { readonly type: 'cancel'; readonly id: number };

export type FromEngine =
  | { readonly type: 'ready'; readonly pid: number }
  | { readonly type: 'event'; readonly event: EngineEvent }
  | { readonly type: 'progress'; readonly id: number; readonly progress: CallProgress }
  | { readonly type: 'reply'; readonly id: number; readonly output: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly error: ErrorFacts };
