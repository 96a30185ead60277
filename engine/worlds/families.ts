import type { RunSpec } from '../schema/run-spec.ts';
import { openWorldById } from './index.ts';

/**
 * Names the kind of harm of an attack by its text, as the world of the run does; null for a harmless one.
 * Null itself where the task is no world, or one without families.
 */
export function familyNamer(spec: Pick<RunSpec, 'task'> | null): ((attack: string) => string | null) | null {
  if (spec?.task.kind !== 'world') return null;
  const { family } = openWorldById(spec.task.id, spec.task.params);
  return family ?? null;
}
