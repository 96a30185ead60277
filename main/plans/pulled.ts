import type { PlannedPull, PlannedRunNode } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { StoreClient } from '../store/client.ts';
import type { StoredPlan } from '../store/plans.ts';
import { chosenIn } from './arena.ts';
import { storedOf } from './facts.ts';

/** The checkpoint that a run has left at its end, if any. */
export async function finalCheckpointOf(store: StoreClient, runId: string): Promise<string | undefined> {
  const all = await store.checkpoints.list(runId);
  return all.find(({ final }) => final)?.id;
}

/** The candidate whose policy another one begins from, as it was added. */
function originOf({ decisions }: StoredPlan, { arena, arms }: PlannedPull, arm: number): number {
  const added = decisions.find(
    ({ arena: of, candidate, code }) => of === arena && code !== null && candidate === arms[arm].id,
  );
  return arms.findIndex(({ id }) => id === added?.origin);
}

/**
 * The specification of a budget of an arena: its candidate, from where that one came to; the first of an added one
 * begins from where the candidate has come to that it was added with. Throws `invalid-input` with
 * the path of the metric if no run before has measured it.
 */
export async function pulled(
  store: StoreClient,
  stored: StoredPlan,
  { id, where, pull }: PlannedRunNode & { readonly pull: PlannedPull },
): Promise<PlannedRunNode['spec']> {
  const { rule, arms, before } = pull;
  const runIds = before.map((each) => storedOf(stored, each)?.runId ?? '');
  const values = await store.experiments.lastValues(runIds, `eval/${rule.metric}`);
  if (runIds.length > 0 && Object.keys(values).length === 0)
    throw new WhetstoneError('invalid-input', `No run before has the measure '${rule.metric}'.`, {
      where: `${where}.arena.metric`,
      hint: await measuresText(store, runIds),
    });
  const chosen = chosenIn(
    stored,
    pull,
    runIds.map((runId) => values[runId]),
  );
  const arm = chosen[before.length];
  const { spec, id: name } = arms[arm];
  const past = chosen.slice(0, -1);
  const turn = past.filter((each) => each === arm).length;
  const last = past.lastIndexOf(turn > 0 ? arm : originOf(stored, pull, arm));
  const checkpointId = last < 0 ? undefined : await finalCheckpointOf(store, runIds[last]);
  return {
    ...spec,
    name: `${id} · ${name}`,
    // fresh prompts
    seed: (typeof spec.seed === 'number' ? spec.seed : 0) + turn,
    ...(checkpointId && {
      models: { ...(spec.models as object), policy: { kind: 'checkpoint', checkpointId } },
    }),
  };
}

async function measuresText(store: StoreClient, runIds: readonly string[]): Promise<string> {
  const names = await store.metrics.names(runIds);
  const known = names.flatMap((name) => (name.startsWith('eval/') ? [name.slice('eval/'.length)] : []));
  return `They have: ${known.slice(0, 12).join(', ') || 'none'}.`;
}
