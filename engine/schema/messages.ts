import type { Verdict, WorldSample } from './atlas.ts';
import type { DeviceFacts, DeviceId, DeviceVerdict } from './device.ts';
import type { ErrorFacts } from '../common/errors.ts';
import type { PutPrompts } from './model.ts';
import type { Preflight, PreflightProgress } from './preflight.ts';
import type { ExportProgress, ExportType } from './export.ts';
import type { RewardFault, RunResult } from './results.ts';
import type { RunSpec } from './run-spec.ts';
import type { SelfTestProgress, SelfTestRow } from './self-test.ts';
import type { Trajectory } from './trajectory.ts';
import type { TriedPrompt } from './tried-prompt.ts';

/**
 * Files that a spec's ids stand for; main resolves them, the engine only reads them. Values are absolute
 * paths.
 */
export interface Resources {
  /** Folders of checkpoints, and of models outside the workspace, by id. */
  readonly checkpoints: { readonly [checkpointId: string]: string };
  /** Of the models among them: their hash, and where the model of an adapter lies. */
  readonly models?: { readonly [modelId: string]: { readonly hash: string; readonly base?: BaseRef } };
  /** JSON-lines files of `Demonstration` by dataset id. */
  readonly datasets: { readonly [datasetId: string]: string };
  /** JSON-lines files of `Preference` by label set or dataset id. */
  readonly preferences: { readonly [id: string]: string };
  /** Folder in which features of frozen models are kept, so that they are computed once. */
  readonly features?: string;
}

export interface StartRun {
  readonly runId: string;
  /** 1 for the first; a resume opens the next. */
  readonly attempt: number;
  readonly spec: RunSpec;
  readonly resources: Resources;
  /** Folder that the engine may write into; checkpoints become `checkpoints/<attempt>-<step>`. */
  readonly outDir: string;
  /** Checkpoint folder to continue from, optimizer and counters included. */
  readonly resumeFrom?: string;
}

/** Where an event belongs. `sequence` counts from 1 within (run, attempt) without gaps. */
export interface EventAddress {
  readonly runId: string;
  readonly attempt: number;
  readonly role: string;
  readonly step: number;
  readonly sequence: number;
  /** UTC epoch milliseconds. */
  readonly at: number;
}

/** One checkpoint folder, complete on disk when this is sent. */
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
 * How far a run is. `done` of `total` are steps of the run, or in a phase beside its steps what `of` says:
 * rows, problems, percent.
 */
export interface Progress {
  readonly type: 'progress';
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly of?: string;
  readonly secondsLeft: number | null;
  /** What is still to come and does not count in `secondsLeft`, since the run has not done any of it yet. */
  readonly untimed?: readonly string[];
}

export type EventBody =
  | { readonly type: 'started'; readonly parameters: number; readonly totalSteps: number }
  | { readonly type: 'metrics'; readonly values: { readonly [name: string]: number } }
  | { readonly type: 'trajectories'; readonly rows: readonly Trajectory[] }
  | Progress
  | { readonly type: 'checkpoint'; readonly checkpoint: CheckpointFacts }
  /**
   * A table of results that is no curve: an evaluation, a reward model's inspection. `kind` names its shape.
   */
  | ({ readonly type: 'result' } & RunResult)
  | { readonly type: 'finished'; readonly outcome: 'done' | 'stopped' }
  | { readonly type: 'failed'; readonly error: ErrorFacts };
export type EngineEvent = EventAddress & EventBody;

/** A file of a model folder as it was when its contents were hashed. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Of size, times and file: the contents are read again only where it is another one. */
  readonly stamp: string;
  /** UTC epoch milliseconds. */
  readonly hashedAt: number;
}

/** Where the model of an adapter lies, and its hash; null where nobody knows what it was. */
export interface BaseRef {
  readonly path: string;
  readonly hash: string | null;
}

/** A model folder, as it is opened. */
export interface ModelPlace {
  readonly folder: string;
  /** Of an adapter whose own files do not say where its model lies. */
  readonly base?: BaseRef;
}

/** A prompt and an answer to it. */
export interface TextToRead {
  readonly prompt: string;
  readonly answer: string;
}

/** What a model folder holds. */
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
  /** Whether it has a chat template. */
  readonly chat: boolean;
  /** Of an adapter: the model that it stands beside, and its size. */
  readonly adapter: {
    readonly base: string;
    readonly baseHash: string;
    readonly rank: number;
    readonly parameters: number;
  } | null;
  /** What was hashed. */
  readonly files: readonly ModelFile[];
}

/** A world that prompts are problems of: it answers back where it does, and judges. */
export interface AskedWorld {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Questions that are answered at once, outside any run. */
export interface EngineCalls {
  /** Every device that the runtime knows here; nothing but the CPU is touched. */
  devices: { input: Record<string, never>; output: DeviceFacts[] };
  /** A small training run on a device. It may take the process down with it. */
  checkDevice: { input: { id: DeviceId }; output: DeviceVerdict };
  /** What a run would take, from the sizes of its graphs. */
  preflight: {
    input: { spec: RunSpec; resources: Resources; limitBytes?: number };
    output: Preflight;
    progress: Omit<PreflightProgress, 'result'>;
  };
  /** Two steps of a run for real, to be asked of a process of its own. */
  rehearse: {
    input: { spec: RunSpec; resources: Resources };
    output: NonNullable<Preflight['dryRun']>;
    progress: Omit<PreflightProgress, 'result'>;
  };
  /** Numbers that must come out, on a device. It can be cancelled between them. */
  selfTest: { input: { device: DeviceId }; output: SelfTestRow[]; progress: SelfTestProgress };
  /**
   * The toy run of a method, with a seed; to be asked of a process of its own, which ends when it is taken
   * back.
   */
  toyRun: {
    input: { id: string; seed: number };
    output: { seed: number; value: number; reached: boolean; seconds: number };
    progress: { done: number; total: number };
  };
  /** A problem of a world, and demonstrations with what its verifier says. */
  worldSample: {
    input: {
      world: { id: string; params: Readonly<Record<string, unknown>> };
      split: 'train' | 'heldout';
      level: number | null;
      index: number;
    };
    output: WorldSample;
  };
  /** What the code of a reward makes of some demonstrations of a world. */
  trySnippet: {
    input: { code: string; world: { id: string; params: Readonly<Record<string, unknown>> } };
    output: {
      prompt: string;
      completion: string;
      value: number | null;
      error: { kind: string; message: string } | null;
      log: string;
    }[];
  };
  /**
   * Rewards of a spec on stored answers, a batch for each step; attempts at one prompt share their `group`.
   */
  rescore: {
    input: {
      spec: RunSpec;
      resources: Resources;
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
      /** Answers that the run's initial model wrote for this, and answers that it read. */
      asked: { answers: number; features: number };
    };
    progress: { done: number; total: number };
  };
  /** Null for an answer that is longer, with its prompt, than the model reads. */
  score: {
    input: { checkpoint: string; base?: BaseRef; items: readonly { prompt: string; completion: string }[] };
    output: (number | null)[];
  };
  generate: {
    /** Without `putPrompts` they are put as the folder says. */
    input: {
      checkpoint: string;
      base?: BaseRef;
      prompts: readonly string[];
      samples: number;
      temperature: number;
      maxTokens: number;
      seed: number;
      putPrompts?: PutPrompts;
      world?: AskedWorld;
    };
    /**
     * `logp` is of what the model wrote; of a world that answers back, `completion` is the transcript.
     * `verdict`: where a world was named.
     */
    output: { prompt: string; completion: string; logp: number; verdict?: Verdict }[];
  };
  /** One answer, token by token. It can be cancelled. */
  tryPrompt: {
    /** `hash` says which version of the folder's files is meant: what was read of another is read again. */
    input: ModelPlace & {
      hash: string;
      prompt: string;
      temperature: number;
      maxTokens: number;
      seed: number;
      putPrompts?: PutPrompts;
      world?: AskedWorld;
    };
    output: TriedPrompt;
  };
  /** `bases` are models that an adapter may belong to, by their names. */
  inspect: {
    input: { folder: string; bases?: readonly { name: string; folder: string }[] };
    output: ModelFacts;
  };
  /** Tokens of each text as the model reads it, begin and end included; null where it cannot spell one. */
  measure: {
    input: ModelPlace & { texts: readonly TextToRead[] };
    output: { context: number; tokens: (number | null)[] };
  };
  /**
   * The files of a model as they are now, where they are still those that were hashed. Refuses others as a
   * `conflict`.
   */
  recheck: {
    input: ModelPlace & { hash: string; files: readonly ModelFile[] };
    output: readonly ModelFile[];
  };
  /**
   * Writes a model to a new folder; `merge`: with its adapter added in. Without `dtype` a whole model keeps
   * its types, and a merged one is float32.
   */
  export: {
    input: ModelPlace & { to: string; merge: boolean; dtype?: ExportType };
    output: Omit<CheckpointFacts, 'final'>;
    progress: Omit<ExportProgress, 'result'>;
  };
  /** Logits of the next token: of the last position, or of all. */
  logits: { input: ModelPlace & { tokens: readonly number[]; all: boolean }; output: number[][] };
}
export type CallName = keyof EngineCalls;
/** How far the answer to a call has come, where it says so. */
export type CallProgress<N extends CallName = CallName> = N extends CallName
  ? EngineCalls[N] extends { progress: infer P }
    ? P
    : never
  : never;

export type ToEngine =
  | { readonly type: 'start'; readonly run: StartRun }
  | { readonly type: 'stop'; readonly runId: string }
  /** Events up to this one are committed; the engine's buffer may forget them. */
  | {
      readonly type: 'acknowledge';
      readonly runId: string;
      readonly attempt: number;
      readonly sequence: number;
    }
  | { readonly type: 'call'; readonly id: number; readonly name: CallName; readonly input: unknown }
  /** Nobody waits for the answer any longer; a call that can stop does, and is refused as cancelled. */
  | { readonly type: 'cancel'; readonly id: number };

export type FromEngine =
  | { readonly type: 'ready'; readonly pid: number }
  | { readonly type: 'event'; readonly event: EngineEvent }
  | { readonly type: 'progress'; readonly id: number; readonly progress: CallProgress }
  | { readonly type: 'reply'; readonly id: number; readonly output: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly error: ErrorFacts };
