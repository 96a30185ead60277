import { z } from 'zod';
import { call, real } from './define.ts';

const id = z.string().min(1);
const ok = z.strictObject({ ok: z.literal(true) });

/** A model of a folder outside the workspace: which runs can start from, and rewards can ask. */
export const Model = z.strictObject({
  id, name: z.string(), createdAt: real,
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
  context: real, vocabulary: real, layers: real, width: real,
  /** SHA-256 over the sorted manifest of its files. */
  hash: z.string(),
  /** Whether it has a chat template. */
  chat: z.boolean(),
});
export type Model = z.infer<typeof Model>;

export const models = {
  /** Reads a folder's configuration, tensors' shapes and tokenizer, and keeps it by its place. Nothing is copied. A folder of the Hugging Face cache will do. */
  add: call(z.strictObject({ path: z.string().min(1), name: z.string().max(200).default('') }), Model),
  list: call(z.strictObject({}), z.array(Model)),
  get: call(z.strictObject({ id }), Model),
  rename: call(z.strictObject({ id, name: z.string().min(1).max(200) }), ok),
  /** Forgets a model that no run was made from; its folder stays. */
  remove: call(z.strictObject({ id }), ok),
};
