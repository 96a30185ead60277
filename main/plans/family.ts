/** Finds in a plan the runs that adapt one start to related tasks, each evaluated on all of them. */
import type { PlannedPlan, PlannedRunNode } from '../../engine/index.ts';

/** A task of a family: the evaluation that measures it. */
export interface FamilyTask {
  readonly name: string;
  readonly world?: { readonly id: string; readonly params?: Readonly<Record<string, unknown>> };
  readonly datasetId?: unknown;
}
/** A run that was adapted to the task with this place. `recipe`: what its id says besides the task. */
export interface FamilyMember {
  readonly node: PlannedRunNode;
  readonly task: number;
  readonly recipe: string;
}
export interface Family {
  readonly start: PlannedRunNode;
  readonly tasks: readonly FamilyTask[];
  readonly members: readonly FamilyMember[];
}

type Json = Readonly<Record<string, unknown>>;
const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;

const tasksOf = ({ spec }: PlannedRunNode): readonly FamilyTask[] =>
  ((spec.evaluations ?? []) as readonly FamilyTask[]).filter(({ world, datasetId }) => world ?? datasetId);

/** Id of the node whose checkpoint a run starts from, if any. */
const parentOf = ({ spec }: PlannedRunNode): unknown =>
  field(field(field(field(spec, 'models'), 'policy'), 'checkpointId'), 'node');

/** How many settings of a task the evaluation names, all as the run trains on; −1 if it is another task. */
const likeness = ({ task }: Json, { world, datasetId }: FamilyTask): number => {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (datasetId !== undefined) return same(field(task, 'datasetId'), datasetId) ? 1 : -1;
  if (!world || field(task, 'id') !== world.id) return -1;
  const settings = Object.entries(world.params ?? {});
  return settings.every(([name, value]) => same(field(field(task, 'params'), name), value))
    ? settings.length
    : -1;
};

/**
 * The task that a run is adapted to: the evaluation that names most of its settings; −1 without a single best
 * one.
 */
const adaptedTo = (tasks: readonly FamilyTask[], { spec }: PlannedRunNode): number => {
  const scores = tasks.map((task) => likeness(spec, task));
  const best = Math.max(...scores);
  return best < 0 || scores.filter((score) => score === best).length > 1 ? -1 : scores.indexOf(best);
};

/** `adapt.sft-reverse.train` adapted to `reverse` → `adapt.sft.train`; so is `adapt.sft-reverse-seed-2.train`. */
const recipeOf = ({ id, checked }: PlannedRunNode, task: string): string =>
  id
    .split('.')
    .map((part) => (part === task ? '' : part.replace(`-${task}`, '').replace(`${task}-`, '')))
    .map((part) => part.replace(/-seed-\d+$/, ''))
    .filter((part) => part !== '')
    .join('.') || checked.method.id;

/**
 * The family of a plan: of the starts with several tasks the one with most runs, of at least two tasks; else
 * null.
 */
export function familyOf({ nodes }: PlannedPlan): Family | null {
  const runs = new Map(nodes.flatMap((node) => (node.kind === 'run' && !node.pull ? [[node.id, node]] : [])));
  const startOf = (node: PlannedRunNode): PlannedRunNode => {
    const parent = runs.get(String(parentOf(node)));
    return parent ? startOf(parent) : node;
  };
  const families = [...runs.values()].flatMap((start): Family[] => {
    const tasks = tasksOf(start);
    if (tasks.length < 2 || parentOf(start) !== undefined) return [];
    const members = [...runs.values()].flatMap((node): FamilyMember[] => {
      const task = node === start || startOf(node) !== start ? -1 : adaptedTo(tasks, node);
      const measured = tasksOf(node).map(({ name }) => name);
      const isMember = task >= 0 && tasks.every(({ name }) => measured.includes(name));
      return isMember ? [{ node, task, recipe: recipeOf(node, tasks[task].name) }] : [];
    });
    return new Set(members.map(({ task }) => task)).size < 2 ? [] : [{ start, tasks, members }];
  });
  return families.toSorted((a, b) => b.members.length - a.members.length)[0] ?? null;
}
