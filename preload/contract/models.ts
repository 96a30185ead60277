import * as z from 'zod';
import { ExportProgress, ExportType } from '../../engine/schema/export.ts';
import { PutPrompts } from '../../engine/schema/model.ts';
import { DecodingSpec } from '../../engine/schema/sampling.ts';
import { TriedPrompt } from '../../engine/schema/tried-prompt.ts';
import { before, call, feed, real } from './define.ts';

const id = z.string().min(1);
const ok = z.strictObject({ ok: z.literal(true) });

/** Facts read from a model's files. */
export const ModelDescription = z.strictObject({
  /** The folder that holds `config.json`. */
  folder: z.string(),
  /** `model_type` of its configuration. */
  architecture: z.string(),
  head: z.enum(['next-token', 'reward']),
  parameters: real,
  /** Types of its weights on disk. */
  dtypes: z.array(z.string()),
  /** Total size of the model's files. */
  bytes: real,
  context: real,
  vocabulary: real,
  layers: real,
  width: real,
  /** SHA-256 over the sorted manifest of its files. */
  hash: z.string(),
  /** True if it has a chat template. */
  chat: z.boolean(),
  /** For an adapter: the folder and hash of its base model, its rank, and its own number of parameters. */
  adapter: z
    .strictObject({ base: z.string(), baseHash: z.string(), rank: real, parameters: real })
    .nullable(),
});
export type ModelDescription = z.infer<typeof ModelDescription>;

/** A model in a folder outside the workspace: runs can start from it, and rewards can use it. */
export const Model = ModelDescription.extend({ id, name: z.string(), createdAt: real });
export type Model = z.infer<typeof Model>;

/** An added model, or a checkpoint of a run. */
const ModelRef = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('model'), id }),
  z.strictObject({ kind: z.literal('checkpoint'), id }),
]);

export const models = {
  /**
   * Reads a folder's configuration, tensor shapes and tokenizer, and adds it by its path. Nothing is copied.
   * Accepts folders of the Hugging Face cache and PEFT adapters whose base model is at the path they name or
   * was added. A folder that has changed since it was added becomes another model.
   */
  add: call(z.strictObject({ path: z.string().min(1), name: z.string().max(200).default('') }), Model),
  /** The newest 1,000; with `before`, the id of a model, the 1,000 that precede it. */
  list: call(z.strictObject({ before }), z.array(Model)),
  get: call(z.strictObject({ id }), Model),
  /** The same for a checkpoint of this workspace, read from its files. */
  describeCheckpoint: call(z.strictObject({ checkpointId: id }), ModelDescription),
  /**
   * Samples one answer; closing the feed cancels it. Temperature 0 is greedy. `world`: the prompt is a
   * problem of this world, which replies in multi-turn worlds and judges the answer.
   */
  try: feed(
    z.strictObject({
      from: ModelRef,
      prompt: z.string().max(200_000),
      put: PutPrompts.optional(),
      temperature: z.number().min(0).max(5).default(1),
      maxTokens: z.int().min(1).max(4096).default(128),
      seed: z.int().min(0).max(0xffff_ffff).default(0),
      world: z.strictObject({ id, params: z.record(z.string(), z.unknown()).default({}) }).optional(),
      decoding: DecodingSpec.optional(),
    }),
    TriedPrompt,
  ),
  /**
   * Writes a model to a new folder that other tools load: an adapter in PEFT's format, or with `merge` its
   * base model with the adapter merged in. Without `dtype` a whole model keeps its types and a merged one is
   * float32. Closing the feed stops it and deletes what it wrote.
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
  /** Removes a model that no run was made from; its folder stays. */
  remove: call(z.strictObject({ id }), ok),
};
