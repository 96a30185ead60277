import { verifierAmong } from '../../engine/common/verifiers.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { href } from './router.svelte.ts';

/** Where “Evolve” leads: the address of the launch form, or null; `hint`: what it does, or why it cannot. */
export interface Evolving {
  readonly address: string | null;
  readonly hint: string;
}

/** A policy: an added model, or a checkpoint with the specification of its run, null if that is unreadable. */
export type Evolved =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'checkpoint'; readonly id: string; readonly spec: RunSpec | null };

/** The verifier of a dataset's answers, null without one; undefined until the dataset is known. */
type VerifierOf = (datasetId: string) => string | null | undefined;

/** Settings of the form by path, each replacing what the form would offer. */
type Settings = Readonly<Record<string, unknown>>;

const not = (hint: string): Evolving => ({ address: null, hint });
const byVerifier: Settings = { rewards: [{ id: 'verifier' }] };

/** What the form does not offer by itself on the policy's own task; a sentence if nothing verifies answers there. */
function settingsOn({ task, rewards, evaluation }: RunSpec, verifierOf: VerifierOf): Settings | string {
  if (task.kind === 'world') return byVerifier;
  // a policy that learned from labels is evaluated on the world that their prompts are of
  if (task.kind === 'labels')
    return evaluation.world
      ? { ...byVerifier, task: { kind: 'world', ...evaluation.world } }
      : 'Its run learned from labels, and nothing verifies answers to their prompts.';
  if (task.kind === 'control') return 'It acts in a control world, and writes no text.';
  if (verifierAmong(rewards.map(({ id }) => id)) !== null) return { rewards };
  return verifierOf(task.datasetId) === null
    ? 'Its dataset has no references by which answers could be verified.'
    : {};
}

/**
 * Opens the launch form with a search in rounds on a policy's own task, beside as many plain answers to
 * compare with best-of-n. An added model has no task yet, and reads prompts in words.
 */
export function evolving(policy: Evolved, verifierOf: VerifierOf): Evolving {
  const { kind, id } = policy;
  const spec = kind === 'checkpoint' ? policy.spec : null;
  if (kind === 'checkpoint' && !spec) return not('The stored configuration of its run cannot be read.');
  const own = spec ? settingsOn(spec, verifierOf) : {};
  if (typeof own === 'string') return not(own);
  const isWorded = kind === 'model' || spec?.models.policy.kind === 'model';
  const address = href(['runs', 'new'], {
    method: 'search-rounds',
    [kind]: id,
    preset: isWorded ? 'words' : undefined,
    set: JSON.stringify({ 'method.params.beside': true, ...own }),
  });
  return { address, hint: 'Answer in rounds that show its own attempts, beside best-of-n' };
}

/** The same for the newest policy among the checkpoints of a run. */
export function evolvingRun(
  spec: RunSpec | null,
  checkpoints: readonly Pick<Checkpoint, 'id' | 'head' | 'createdAt'>[],
  verifierOf: VerifierOf,
): Evolving {
  const [newest] = checkpoints
    .filter(({ head }) => head === 'next-token')
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return newest
    ? evolving({ kind: 'checkpoint', id: newest.id, spec }, verifierOf)
    : not('It left no checkpoint to evolve.');
}
