/**
 * Runs that stay in one phase for long, for each phase of a run: real work of the real engine, on models
 * that take seconds to minutes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSpec } from '../../engine/index.ts';
import { streamOf } from './letters.ts';
import { writeModelFolder } from './model-folder.ts';
import type { EngineEvent, Resources, StartRun } from '../../engine/schema/messages.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';

export type ProgressEvent = Extract<EngineEvent, { type: 'progress' }>;

export interface LongPhase {
  readonly phase: string;
  /** The engine's long operation in it. */
  readonly what: string;
  readonly spec: RunSpecInput;
  /** True if this event is from inside the phase, not from its start. */
  readonly isInside?: (event: ProgressEvent, before: readonly ProgressEvent[]) => boolean;
  /** Next phases, which must not appear after a stop request in this one. */
  readonly next: readonly string[];
}

const model = (layers: number, context = 512): RunSpecInput['models'] => ({
  policy: {
    kind: 'new',
    architecture: { width: 128, layers, heads: 4, context },
    tokenizer: { kind: 'characters' },
  },
});
const pairs = { kind: 'dataset' as const, datasetId: 'pairs', heldout: 0.2 };
const shortPairs = { ...pairs, datasetId: 'short-pairs' };
const rows = { kind: 'dataset' as const, datasetId: 'rows', heldout: 0.2 };
const manyRows = { ...rows, datasetId: 'many-rows' };
const none = { problems: 0 };
const working = (event: ProgressEvent): boolean => event.done > 0;
/** A judge on the features of a pretrained model: `layers` as in `dataIn`. */
const judgeOn = (layers: number): Omit<RunSpecInput, 'task'> => ({
  method: { id: 'bradley-terry', params: { trunk: 'frozen' } },
  models: { policy: { kind: 'model', modelId: `layers-${layers}` } },
  budget: { steps: 1 },
});

export const longPhases: readonly LongPhase[] = [
  {
    phase: 'estimating',
    what: 'rehearsing the graphs of a run',
    spec: { method: { id: 'sft' }, models: model(16), task: rows, budget: { steps: 5, batch: 64 } },
    next: ['opening'],
  },
  {
    phase: 'opening',
    what: 'making a model and encoding its rows',
    spec: { method: { id: 'sft' }, models: model(4), task: manyRows, budget: { steps: 5, batch: 64 } },
    next: ['evaluating', 'saving', 'training'],
  },
  {
    phase: 'reading features',
    what: 'a frozen model over pairs',
    spec: { ...judgeOn(4), task: pairs },
    next: ['evaluating', 'saving'],
  },
  {
    phase: 'fitting the head',
    what: 'a regression on the host',
    spec: { ...judgeOn(1), task: shortPairs },
    isInside: (event, before) => event.done > 0 && before.some(({ phase }) => phase === 'reading features'),
    next: ['evaluating', 'saving'],
  },
  {
    phase: 'making rows',
    what: 'sampling answers',
    next: ['learning', 'evaluating', 'saving'],
    spec: {
      method: { id: 'grpo' },
      models: model(4),
      task: { kind: 'world', id: 'toy/copy' },
      sampling: { maxTokens: 300 },
      budget: { steps: 5, batch: 128 },
      evaluation: none,
    },
  },
  {
    phase: 'making rows',
    what: 'log-probabilities of the reference',
    next: ['learning', 'evaluating', 'saving'],
    spec: {
      method: { id: 'dpo' },
      models: model(4),
      task: pairs,
      budget: { steps: 5, batch: 200 },
      evaluation: none,
    },
  },
  {
    phase: 'learning',
    what: 'a gradient summed over many parts',
    next: ['evaluating', 'saving', 'training'],
    spec: {
      method: { id: 'sft' },
      models: model(4),
      task: rows,
      budget: { steps: 5, batch: 240 },
      evaluation: none,
    },
  },
  {
    phase: 'evaluating',
    what: 'answers to held-out problems',
    next: ['training'],
    spec: {
      method: { id: 'sft' },
      models: model(4),
      task: { kind: 'world', id: 'toy/copy' },
      sampling: { maxTokens: 300 },
      budget: { steps: 50, batch: 4 },
      evaluation: { every: 1, problems: 256, samples: 8 },
    },
  },
  {
    phase: 'evaluating',
    what: 'a judge on held-out pairs',
    next: ['training'],
    spec: {
      method: { id: 'bradley-terry', params: { trunk: 'trained' } },
      models: model(4),
      task: { ...pairs, heldout: 0.9 },
      budget: { steps: 50, batch: 1 },
      evaluation: { every: 1 },
    },
  },
  {
    phase: 'saving',
    what: 'a checkpoint after each step',
    isInside: () => true,
    next: ['training'],
    spec: {
      method: { id: 'sft' },
      models: model(4),
      task: { kind: 'world', id: 'toy/copy' },
      budget: { steps: 1000, batch: 4 },
      checkpoints: { every: 1 },
      evaluation: none,
    },
  },
];

/** True if an event is of the phase, and from inside it. */
export const isOf = (
  { phase, isInside = working }: LongPhase,
  event: ProgressEvent,
  before: readonly ProgressEvent[],
): boolean => event.phase === phase && isInside(event, before);

/** The run of a phase, with its data in `folder`. */
export const runOf = ({ spec }: LongPhase, runId: string, folder: string): StartRun => ({
  runId,
  attempt: 1,
  spec: checkSpec(spec),
  resources: dataIn(folder),
  outDir: join(folder, runId),
});

const lines = (path: string, count: number, line: (at: number) => object): string => {
  writeFileSync(path, Array.from({ length: count }, (_, at) => `${JSON.stringify(line(at))}\n`).join(''));
  return path;
};

/** A model folder in the format of other tools. */
const modelIn = (folder: string, layers: number): string =>
  writeModelFolder(join(folder, `layers-${layers}`), {
    settings: {
      hidden_size: 128,
      intermediate_size: 512,
      num_hidden_layers: layers,
      num_attention_heads: 4,
      num_key_value_heads: 4,
      head_dim: 32,
      max_position_embeddings: 512,
      vocab_size: 430,
    },
  });

/** Pairs and demonstrations of long and short texts, each with its own prompt. */
const dataIn = (folder: string): Resources => {
  const letters = streamOf(1);
  const pairOf = (length: number) => (at: number) => {
    const prompt = `${at} ${letters(20)}`;
    return {
      pairId: `${at}`,
      promptId: `${at}`,
      prompt,
      a: letters(length),
      b: letters(length),
      verdict: at % 2 ? 'a' : 'b',
      correctA: at % 2 === 1,
      correctB: at % 2 === 0,
    };
  };
  const rowOf = (at: number) => ({
    promptId: `${at}`,
    prompt: `${at} ${letters(20)}`,
    answer: letters(300),
    reference: null,
    correct: true,
  });
  return {
    checkpoints: Object.fromEntries([1, 4].map((layers) => [`layers-${layers}`, modelIn(folder, layers)])),
    datasets: {
      rows: lines(join(folder, 'rows.jsonl'), 300, rowOf),
      'many-rows': lines(join(folder, 'many-rows.jsonl'), 30_000, rowOf),
      pairs: lines(join(folder, 'pairs.jsonl'), 300, pairOf(300)),
      'short-pairs': lines(join(folder, 'short-pairs.jsonl'), 4000, pairOf(8)),
    },
    preferences: {},
  };
};
