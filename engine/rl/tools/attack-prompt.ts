import { methodOf } from '../methods/index.ts';
import { proposalOf } from '../parts/math/proposals.ts';
import type { RunSpec } from '../../schema/run-spec.ts';

/**
 * The prompt that the target of a red team read for an attack: what stands behind the mark of the run's
 * method, with the method's ending. Throws `not-found` for a method that is not there any more.
 */
export function attackPrompt(spec: Pick<RunSpec, 'method'>): (attack: string) => string {
  const params = methodOf(spec).params.parse(spec.method.params) as { mark?: unknown; ending?: unknown };
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  const how = { mark: textOf(params.mark), ending: textOf(params.ending) };
  return (attack) => proposalOf(attack, how);
}
