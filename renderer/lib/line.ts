/** The runs behind a policy. */
import type { RunSpec } from '../../engine/schema/run-spec.ts';

/** A model source of a specification, which may be incomplete. */
export type PolicySource = Readonly<Record<string, unknown>> | null | undefined;

/** The specification of the run that left a checkpoint; null or undefined if it is not known. */
export type SpecOf = (checkpointId: string) => RunSpec | null | undefined;

/** `SpecOf` from lists of checkpoints and of runs. */
export const specsFrom =
  (
    checkpoints: readonly { readonly id: string; readonly runId: string }[],
    specOfRun: (runId: string) => RunSpec | null | undefined,
  ): SpecOf =>
  (checkpointId) => {
    const runId = checkpoints.find(({ id }) => id === checkpointId)?.runId;
    return runId === undefined ? null : specOfRun(runId);
  };

/** The specifications of the runs that a policy comes from, the newest first, as far as they are known. */
export function lineOf(policy: PolicySource, specOf: SpecOf): readonly RunSpec[] {
  const line: RunSpec[] = [];
  for (let source = policy; source?.kind === 'checkpoint'; source = line[line.length - 1].models.policy) {
    const spec = specOf(String(source.checkpointId));
    if (!spec || line.includes(spec)) break;
    line.push(spec);
  }
  return line;
}

/** True for an added model, and for what was trained from one. */
export const isPretrained = (policy: PolicySource, specOf: SpecOf): boolean =>
  (lineOf(policy, specOf).at(-1)?.models.policy ?? policy)?.kind === 'model';
