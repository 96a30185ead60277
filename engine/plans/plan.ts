/** Checks a plan: every node, what it uses, and its specification. */
import { verifierAmong } from '../common/verifiers.ts';
import { WhetstoneError } from '../common/errors.ts';
import {
  NodeReference,
  type ArenaSpec,
  type DataNode,
  type LabelsNode,
  type OperatorSpec,
  type PlanSpec,
} from '../schema/plan.ts';
import type { RunSpec } from '../schema/run-spec.ts';
import {
  parsed,
  refuse,
  writtenOut,
  type Added,
  type WrittenData,
  type WrittenLabels,
  type WrittenNode,
  type WrittenRun,
} from './expand.ts';
import { eachOperator, isFrom, ownColumns } from './operators/index.ts';
import { isRecord, type Json } from './settings.ts';

/** Fills in defaults and checks a specification; throws `invalid-input` with the field. */
export type Check = (spec: unknown) => RunSpec;

interface Facts {
  readonly id: string;
  /** Its path in the plan's file. */
  readonly where: string;
  /** Ids of the nodes that must be done before. */
  readonly needs: readonly string[];
}
export interface PlannedRunNode extends Facts {
  readonly kind: 'run';
  /** `{ node: id }` in place of checkpoints and datasets that earlier nodes make. */
  readonly spec: Json;
  /** The checked specification with stand-ins for those. */
  readonly checked: RunSpec;
  /** Of a budget of an arena, whose candidate is chosen when it begins. */
  readonly pull?: PlannedPull;
  /** Passes over its label set or dataset: its steps, which are known when it begins. */
  readonly passes?: number;
}
export interface PlannedPull {
  /** Full id of the arena. */
  readonly arena: string;
  readonly rule: ArenaSpec;
  /** Full ids of the runs that tell the best value that a candidate can reach, or that value. */
  readonly oracle?: number | readonly string[];
  /** Number of the candidates of the file; others were added later. */
  readonly own: number;
  readonly arms: readonly { readonly id: string; readonly spec: Json }[];
  /** Ids of the pulls before. */
  readonly before: readonly string[];
}
export interface PlannedDataNode extends Facts {
  readonly kind: 'data';
  /** Ids of the runs whose answers it reads. */
  readonly answers: readonly string[];
  readonly purpose?: DataNode['purpose'];
  readonly operators: readonly OperatorSpec[];
}
export interface PlannedLabelsNode extends Facts {
  readonly kind: 'labels';
  readonly label: LabelsNode['label'];
  /** Id of the run whose answers are paired. */
  readonly answers: string;
}
export type PlannedNode = PlannedRunNode | PlannedDataNode | PlannedLabelsNode;

/** A checked plan; `nodes` in an order in which each comes after all that it needs. */
export interface PlannedPlan {
  readonly spec: PlanSpec;
  readonly nodes: readonly PlannedNode[];
}

/** Fields that a reference may stand for, and the kind of node that gives each. */
const given: { readonly [key: string]: PlannedNode['kind'] } = {
  checkpointId: 'run',
  datasetId: 'data',
  labelSetId: 'labels',
};
const makes: { readonly [K in PlannedNode['kind']]: string } = {
  run: 'is a run',
  data: 'makes data',
  labels: 'makes a label set',
};

interface Known {
  readonly at: number;
  readonly node: WrittenNode;
}

/**
 * Plans the runs of a file, with candidates that were added to its arenas later. Throws `invalid-input` with the path
 * of the field; see `check`.
 */
export function planNodes(file: unknown, check: Check, added?: Added): PlannedPlan {
  const { plan, nodes } = writtenOut(file, added);
  const known = new Map<string, Known>(nodes.map((node, at) => [node.id, { at, node }]));
  const planned = new Map<string, PlannedNode>();
  nodes.forEach((node, at) => {
    const after = node.after.map((name, k) => foundNode(node, name, known, `${node.where}.after.${k}`).id);
    planned.set(node.id, plannedNode(node, { at, known, planned, after, check }));
  });
  const placeOf = (id: string): number => known.get(id)?.at ?? 0;
  const ordered = [...planned.values()].map((node) => ({
    ...node,
    needs: node.needs.toSorted((a, b) => placeOf(a) - placeOf(b)),
  }));
  return { spec: plan, nodes: inOrder(ordered) };
}

interface Setting {
  readonly at: number;
  readonly known: ReadonlyMap<string, Known>;
  readonly planned: ReadonlyMap<string, PlannedNode>;
  readonly after: readonly string[];
  readonly check: Check;
}

function plannedNode(node: WrittenNode, setting: Setting): PlannedNode {
  if (node.kind === 'data') return dataNode(node, setting);
  return node.kind === 'labels' ? labelsNode(node, setting) : runNode(node, setting);
}

/** The node that a name means. Throws if there is none. */
function foundNode(
  { scope }: Pick<WrittenNode, 'scope'>,
  name: string,
  known: ReadonlyMap<string, Known>,
  where: string,
): WrittenNode {
  const node = known.get(scope.find(name) ?? '')?.node;
  return node ?? refuse(where, `The plan has no node '${name}' here.`, `Nodes: ${listed(known)}.`);
}

const listed = (known: ReadonlyMap<string, Known>): string => {
  const ids = [...known.keys()];
  return ids.length > 12 ? `${ids.slice(0, 12).join(', ')} and ${ids.length - 12} more` : ids.join(', ');
};

/** The same, and it must come before the node at this place. */
function earlierNode(
  own: WrittenNode,
  name: string,
  { at, known }: { readonly at: number; readonly known: ReadonlyMap<string, Known> },
  where: string,
): WrittenNode {
  const found = foundNode(own, name, known, where);
  if ((known.get(found.id)?.at ?? 0) >= at)
    refuse(where, `The node '${name}' does not come before '${own.id}'.`, 'List it earlier.');
  return found;
}

/** The full id of the earlier run whose answers a node reads. */
function answeringRun(node: WrittenNode, name: string, setting: Setting, where: string): string {
  const found = earlierNode(node, name, setting, where);
  return found.kind === 'run'
    ? found.id
    : refuse(where, `The node '${name}' is no run, so it has no answers.`);
}

function labelsNode(node: WrittenLabels, setting: Setting): PlannedLabelsNode {
  const { id, where, label } = node;
  const answers = answeringRun(node, label.answers, setting, `${where}.label.answers`);
  return {
    kind: 'labels',
    id,
    where,
    needs: [...new Set([answers, ...setting.after])],
    answers,
    label,
  };
}

function dataNode(node: WrittenData, setting: Setting): PlannedDataNode {
  const { planned } = setting;
  const sources = node.answers.map((name, k) =>
    answeringRun(
      node,
      name,
      setting,
      node.answers.length > 1 ? `${node.where}.answers.${k}` : `${node.where}.answers`,
    ),
  );
  const columns = new Set(ownColumns);
  for (const source of sources) {
    const run = planned.get(source);
    if (run?.kind === 'run') for (const column of columnsOf(run.checked)) columns.add(column);
  }
  eachOperator(node.operators, node.where, (operator, params) => {
    for (const column of operator.needs(params))
      if (!columns.has(column))
        refuse(
          'params',
          `There is no column '${column}' of numbers.`,
          `There are: ${[...columns].join(', ')}.`,
        );
    for (const [param, run] of operator.runs(params))
      if (!sources.some((source) => isFrom(source, run)))
        refuse(
          `params.${param}`,
          `No answers of '${run}' are read here.`,
          `Read are: ${sources.join(', ')}.`,
        );
    for (const column of operator.adds) columns.add(column);
  });
  return {
    kind: 'data',
    id: node.id,
    where: node.where,
    needs: [...new Set([...sources, ...setting.after])],
    answers: sources,
    ...(node.purpose && { purpose: node.purpose }),
    operators: node.operators,
  };
}

/** Scorers of a method in addition to the rewards of a run: MART scores the harm of an attack. */
const methodScorers: { readonly [method: string]: readonly string[] | undefined } = { mart: ['harm'] };

/** Columns that the stored answers of a run can have, besides those of every answer. */
function columnsOf({ method, rewards, evaluation, task }: RunSpec): string[] {
  const ids = [...rewards, ...evaluation.rewards].map(({ id }) => id);
  // the same reward with other parameters is `id#2`
  const named = ids.map((id, at) => {
    const turn = ids.slice(0, at).filter((other) => other === id).length;
    return turn === 0 ? id : `${id}#${turn + 1}`;
  });
  const scorers = (evaluation.world ?? task.kind === 'world') ? [...named, 'verifier'] : named;
  return [
    ...[...scorers, ...(methodScorers[method.id] ?? [])].map((id) => `score ${id}`),
    ...(scorers.length > 0 ? ['reward'] : []),
    ...(verifierAmong(scorers) === null ? [] : ['correct']),
  ];
}

function runNode(node: WrittenRun, setting: Setting): PlannedRunNode {
  const { check } = setting;
  const needs = new Set(setting.after);
  const one = (given: Json, where: string): Pick<PlannedRunNode, 'spec' | 'checked'> => {
    const spec = withReferences(given, `${where}.spec`, (reference, key, at) => {
      const id = referredNode(node, { reference, key, where: at }, setting);
      needs.add(id);
      return { node: id };
    }) as Json;
    return {
      spec,
      checked: checkedAt(
        where,
        withResults(spec, (id) => id),
        check,
      ),
    };
  };
  const { pull } = node;
  if (!pull) {
    const own = one(node.spec, node.where);
    if (node.passes !== undefined) requireRows(node, own);
    const { id, where, passes } = node;
    return { kind: 'run', id, where, ...own, needs: [...needs], ...(passes !== undefined && { passes }) };
  }
  const arms = pull.arms.map(({ id, where, spec }) => ({ id, ...one(spec, where) }));
  arms.forEach(({ checked: { evaluation, evaluations } }, at) => {
    if (evaluation.problems === 0 && !evaluations?.length)
      refuse(
        `${pull.arms[at].where}.spec.evaluation.problems`,
        'A candidate without an evaluation cannot be compared.',
        'Evaluate on at least one problem.',
      );
  });
  const [{ spec, checked }] = arms;
  return {
    kind: 'run',
    id: node.id,
    where: node.where,
    needs: [...needs],
    spec,
    checked,
    pull: {
      arena: pull.arena,
      rule: pull.rule,
      ...oracleOf(node, pull.rule, setting),
      own: pull.own,
      before: pull.before,
      arms: arms.map(({ id, spec: own }) => ({ id, spec: own })),
    },
  };
}

/** What an arena is measured against, with full ids. Throws for a name that means no run. */
function oracleOf(node: WrittenRun, { oracle }: ArenaSpec, { known }: Setting): Pick<PlannedPull, 'oracle'> {
  if (oracle === undefined || typeof oracle === 'number') return { oracle };
  const ids = oracle.map((name, at) => {
    const where = `${node.where}.arena.oracle.${at}`;
    const { id, kind } = foundNode(node, name, known, where);
    return kind === 'run' ? id : refuse(where, `The node '${name}' is no run, so it reaches no value.`);
  });
  return { oracle: ids };
}

/** Throws unless the number of a run's rows can be known when it begins, and nothing else gives its steps. */
function requireRows(
  { where }: WrittenRun,
  { spec, checked: { task } }: Pick<PlannedRunNode, 'spec' | 'checked'>,
) {
  const isMade = isRecord(spec.task) && isRecord(spec.task.datasetId);
  if (task.kind !== 'labels' && !isMade)
    refuse(`${where}.passes`, 'Only label sets and data of this plan are counted.', 'Give budget.steps.');
  if (isRecord(spec.budget) && 'steps' in spec.budget)
    refuse(`${where}.passes`, 'The specification gives budget.steps as well.', 'Leave one of them out.');
}

/** The full id of the node that a reference means. Throws for one that is unknown, later or of another kind. */
function referredNode(
  node: WrittenRun,
  { reference, key, where }: { readonly reference: Json; readonly key: string; readonly where: string },
  setting: Setting,
): string {
  const { node: name, round, first } = parsed(NodeReference, reference, where);
  const wanted = given[key] ?? refuse(where, 'A node gives a checkpointId, a datasetId or a labelSetId.');
  const back = round === undefined ? 0 : round === 'previous' ? 1 : round;
  const isThere = back <= node.earlier.length;
  const instead = [first ?? []].flat();
  const meant = isThere
    ? name
    : (instead[node.earlier.length] ?? instead.at(-1) ?? refuse(where, ...noRound));
  const scope = node.earlier[node.earlier.length - back];
  const found = earlierNode(back > 0 && isThere ? { ...node, scope } : node, meant, setting, where);
  if (found.kind !== wanted) refuse(where, `The node '${found.id}' ${makes[found.kind]}: no ${key}.`);
  return found.id;
}

const noRound = ['There is no such round before the first.', 'Say which node is used: "first".'] as const;

/** Checks a specification; an error names its path in the plan. */
function checkedAt(where: string, spec: Json, check: Check): RunSpec {
  try {
    return check(spec);
  } catch (error) {
    const { kind, message, where: field, hint } = WhetstoneError.from(error);
    const path = field === undefined || field === 'spec' ? `${where}.spec` : `${where}.spec.${field}`;
    throw new WhetstoneError(kind, message, { where: path, hint, cause: error });
  }
}

type Replace = (reference: Json, key: string, where: string) => unknown;

/** A copy with each reference `{ node: … }` of an id's field replaced. */
function withReferences(value: unknown, where: string, replace: Replace, key = ''): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => withReferences(item, `${where}.${at}`, replace, key));
  if (!isRecord(value)) return value;
  if ('node' in value && key.endsWith('Id')) return replace(value, key, where);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      withReferences(item, `${where}.${name}`, replace, name),
    ]),
  );
}

/** A specification with what its nodes made in place of the references. */
export const withResults = (spec: Json, resultOf: (id: string) => string): Json =>
  withReferences(spec, '', ({ node }) => resultOf(String(node))) as Json;

/** Each node after all that it needs, otherwise in the order of the file. Throws for a cycle. */
function inOrder(nodes: readonly PlannedNode[]): PlannedNode[] {
  const done = new Set<string>();
  let waiting = [...nodes];
  const ordered: PlannedNode[] = [];
  while (waiting.length > 0) {
    const ready = waiting.find(({ needs }) => needs.every((id) => done.has(id)));
    if (!ready)
      return refuse(`${waiting[0].where}.after`, `These nodes wait for each other: ${cycleOf(waiting)}.`);
    done.add(ready.id);
    ordered.push(ready);
    waiting = waiting.filter((node) => node !== ready);
  }
  return ordered;
}

/** The ids of one cycle among nodes that all wait for one another. */
function cycleOf(waiting: readonly PlannedNode[]): string {
  const path: string[] = [];
  let at: PlannedNode | undefined = waiting[0];
  while (at && !path.includes(at.id)) {
    path.push(at.id);
    at = waiting.find(({ id }) => at?.needs.includes(id));
  }
  return [...path.slice(path.indexOf(at?.id ?? '')), at?.id].join(' → ');
}
