import type { ModelPlace } from '../../engine/schema/messages.ts';
import type { JudgeSettings } from '../../preload/contract/judge.ts';
import type { EngineHost } from '../engine-host/host.ts';
import type { StoreClient } from '../store/client.ts';

export type ModelRef = NonNullable<JudgeSettings['model']>;

/** What a judge works with: the open workspace, the engine, and the check of a model's folder. */
export interface JudgeSources {
  readonly store: StoreClient;
  readonly engine: Pick<EngineHost, 'background'>;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** Location of a model, whose files are checked. Throws `conflict` if they have changed. */
  placeOf(this: void, model: ModelRef): Promise<ModelPlace & { readonly hash: string }>;
}

/** Raised when the features of the same model are computed in another way. */
const VERSION = 1;

/**
 * Name of the features that a judge learns from: text statistics, or a model by the hash of its files. Throws
 * `not-found` for a model that was removed.
 */
export async function sourceOf(
  { store }: Pick<JudgeSources, 'store'>,
  model: ModelRef | null,
): Promise<string> {
  if (model === null) return `text-statistics/${VERSION}`;
  const { hash } =
    model.kind === 'model' ? await store.models.get(model.id) : await store.checkpoints.get(model.id);
  return `${hash}/${VERSION}`;
}
