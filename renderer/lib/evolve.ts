import { verifierAmong } from '../../engine/common/verifiers.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { isPretrained, specsFrom } from './line.ts';
import { href } from './router.svelte.ts';

/** Where “Evolve” leads: the address of the launch form, or null; `hint`: what it does, or why it cannot. */
export interface Evolving {
  readonly address: string | null;
  readonly hint: string;
}

/** What is known of a workspace: whose checkpoints are whose, and which datasets have a verifier. */
export interface Workspace {
  readonly checkpoints: readonly Pick<Checkpoint, 'id' | 'runId' | 'head' | 'createdAt'>[];
  readonly datasets: readonly Pick<Dataset, 'id' | 'doctor'>[];
  readonly specOfRun: (runId: string) => RunSpec | null | undefined;
}

/** Settings of the form by path, each replacing what the form would offer. */
type Settings = Readonly<Record<string, unknown>>;

const not = (hint: string): Evolving => ({ address: null, hint });
const byVerifier: Settings = { rewards: [{ id: 'verifier' }] };

/** The settings that a policy's own task needs; a sentence if nothing verifies answers there. */
function settingsOn(
  { task, rewards, evaluation }: RunSpec,
  datasets: Workspace['datasets'],
): Settings | string {
  if (task.kind === 'world') return byVerifier;
  // a policy that learned from labels is evaluated on the world that their prompts are of
  if (task.kind === 'labels')
    return evaluation.world
      ? { ...byVerifier, task: { kind: 'world', ...evaluation.world } }
      : 'Its run learned from labels, and nothing verifies answers to their prompts.';
  if (task.kind === 'control') return 'It acts in a control world, and writes no text.';
  if (verifierAmong(rewards.map(({ id }) => id)) !== null) return { rewards };
  return datasets.find(({ id }) => id === task.datasetId)?.doctor.verifier === null
    ? 'Its dataset has no references by which answers could be verified.'
    : {};
}

/** The launch form with a search in rounds, and best-of-n with as many answers to compare it with. */
const searchFrom = (from: Readonly<Record<string, string>>, isWorded: boolean, own: Settings): Evolving => ({
  address: href(['runs', 'new'], {
    method: 'search-rounds',
    ...from,
    preset: isWorded ? 'words' : undefined,
    set: JSON.stringify({ 'method.params.beside': true, ...own }),
  }),
  hint: 'Answer in rounds that show its own attempts, beside best-of-n',
});

/** An added model has no task of its own, and reads prompts in words. */
export const evolvingModel = (id: string): Evolving => searchFrom({ model: id }, true, {});

/** A checkpoint evolves on the task of its run; one that comes from an added model reads prompts in words. */
export function evolvingCheckpoint(id: string, workspace: Workspace): Evolving {
  const specOf = specsFrom(workspace.checkpoints, workspace.specOfRun);
  const spec = specOf(id);
  if (!spec) return not('The stored configuration of its run cannot be read.');
  const own = settingsOn(spec, workspace.datasets);
  if (typeof own === 'string') return not(own);
  return searchFrom({ checkpoint: id }, isPretrained(spec.models.policy, specOf), own);
}

/** The newest policy among the checkpoints of a run. */
export function evolvingRun(runId: string, workspace: Workspace): Evolving {
  const [newest] = workspace.checkpoints
    .filter((each) => each.runId === runId && each.head === 'next-token')
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return newest ? evolvingCheckpoint(newest.id, workspace) : not('It left no checkpoint to evolve.');
}
