import { checkSpec, runsOf, type Plan, type PlannedRun } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { ExperimentSpec } from '../../../engine/schema/experiment.ts';
import type { Checkpoint } from '../../../preload/contract/runs.ts';
import type { Member, NewRun } from '../../store/experiments.ts';
import type { RunInput } from '../../store/runs.ts';
import { forkOf, inputsOfFork } from '../forks.ts';
import { freezeInputs, type ResourceSources } from '../resources.ts';

/** Settings that change no input: runs that differ in them alone share what is written for them. */
const shared = ({ spec }: PlannedRun): string => {
  const { name, seed, optimizer, budget, ...rest } = spec;
  void [name, seed, optimizer, budget];
  return JSON.stringify(rest);
};

/** The first runs of an experiment, with their inputs. */
export async function firstRuns(
  sources: ResourceSources,
  spec: ExperimentSpec,
  plan: Plan,
): Promise<NewRun[]> {
  const frozen = new Map<string, RunInput[]>();
  const runs: NewRun[] = [];
  for (const planned of runsOf(spec, plan, 0, checkSpec)) {
    const key = shared(planned);
    const inputs = frozen.get(key) ?? (await freezeInputs(sources, planned.spec));
    frozen.set(key, inputs);
    runs.push({ ...planned, rung: 0, inputs });
  }
  return runs;
}

/**
 * The runs of a later rung: each continues the checkpoint of its run in the rung before. Without that checkpoint
 * (deleted since) it starts over, which takes longer and ends the same way.
 */
export async function laterRuns(
  sources: ResourceSources & {
    readonly newestCheckpoint: (runId: string) => Promise<Checkpoint | undefined>;
  },
  {
    spec,
    plan,
    rung,
    kept,
    members,
  }: {
    readonly spec: ExperimentSpec;
    readonly plan: Plan;
    readonly rung: number;
    readonly kept: readonly number[];
    readonly members: readonly Member[];
  },
): Promise<NewRun[]> {
  const runs: NewRun[] = [];
  for (const planned of runsOf(spec, plan, rung, checkSpec, kept)) {
    const { configuration, seed } = planned;
    const before = members.find(
      (each) => each.rung === rung - 1 && each.configuration === configuration && each.seed === seed,
    );
    if (!before)
      throw new WhetstoneError('not-found', 'A run of the rung before was removed.', {
        where: planned.spec.name,
      });
    const checkpoint = await sources.newestCheckpoint(before.runId);
    const forked = checkpoint && (await forkOf(sources, checkpoint.id, planned.spec));
    runs.push(
      forked?.fork.carries === 'state'
        ? { ...planned, rung, inputs: await inputsOfFork(sources, forked), fork: forked.fork }
        : { ...planned, rung, inputs: await freezeInputs(sources, planned.spec) },
    );
  }
  return runs;
}
