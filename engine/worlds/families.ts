import type { Wordings } from '../common/wordings.ts';
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

/**
 * How the prompts of a run can be said otherwise, as its world tells; null where the task is no world that
 * does.
 */
export function wordingsOf(spec: Pick<RunSpec, 'task'> | null): Wordings | null {
  if (spec?.task.kind !== 'world') return null;
  return openWorldById(spec.task.id, spec.task.params).wordings ?? null;
}
