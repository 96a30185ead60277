import { z } from 'zod';
import { ExportProgress, ExportType } from '../../engine/schema/export.ts';
import { PutPrompts } from '../../engine/schema/model.ts';
import { TriedPrompt } from '../../engine/schema/tried-prompt.ts';
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

/** A model of the list, or a checkpoint of a run. */
const ModelRef = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('model'), id }),
  z.strictObject({ kind: z.literal('checkpoint'), id }),
]);

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
      put: PutPrompts.optional(),
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
