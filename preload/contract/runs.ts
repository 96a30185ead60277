import * as z from 'zod';
import { errorKinds } from '../../engine/common/errors.ts';
import { PreflightProgress } from '../../engine/schema/preflight.ts';
import { Interval } from '../../engine/schema/evaluation.ts';
import { RunOutcome, RunWarning } from '../../engine/schema/run-outcome.ts';
import { FindingCounts } from '../../engine/schema/run-finding.ts';
import { ResultKind } from '../../engine/schema/results.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import { TaskKindInfo } from '../../engine/schema/task-kind.ts';
import { runStates } from '../wire/run-states.ts';
import { DatasetState } from './deriving.ts';
import { LogOrigin } from './log-origin.ts';
import { before, call, done, feed, float64s, nothing, real } from './define.ts';

const id = z.string().min(1);
const JsonSchema = z.record(z.string(), z.unknown());
/** An entry of a catalogue with its source. */
const Cited = z.strictObject({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  cites: z.string(),
  params: JsonSchema,
});

export const Fault = z.strictObject({
  kind: z.enum(errorKinds),
  message: z.string(),
  where: z.string().optional(),
  hint: z.string().optional(),
});
export type Fault = z.infer<typeof Fault>;

/** pass@1 of a run minus that of the checkpoint that it began from, on the same problems. */
export const RunDifference = z.strictObject({
  /** The run of that checkpoint. */
  runId: z.string(),
  runName: z.string(),
  step: z.number(),
  before: real,
  difference: real,
  interval: Interval,
  /** True if the interval is over differences of the same problems; otherwise both were resampled apart. */
  paired: z.boolean(),
  problems: z.number(),
});
export type RunDifference = z.infer<typeof RunDifference>;

export const Run = z.strictObject({
  id: z.string(),
  name: z.string(),
  notes: z.string(),
  /** A question that the run is to answer, written before; absent without one. */
  question: z.string().optional(),
  /** The answer, written after. */
  conclusion: z.string().optional(),
  tags: z.array(z.string()),
  archived: z.boolean(),
  state: z.enum(runStates),
  method: z.string(),
  /**
   * Null of an imported run, and if the stored spec cannot be read (another version wrote it); then `error`
   * says why.
   */
  spec: RunSpec.nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  attempt: z.number(),
  step: z.number(),
  totalSteps: z.number().nullable(),
  phase: z.string(),
  secondsLeft: z.number().nullable(),
  parameters: z.number().nullable(),
  error: Fault.nullable(),
  outcome: RunOutcome.nullable(),
  warnings: z.array(RunWarning),
  /** Another tool's log, of a run that was not trained here. */
  imported: LogOrigin.optional(),
  /** Findings of the run doctor that were not dismissed; absent until the run was examined. */
  findings: FindingCounts.optional(),
  /** The dataset that it trains on, as it was at the launch; absent for runs of versions that did not record it. */
  data: DatasetState.optional(),
  /** Of a queued run: runs start by ascending place. */
  place: z.number().optional(),
  /** The checkpoint of another run that it continues, with its training state or with its weights alone. */
  fork: z
    .strictObject({
      checkpointId: z.string(),
      runId: z.string(),
      step: z.number(),
      carries: z.enum(['state', 'weights']),
    })
    .optional(),
  /** Runs and checkpoints that this run was made from. */
  lineage: z.strictObject({
    checkpoints: z.array(z.string()),
    datasets: z.array(z.string()),
    labelSets: z.array(z.string()),
    models: z.array(z.string()),
  }),
});
export type Run = z.infer<typeof Run>;

/**
 * Points of one metric of one run: the latest attempt for each step. x is the step. Non-finite values are
 * kept.
 */
export const Series = z.strictObject({
  runId: z.string(),
  name: z.string(),
  /** The main role, if the run has the metric of several roles and was asked for it without one. */
  role: z.string().optional(),
  steps: float64s,
  values: float64s,
  at: float64s,
  /** Minimum and maximum per bucket; present only if a window holds more points than requested. */
  low: float64s.optional(),
  high: float64s.optional(),
});
export type Series = z.infer<typeof Series>;

export const Checkpoint = z.strictObject({
  id: z.string(),
  runId: z.string(),
  runName: z.string(),
  attempt: z.number(),
  step: z.number(),
  path: z.string(),
  hash: z.string(),
  bytes: z.number(),
  parameters: z.number(),
  head: z.enum(['next-token', 'reward']),
  final: z.boolean(),
  createdAt: z.number(),
  method: z.string(),
  /** True if it is exempt from its run's rule that deletes older checkpoints. */
  kept: z.boolean(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** Where an answer began, if not at its prompt alone. */
export const AnswerOrigin = z.strictObject({
  /** The answer that it continues or revises; null if it was begun by another text. */
  parent: z.string().nullable(),
  /** Equal for answers to a prompt that were given the same beginning; null without one. */
  startState: z.string().nullable(),
  /** Tokens of the given beginning, and its characters at the start of `completion`. */
  tokens: z.number(),
  characters: z.number(),
  /** Place and verdict of the parent; null if it is not stored. */
  from: z
    .strictObject({
      runId: z.string(),
      step: z.number(),
      sample: z.number(),
      correct: z.boolean().nullable(),
    })
    .nullable(),
});
export type AnswerOrigin = z.infer<typeof AnswerOrigin>;

export const Sample = z.strictObject({
  id: z.string(),
  runId: z.string(),
  attempt: z.number(),
  step: z.number(),
  purpose: z.enum(['train', 'evaluation', 'sample']),
  promptId: z.string(),
  sample: z.number(),
  prompt: z.string(),
  /** What the model was shown in place of the prompt; absent if that was the prompt itself. */
  shown: z.string().optional(),
  completion: z.string(),
  tokens: z.number(),
  logp: real,
  stopReason: z.enum(['end', 'length']),
  scores: z.record(z.string(), real),
  origin: AnswerOrigin.optional(),
  /** What another model of the run wrote in reply to it. */
  reply: z.string().optional(),
});
export type Sample = z.infer<typeof Sample>;

/**
 * Signals that a run has changed since the last value, merged when the page is slow. Metrics, samples,
 * checkpoints and results are requested separately: `metrics` from the first unread step on.
 */
export const RunChange = z.strictObject({ run: Run, newSamples: z.number() });
export type RunChange = z.infer<typeof RunChange>;

export const RunListChange = z.strictObject({ runs: z.array(Run), removed: z.array(z.string()) });
export type RunListChange = z.infer<typeof RunListChange>;

export const Result = z.strictObject({
  kind: ResultKind,
  step: z.number(),
  attempt: z.number(),
  value: z.unknown(),
});
export type Result = z.infer<typeof Result>;

export const runs = {
  /**
   * Methods, worlds and rewards with the JSON Schemas that forms and flags are made from; `spec` is the
   * schema of RunSpec.
   */
  catalogue: call(
    nothing,
    z.strictObject({
      methods: z.array(
        z.strictObject({
          id: z.string(),
          title: z.string(),
          summary: z.string(),
          cites: z.string(),
          /** One of the catalogue's `taskKinds`. */
          task: z.string(),
          /** In control worlds: whether it chooses among actions or gives their numbers. */
          actions: z.enum(['choices', 'numbers']).nullable(),
          produces: z.enum(['policy', 'reward', 'rows']),
          params: JsonSchema,
          /** Parameters that a form shows among its main fields. */
          main: z.array(z.string()),
          suggested: z.record(z.string(), z.unknown()),
          presets: z.record(z.string(), z.unknown()),
          stations: z.array(z.string()),
          roles: z.array(
            z.strictObject({
              name: z.string(),
              needsModel: z.boolean(),
              learns: z.boolean(),
              samples: z.boolean(),
              scores: z.boolean(),
              writes: z.boolean(),
              judges: z.boolean(),
            }),
          ),
        }),
      ),
      /** Kinds of training data, in the order in which pages list them. */
      taskKinds: z.array(TaskKindInfo),
      worlds: z.array(
        z.strictObject({
          id: z.string(),
          title: z.string(),
          summary: z.string(),
          params: JsonSchema,
          longest: z.strictObject({ prompt: z.number(), answer: z.number() }),
          /** Every character of its prompts and answers, with its default parameters. */
          alphabet: z.string(),
          /** Kinds of training data that it offers with its default parameters. */
          taskKinds: z.array(z.string()),
          /** Ways to say its prompts otherwise in its own signs; none: only other text around them. */
          wordings: z.array(z.string()),
        }),
      ),
      controlWorlds: z.array(
        z.strictObject({
          id: z.string(),
          title: z.string(),
          summary: z.string(),
          actions: z.enum(['choices', 'numbers']),
        }),
      ),
      rewards: z.array(
        z.strictObject({
          id: z.string(),
          title: z.string(),
          summary: z.string(),
          needs: z.array(z.string()),
          params: JsonSchema,
        }),
      ),
      controllers: z.array(Cited),
      /** Totals of several scorers other than the weighted sum. */
      composers: z.array(Cited),
      spec: JsonSchema,
      /**
       * Recommended defaults: the methods that a form tries in order, and the base policy, a specification
       * without name and seed.
       */
      recommended: z.strictObject({ methods: z.array(z.string()), base: z.record(z.string(), z.unknown()) }),
    }),
  ),
  /** The spec with every default filled in, or the error with the path to the field; starts nothing. */
  check: call(z.strictObject({ spec: z.unknown() }), RunSpec),
  /**
   * Estimates a run's memory and time from the sizes of its graphs and, by default, two real steps. Closing
   * the feed stops the work at once.
   */
  preflight: feed(
    z.strictObject({
      spec: z.unknown(),
      dryRun: z.boolean().default(true),
      limitBytes: z.number().positive().optional(),
    }),
    PreflightProgress,
  ),
  /** `fork`: the checkpoint that the run continues, with its training state if that is still valid. */
  launch: call(
    z.strictObject({
      spec: z.unknown(),
      fork: z.string().min(1).optional(),
      question: z.string().max(2000).optional(),
    }),
    z.strictObject({ runId: z.string() }),
  ),
  /** State that a fork with this specification takes from a checkpoint, and reasons if only the weights. */
  fork: call(
    z.strictObject({ checkpointId: id, spec: z.unknown() }),
    z.strictObject({ carries: z.enum(['state', 'weights']), step: z.number(), because: z.array(z.string()) }),
  ),
  /** The newest 1,000; with `before`, the id of a run, the 1,000 that precede it. */
  list: call(z.strictObject({ archived: z.boolean().default(false), before }), z.array(Run)),
  get: call(z.strictObject({ id }), Run),
  /**
   * Requests a run to stop after the current step; it saves a checkpoint first. A queued run leaves the
   * queue.
   */
  stop: call(z.strictObject({ id }), done),
  /** Starts a new attempt from the newest valid checkpoint, or from the beginning if there is none. */
  resume: call(z.strictObject({ id }), done),
  edit: call(
    z.strictObject({
      id,
      name: z.string().min(1).max(200).optional(),
      notes: z.string().max(20_000).optional(),
      question: z.string().max(2000).optional(),
      conclusion: z.string().max(20_000).optional(),
      tags: z.array(z.string().min(1).max(40)).max(20).optional(),
    }),
    Run,
  ),
  archive: call(z.strictObject({ id, archived: z.boolean() }), done),
  /**
   * Deletes the run, its samples and checkpoints; refused (`conflict`) while it runs or while other runs were
   * made from it.
   */
  remove: call(z.strictObject({ id }), done),
  metricNames: call(z.strictObject({ runIds: z.array(id).min(1).max(64) }), z.array(z.string())),
  metrics: call(
    z.strictObject({
      runIds: z.array(id).min(1).max(64),
      names: z.array(z.string()).min(1).max(64),
      from: z.number().default(0),
      to: z.number().nullable().default(null),
      points: z.int().min(16).max(20_000).default(2000),
    }),
    z.array(Series),
  ),
  samples: call(
    z.strictObject({
      runIds: z.array(id).min(1).max(16),
      purpose: z.enum(['train', 'evaluation', 'sample']).nullable().default(null),
      promptId: z.string().nullable().default(null),
      step: z.number().nullable().default(null),
      order: z.enum(['newest', 'oldest']).default('newest'),
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(500).default(50),
    }),
    z.strictObject({ total: z.number(), samples: z.array(Sample) }),
  ),
  /** Prompts that all of these runs answered at evaluation, for comparison side by side. */
  commonPrompts: call(
    z.strictObject({ runIds: z.array(id).min(1).max(16), limit: z.int().min(1).max(500).default(100) }),
    z.array(z.strictObject({ promptId: z.string(), prompt: z.string() })),
  ),
  /** The newest 500 results, oldest first. */
  results: call(z.strictObject({ id }), z.array(Result)),
  /** Null without an evaluation of both, or where their problems differ. */
  difference: call(z.strictObject({ id }), RunDifference.nullable()),
  /** The newest 1,000; with `before`, the id of a checkpoint, the 1,000 that precede it. */
  checkpoints: call(
    z.strictObject({ runId: z.string().nullable().default(null), before }),
    z.array(Checkpoint),
  ),
  /**
   * Exempts a checkpoint from the rule that deletes all but a run's newest ones, or subjects it to the rule
   * again.
   */
  keepCheckpoint: call(z.strictObject({ id, kept: z.boolean() }), done),
  removeCheckpoint: call(z.strictObject({ id }), done),
  /** Changes of one run. */
  live: feed(z.strictObject({ runId: id }), RunChange),
  /** Changes of the list: changed runs in their newest state, and removed ids. */
  watch: feed(nothing, RunListChange),
};
