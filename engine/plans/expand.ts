/** Writes out the rounds and matrices of a plan. */
import type * as z from 'zod';
import { placed, WhetstoneError } from '../common/errors.ts';
import {
  ArenaNode,
  DataNode,
  LabelsNode,
  MatrixNode,
  MOST_NODES,
  PlanSpec,
  RoundsNode,
  RunNode,
  RunTask,
  type ArenaSpec,
  type MatrixAxis,
  type OperatorSpec,
} from '../schema/plan.ts';
import { Scope } from './scope.ts';
import { isRecord, merged, withSetting, type Json } from './settings.ts';

/** Where a node is in the plan's file, and which names it may use. */
interface Place {
  /** Full id: within rounds and matrices behind theirs, such as `self.2.dpo`. */
  readonly id: string;
  readonly where: string;
  readonly scope: Scope;
  /** Names of the rounds before this one, first to last. */
  readonly earlier: readonly Scope[];
  readonly after: readonly string[];
}
export interface WrittenRun extends Place {
  readonly kind: 'run';
  /** With references to nodes; of a pull, that of the first candidate. */
  readonly spec: Json;
  readonly pull?: WrittenPull;
  /** Passes over its rows, in place of the steps of the specification. */
  readonly passes?: number;
}
/** A budget of an arena. */
export interface WrittenPull {
  /** Full id of the arena. */
  readonly arena: string;
  readonly rule: ArenaSpec;
  /** Number of the candidates of the file; others were added later. */
  readonly own: number;
  readonly arms: readonly { readonly id: string; readonly where: string; readonly spec: Json }[];
  /** Full ids of the pulls before. */
  readonly before: readonly string[];
}
export interface WrittenData extends Place {
  readonly kind: 'data';
  readonly answers: readonly string[];
  readonly purpose?: DataNode['purpose'];
  readonly operators: readonly OperatorSpec[];
}
export interface WrittenLabels extends Place {
  readonly kind: 'labels';
  readonly label: LabelsNode['label'];
}
export type WrittenNode = WrittenRun | WrittenData | WrittenLabels;

export const refuse = (where: string, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', message, { where, hint });
};

/** Parses a value; an error names the path of the field under `where`. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue.path;
  return refuse([where, ...keys].filter((part) => part !== '').join('.') || 'plan', issue.message);
}

/** A candidate that was added to an arena: as the first one, but with its own code as reward. */
export interface AddedCandidate {
  readonly id: string;
  readonly code: string;
}
/** By the full id of the arena, in the order in which they were added. */
export type Added = ReadonlyMap<string, readonly AddedCandidate[]>;

/** The reward of such a candidate. */
export const snippetOf = (code: string) => [{ id: 'snippet', params: { code } }] as const;

interface Around {
  readonly plan: PlanSpec;
  readonly added: Added;
  readonly nodes: WrittenNode[];
  readonly scope: Scope;
  readonly earlier: readonly Scope[];
}

/** Every run and data of a plan, in order. Throws `invalid-input` with the path of the field. */
export function writtenOut(
  given: unknown,
  added: Added = new Map(),
): { plan: PlanSpec; nodes: readonly WrittenNode[] } {
  const plan = parsed(PlanSpec, given, '');
  const nodes: WrittenNode[] = [];
  body(plan.nodes, 'nodes', { plan, added, nodes, scope: new Scope(), earlier: [] });
  return { plan, nodes };
}

function body(items: readonly unknown[], where: string, around: Around): void {
  items.forEach((item, at) => {
    const place = `${where}.${at}`;
    const given: Json = isRecord(item) ? item : refuse(place, 'A node is an object.');
    if ('rounds' in given) rounds(given, place, around);
    else if ('matrix' in given) matrix(given, place, around);
    else if ('arena' in given) arena(given, place, around);
    else if ('answers' in given) data(given, place, around);
    else if ('label' in given) labels(given, place, around);
    else if ('spec' in given || 'use' in given) run(given, place, around);
    else
      refuse(
        place,
        'It is no node.',
        'A run has a spec or uses one (use), data has answers, a label set label; rounds or a matrix repeat a body.',
      );
    if (around.nodes.length > MOST_NODES)
      refuse(place, `The plan has more than ${MOST_NODES} nodes.`, 'Use fewer rounds, values or seeds.');
  });
}

/** Makes the node's name known; throws if it is taken. */
function named(id: string, where: string, { scope }: Around): string {
  const fullId = scope.prefix + id;
  if (!scope.add(id, fullId)) refuse(`${where}.id`, `Another node has the id '${id}'.`);
  return fullId;
}

function data(given: Json, where: string, around: Around): void {
  const { id, answers, purpose, operators, after } = parsed(DataNode, given, where);
  around.nodes.push({
    kind: 'data',
    id: named(id, where, around),
    where,
    scope: around.scope,
    earlier: around.earlier,
    after,
    answers: [answers].flat(),
    purpose,
    operators,
  });
}

function labels(given: Json, where: string, around: Around): void {
  const { id, label, after } = parsed(LabelsNode, given, where);
  const { scope, earlier } = around;
  around.nodes.push({ kind: 'labels', id: named(id, where, around), where, scope, earlier, after, label });
}

/** The specification of a run, or of a candidate: what it shares, what it adds, its settings. */
function specOf(node: RunNode, where: string, { plan }: Around): Json {
  const shared =
    node.use === undefined
      ? {}
      : Object.hasOwn(plan.specs, node.use)
        ? plan.specs[node.use]
        : refuse(
            `${where}.use`,
            `The plan has no specification '${node.use}'.`,
            `It has: ${list(plan.specs)}.`,
          );
  let spec = merged(shared, node.spec ?? {});
  for (const [path, value] of Object.entries(node.set))
    spec = placed(`${where}.set.${path}`, () => withSetting(spec, path.split('.'), value, path) as Json);
  return spec;
}

function run(given: Json, where: string, around: Around): void {
  const { nodes, scope, earlier } = around;
  const node = parsed(RunNode, given, where);
  let spec = specOf(node, where, around);
  const id = named(node.id, where, around);
  spec = { ...spec, name: typeof spec.name === 'string' && spec.name !== '' ? spec.name : id };
  if (isRecord(spec.task) && spec.task.kind === 'run') {
    const { answers, purpose, operators, kind, ...task } = parsed(RunTask, spec.task, `${where}.spec.task`);
    void kind;
    // its rows are a node of their own, which is seen and resumed as any other
    const own = { id: `${id}:data`, where: `${where}.spec.task`, scope, earlier, after: [] };
    nodes.push({ kind: 'data', ...own, answers: [answers].flat(), purpose, operators });
    scope.add(`${node.id}:data`, `${id}:data`);
    spec = { ...spec, task: { ...task, kind: 'dataset', datasetId: { node: `${node.id}:data` } } };
  }
  const { after, passes } = node;
  nodes.push({
    kind: 'run',
    id,
    where,
    scope,
    earlier,
    after,
    spec,
    ...(passes !== undefined && { passes }),
  });
}

const list = (specs: object): string => Object.keys(specs).join(', ') || 'none';

/** A group's own id, which no other node of its body may have. */
const groupName = (id: string, where: string, { scope }: Around): void => {
  if (!scope.add(id, '')) refuse(`${where}.id`, `Another node has the id '${id}'.`);
};

/** Its pulls, one after another: the candidate of each is chosen when it begins. */
function arena(given: Json, where: string, around: Around): void {
  const { id, arena: rule, candidates, after } = parsed(ArenaNode, given, where);
  const { nodes, scope, earlier } = around;
  groupName(id, where, around);
  const arenaId = scope.prefix + id;
  const arms = candidates.map((candidate, at) => {
    const place = `${where}.candidates.${at}`;
    const own = parsed(RunNode, candidate, place);
    if (candidates.some((other, k) => k < at && isRecord(other) && other.id === own.id))
      refuse(`${place}.id`, `Another candidate has the id '${own.id}'.`);
    if (own.after.length > 0)
      refuse(`${place}.after`, 'A candidate begins when the arena does.', 'Give the arena after.');
    if (own.passes !== undefined)
      refuse(`${place}.passes`, 'A budget of an arena has its steps from budget.steps.', 'Leave passes out.');
    return { id: own.id, where: place, spec: specOf(own, place, around) };
  });
  const own = arms.length;
  for (const { id: name, code } of around.added.get(arenaId) ?? [])
    arms.push({
      id: name,
      where: `${where}.candidates.${arms.length}`,
      spec: { ...arms[0].spec, rewards: snippetOf(code) },
    });
  const before: string[] = [];
  for (let pull = 1; pull <= rule.pulls; pull++) {
    const fullId = `${arenaId}.${pull}`;
    scope.add(`${id}.${pull}`, fullId);
    const facts = {
      id: fullId,
      where,
      scope,
      earlier,
      after: pull === 1 ? after : [...after, `${id}.${pull - 1}`],
    };
    nodes.push({
      kind: 'run',
      ...facts,
      spec: arms[0].spec,
      pull: { arena: arenaId, rule, own, arms, before: [...before] },
    });
    before.push(fullId);
  }
}

function rounds(given: Json, where: string, around: Around): void {
  const { id, rounds: count, body: items } = parsed(RoundsNode, given, where);
  groupName(id, where, around);
  const earlier: Scope[] = [];
  for (let round = 1; round <= count; round++) {
    const scope = new Scope(around.scope, `${around.scope.prefix}${id}.${round}.`);
    body(items, `${where}.body`, { ...around, scope, earlier: [...earlier] });
    around.scope.adopt(scope, `${id}.${round}.`);
    earlier.push(scope);
  }
  const last = earlier.at(-1);
  if (last) around.scope.adopt(last, `${id}.`);
}

const labelOf = ({ names, values }: MatrixAxis, at: number): string => {
  const value = values[at];
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const plain = text.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  return names?.[at] ?? (plain || String(at + 1));
};

function matrix(given: Json, where: string, around: Around): void {
  const { id, matrix: axes, body: items } = parsed(MatrixNode, given, where);
  groupName(id, where, around);
  axes.forEach(({ names, values }, at) => {
    if (names && names.length !== values.length)
      refuse(`${where}.matrix.${at}.names`, `${names.length} names for ${values.length} values.`);
  });
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_NODES)
    refuse(`${where}.matrix`, `The matrix has ${count} cells.`, `At most ${MOST_NODES} are possible.`);
  const cells = axes.reduce<readonly (readonly number[])[]>(
    (found, { values }) => found.flatMap((cell) => values.map((_value, at) => [...cell, at])),
    [[]],
  );
  const labels = cells.map((cell) => cell.map((at, axis) => labelOf(axes[axis], at)).join('-'));
  // all by number once two are equal: the number of one could be the label of another
  const isUnique = new Set(labels).size === labels.length;
  cells.forEach((cell, index) => {
    const label = isUnique ? labels[index] : String(index + 1);
    const scope = new Scope(around.scope, `${around.scope.prefix}${id}.${label}.`);
    const chosen = axes.reduce<readonly unknown[]>(
      (now, axis, at) => varied(now, axis, cell[at], `${where}.matrix.${at}`),
      items,
    );
    body(chosen, `${where}.body`, { ...around, scope });
    around.scope.adopt(scope, `${id}.${label}.`);
  });
}

/** The body with one setting changed, also of nodes in bodies within it. Throws if no node is meant. */
function varied(
  items: readonly unknown[],
  { set, values }: MatrixAxis,
  at: number,
  where: string,
): unknown[] {
  const [target, ...path] = set.split('.');
  if (path.length === 0) refuse(`${where}.set`, 'The setting is missing.', 'Write node.setting.');
  let isFound = false;
  const change = (item: unknown): unknown => {
    if (!isRecord(item)) return item;
    if (Array.isArray(item.body)) return { ...item, body: item.body.map(change) };
    if (Array.isArray(item.candidates) && item.id !== target)
      return { ...item, candidates: item.candidates.map(change) };
    const isRun = 'spec' in item || 'use' in item;
    if (target === '*' ? !isRun : item.id !== target) return item;
    isFound = true;
    if (!isRun) return placed(`${where}.set`, () => withSetting(item, path, values[at], set));
    return { ...item, set: { ...(isRecord(item.set) ? item.set : {}), [path.join('.')]: values[at] } };
  };
  const changed = items.map(change);
  if (!isFound) refuse(`${where}.set`, `The body has no node '${target}'.`, 'Write node.setting.');
  return changed;
}
