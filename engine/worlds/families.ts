import { frames } from '../common/frames.ts';
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
 * How the prompts of a run can be asked otherwise: as its world tells, or by other text around them. Null for
 * a task without prompts, or without a run.
 */
export function wordingsOf(spec: Pick<RunSpec, 'task'> | null): Wordings | null {
  if (!spec || spec.task.kind === 'control') return null;
  const world = spec.task.kind === 'world' ? openWorldById(spec.task.id, spec.task.params) : null;
  return world?.wordings ?? frames;
}
