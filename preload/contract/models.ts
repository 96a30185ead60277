import { z } from 'zod';
import { Verdict } from '../../engine/schema/atlas.ts';
import { before, call, feed, real } from './define.ts';

const id = z.string().min(1);
const ok = z.strictObject({ ok: z.literal(true) });

/** What the files of a model say. */
export const ModelDescription = z.strictObject({
  /** The folder that holds `config.json`. */
  folder: z.string(),
  /** `model_type` of its configuration. */
  architecture: z.string(),
  head: z.enum(['next-token', 'reward']),
  parameters: real,
  /** Types of its weights on disk. */
  dtypes: z.array(z.string()),
  /** Of the files that make the model. */
  bytes: real,
  context: real,
  vocabulary: real,
  layers: real,
  width: real,
  /** SHA-256 over the sorted manifest of its files. */
  hash: z.string(),
  /** Whether it has a chat template. */
  chat: z.boolean(),
  /**
   * Of an adapter: the folder of the model that it stands beside, that model's hash, its rank, its own
   * parameters.
   */
  adapter: z
    .strictObject({ base: z.string(), baseHash: z.string(), rank: real, parameters: real })
    .nullable(),
});
export type ModelDescription = z.infer<typeof ModelDescription>;

/** A model of a folder outside the workspace: which runs can start from, and rewards can ask. */
export const Model = ModelDescription.extend({ id, name: z.string(), createdAt: real });
export type Model = z.infer<typeof Model>;

/** Types in which weights are written. */
export const ExportType = z.enum(['F32', 'F16', 'BF16']);
export type ExportType = z.infer<typeof ExportType>;

/** A model of the list, or a checkpoint of a run. */
const ModelRef = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('model'), id }),
  z.strictObject({ kind: z.literal('checkpoint'), id }),
]);

/** An answer with what the model thought of each of its tokens. */
export const TriedPrompt = z.strictObject({
  /** Tokens of the prompt as it was put, special tokens and template included. */
  promptTokens: real,
  /**
   * `text` is what the token adds to the answer: empty where a character is not complete yet. `logp` is
   * natural, under the sampling temperature (1 where greedy). What a world replied is one entry.
   */
  tokens: z.array(
    z.strictObject({ by: z.enum(['model', 'world']), text: z.string(), logp: real, ends: z.boolean() }),
  ),
  /** What the verifier of the world says, where one was named. */
  verdict: Verdict.nullable(),
  stopReason: z.enum(['end', 'length']),
  /** Of sampling alone. */
  seconds: real,
});
export type TriedPrompt = z.infer<typeof TriedPrompt>;

/** Bytes of weights that are written, of how many; the last one brings the result. */
export const ExportProgress = z.strictObject({
  written: real,
  total: real,
  result: z.strictObject({ path: z.string(), bytes: real, parameters: real }).nullable(),
});
export type ExportProgress = z.infer<typeof ExportProgress>;

export const models = {
  /**
   * Reads a folder's configuration, tensors' shapes and tokenizer, and keeps it by its place. Nothing is
   * copied. A folder of the Hugging Face cache will do, and an adapter as PEFT saves it, whose model is where
   * it says or in this list. A folder that has changed since it was added becomes another model.
   */
  add: call(z.strictObject({ path: z.string().min(1), name: z.string().max(200).default('') }), Model),
  /** The newest 1,000; with `before`, the id of a model, the 1,000 before it. */
  list: call(z.strictObject({ before }), z.array(Model)),
  get: call(z.strictObject({ id }), Model),
  /** The same of a checkpoint of this workspace, read from its files. */
  describeCheckpoint: call(z.strictObject({ checkpointId: id }), ModelDescription),
  /**
   * One sampled answer, and then the end; letting go cancels it. Temperature 0 is greedy. `world`: the prompt
   * is a problem of it; where it answers back it does, and it judges.
   */
  try: feed(
    z.strictObject({
      from: ModelRef,
      prompt: z.string().max(200_000),
      put: z.enum(['auto', 'plain', 'chat']).optional(),
      temperature: z.number().min(0).max(5).default(1),
      maxTokens: z.int().min(1).max(4096).default(128),
      seed: z.int().min(0).max(0xffff_ffff).default(0),
      world: z.strictObject({ id, params: z.record(z.string(), z.unknown()).default({}) }).optional(),
    }),
    TriedPrompt,
  ),
  /**
   * Writes it to a new folder that other tools load: an adapter as PEFT does, or with `merge` its model with
   * the adapter added in. Without `dtype` a whole model keeps its types and a merged one is float32. Letting
   * go stops it, and leaves nothing of it.
   */
  export: feed(
    z.strictObject({
      from: ModelRef,
      to: z.string().min(1),
      merge: z.boolean().default(false),
      dtype: ExportType.nullable().default(null),
    }),
    ExportProgress,
  ),
  rename: call(z.strictObject({ id, name: z.string().min(1).max(200) }), ok),
  /** Forgets a model that no run was made from; its folder stays. */
  remove: call(z.strictObject({ id }), ok),
};
