import { checkSpec, stateObstacles } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run } from '../../preload/contract/runs.ts';
import type { RunFork, RunInput } from '../store/runs.ts';
import { freezeInputs, type ResourceSources } from './resources.ts';

/** A run that begins from a checkpoint: what it takes from it, and why not its training state. */
export interface Forked {
  readonly spec: RunSpec;
  readonly fork: RunFork;
  readonly because: readonly string[];
}

/**
 * A specification as a fork of a checkpoint. It continues with the checkpoint's training state if that is
 * valid for it; otherwise it starts from its weights. Throws `not-found` without the checkpoint,
 * `invalid-input` if no steps would be left.
 */
export async function forkOf(
  { store }: Pick<ResourceSources, 'store'>,
  checkpointId: string,
  given: unknown,
): Promise<Forked> {
  const spec = checkSpec(given);
  const checkpoint = await store.checkpoints.get(checkpointId);
  const { runId, step } = checkpoint;
  const parent = await store.runs.get(runId);
  const because = parent.spec
    ? stateObstacles(parent.spec, spec)
    : ['the specification of its run cannot be read'];
  const carries = because.length === 0 ? 'state' : 'weights';
  const fork: RunFork = { checkpointId, runId, step, carries };
  if (carries === 'weights')
    return {
      spec: checkSpec({ ...spec, models: { ...spec.models, policy: { kind: 'checkpoint', checkpointId } } }),
      fork,
      because,
    };
  if (spec.budget.steps <= step)
    throw new WhetstoneError(
      'invalid-input',
      `The checkpoint has taken ${step} steps already, and the run would end after ${spec.budget.steps}.`,
      { where: 'budget.steps', hint: `Give it more than ${step} steps in all.` },
    );
  return { spec, fork, because };
}

/**
 * The inputs of a fork: the checkpoint, and with the training state the very rows that its parent was trained
 * on, since the state says which of them come next.
 */
export async function inputsOfFork(
  sources: ResourceSources,
  { spec, fork }: Pick<Forked, 'spec' | 'fork'>,
): Promise<RunInput[]> {
  const frozen = await freezeInputs(sources, spec);
  if (fork.carries === 'weights') return frozen;
  const { hash, path } = await sources.store.checkpoints.get(fork.checkpointId);
  const parent: Run = await sources.store.runs.get(fork.runId);
  const before = await sources.store.runs.inputs(fork.runId);
  const inputs = frozen.map((input) => {
    const same = before.find(
      ({ kind, ref, evaluation }) =>
        kind === input.kind && ref === input.ref && evaluation === input.evaluation,
    );
    return same ? { ...same, ...(input.data && parent.data && { data: parent.data }) } : input;
  });
  return inputs.some(({ ref }) => ref === fork.checkpointId)
    ? inputs
    : [...inputs, { kind: 'checkpoint', ref: fork.checkpointId, hash, artifact: path }];
}
