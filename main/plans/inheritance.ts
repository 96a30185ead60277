/** Gains and losses of a plan's runs that were adapted to related tasks. */
import { checkSpec, meanInterval, mean, paretoFront, planNodes, retained } from '../../engine/index.ts';
import type { Inheritance, InheritedRecipe } from '../../preload/contract/inheritance.ts';
import type { PlanNode } from '../../preload/contract/plans.ts';
import type { Services } from '../services/services.ts';
import { addedTo } from './arena.ts';
import { familyOf, type Family, type FamilyMember } from './family.ts';
import { plansOf } from './index.ts';

/** A family with what its runs have reached so far. */
export interface KnownFamily extends Family {
  readonly nodes: ReadonlyMap<string, PlanNode>;
}

/** The family of a plan; null if it has none. */
export async function knownFamily(services: Services, id: string): Promise<KnownFamily | null> {
  const stored = await services.store.plans.get(id);
  const family = familyOf(planNodes(stored.file, checkSpec, addedTo(stored)));
  if (family === null) return null;
  const { nodes } = await plansOf(services).get(id);
  return { ...family, nodes: new Map(nodes.map((node) => [node.id, node])) };
}

/** Last pass@1 of a node on each task; null where it has none, and of a run that is not done. */
const accuraciesOf = ({ tasks, nodes }: KnownFamily, id: string): (number | null)[] => {
  const node = nodes.get(id);
  return tasks.map(({ name }) =>
    node?.state === 'done' ? (node.evaluation[`${name}/pass_at_1`] ?? null) : null,
  );
};

/**
 * Last pass@1 of a run on the start's own evaluation; null if it has another one, and of a run that is not
 * done.
 */
function onStartOf({ start, nodes }: KnownFamily, { id, spec }: FamilyMember['node']): number | null {
  const worldOf = ({ evaluation }: Readonly<Record<string, unknown>>): string =>
    JSON.stringify((evaluation as { readonly world?: unknown } | undefined)?.world ?? null);
  const node = nodes.get(id);
  return node?.state === 'done' && worldOf(spec) === worldOf(start.spec)
    ? (node.evaluation.pass_at_1 ?? null)
    : null;
}

/** The matrix of a plan's family for each recipe. */
export function inheritanceOf(family: KnownFamily): Inheritance {
  const { start, tasks, members, nodes } = family;
  const accuracies = accuraciesOf(family, start.id);
  const names = [...new Set(members.map(({ recipe }) => recipe))];
  const recipes = names.map((name) => {
    const own = members.filter(({ recipe }) => recipe === name);
    return recipeFacts(family, accuracies, name, own);
  });
  const finished = recipes.filter(({ retention }) => retention !== null);
  const front = paretoFront(finished.map(({ gain, retention }) => [gain ?? 0, retention ?? 0]));
  return {
    start: start.id,
    startRunId: nodes.get(start.id)?.runId ?? null,
    tasks: tasks.map(({ name }) => name),
    accuracies,
    recipes: recipes.map((recipe) => ({ ...recipe, isFront: front[finished.indexOf(recipe)] ?? false })),
  };
}

const changed = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;
const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
/** Mean of the known values over seeds; null without any. */
const meanOf = (values: readonly (number | null)[]): number | null => {
  const all = known(values);
  return all.length > 0 ? mean(all) : null;
};

function recipeFacts(
  family: KnownFamily,
  accuracies: readonly (number | null)[],
  name: string,
  members: readonly FamilyMember[],
): InheritedRecipe {
  const before = onStartOf(family, family.start);
  const tasks = family.tasks.map((_task, at): InheritedRecipe['tasks'][number] => {
    const own = members.filter((member) => member.task === at);
    const after = own.map(({ node }) => accuraciesOf(family, node.id));
    const changes = accuracies.map((start, i) => meanOf(after.map((run) => changed(run[i], start))));
    const all = known(changes);
    return {
      // of several seeds the first
      runId: family.nodes.get(own[0]?.node.id ?? '')?.runId ?? null,
      gain: changes[at],
      retention: all.length === changes.length ? retained(all, at) : null,
      onStart: meanOf(own.map(({ node }) => changed(onStartOf(family, node), before))),
      changes,
    };
  });
  const gains = known(tasks.map(({ gain }) => gain));
  const retentions = known(tasks.map(({ retention }) => retention));
  return {
    name,
    method: members[0].node.checked.method.id,
    tasks,
    retention: retentions.length ? mean(retentions) : null,
    retentionInterval: retentions.length > 1 ? meanInterval(retentions) : null,
    gain: gains.length ? mean(gains) : null,
    gainInterval: gains.length > 1 ? meanInterval(gains) : null,
    isFront: false,
  };
}
