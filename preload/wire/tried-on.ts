import type { RunSpec } from '../../engine/schema/run-spec.ts';

/** Answers on which code is tried: demonstrations of a world, or the first rows of a dataset. */
export type TriedOn =
  | { readonly kind: 'world'; readonly id: string; readonly params?: Record<string, unknown> }
  | { readonly kind: 'dataset'; readonly datasetId: string };

/**
 * The answers on which code for a task is tried; null for rows that a plan makes, and where a run reads only some
 * rows of a dataset: a version or a part.
 */
export function triedOn(task: RunSpec['task']): TriedOn | null {
  if (task.kind === 'world') return { kind: 'world', id: task.id, params: { ...task.params } };
  if (task.kind !== 'dataset' || typeof task.datasetId !== 'string') return null;
  const isWhole = [task.version, task.trainPart, task.heldoutPart].every((each) => each === undefined);
  return isWhole ? { kind: 'dataset', datasetId: task.datasetId } : null;
}
