import type { PlannedNode, PlannedPlan } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Arena, Plan, PlanNode, PlanPreview } from '../../preload/contract/plans.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { StoredNode, StoredPlan } from '../store/plans.ts';

/** What is known of a plan: its nodes, what each has made, and their runs. */
export interface Known {
  readonly stored: StoredPlan;
  readonly plan: PlannedPlan;
  readonly runs: ReadonlyMap<string, Run>;
  /** The node whose rows are being made, if any. */
  readonly making: string | null;
  /** True while something that is due has yet to be started. */
  readonly isDue: boolean;
  /** True while its live runs all wait in a queue that is paused. */
  readonly isHeld: boolean;
  readonly evaluations: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

export const storedOf = (stored: StoredPlan, id: string): StoredNode | undefined =>
  stored.nodes.find(({ node }) => node === id);

/** Most candidates of an arena that each of its nodes names. */
const MOST_NAMED = 3;

/** What a node does, in a few words. */
export const doesOf = (node: PlannedNode): string => {
  if (node.kind === 'labels') return `pairs of ${node.answers}, labeled by a simulated labeler`;
  if (node.kind === 'data')
    return [`answers of ${node.answers.join(', ')}`, ...node.operators.map(({ id }) => id)].join(' → ');
  if (!node.pull) return node.checked.method.id;
  const { arms, rule } = node.pull;
  const among = arms.length > MOST_NAMED ? `${arms.length} candidates` : arms.map(({ id }) => id).join(', ');
  return `one of ${among} by ${rule.rule}`;
};

/** Steps of a run, 0 as long as they depend on the number of rows. */
export const stepsOf = (node: PlannedNode, run?: Run): number =>
  run?.totalSteps ?? (node.kind === 'run' && node.passes === undefined ? node.checked.budget.steps : 0);

/** The nodes that a plan would make. */
export function previewOf({ spec, nodes: planned }: PlannedPlan): Omit<PlanPreview, 'known'> {
  const nodes = planned.map((node) => ({
    id: node.id,
    kind: node.kind,
    needs: [...node.needs],
    does: doesOf(node),
    steps: stepsOf(node),
  }));
  return {
    name: spec.name,
    summary: spec.summary,
    nodes,
    runs: nodes.filter(({ kind }) => kind === 'run').length,
    steps: nodes.reduce((sum, { steps }) => sum + steps, 0),
  };
}

/** State of each node by its id, in an order in which each comes after all that it needs. */
export function statesOf({ stored, plan, runs, making }: Pick<Known, 'stored' | 'plan' | 'runs' | 'making'>) {
  const states = new Map<string, PlanNode['state']>();
  for (const { id, needs } of plan.nodes) {
    const own = storedOf(stored, id);
    const run = own?.runId ? runs.get(own.runId) : undefined;
    const isBlocked = needs.some((each) => ['failed', 'blocked'].includes(states.get(each) ?? ''));
    const isMade = own?.datasetId || own?.labelSetId;
    const begun = run?.state ?? (isMade ? 'done' : own?.error ? 'failed' : null);
    states.set(id, making === id ? 'making' : (begun ?? (isBlocked ? 'blocked' : 'waiting')));
  }
  return states;
}

/** Nodes that can begin: all that they need is done, and they have not begun before. */
export const readyOf = (
  stored: StoredPlan,
  { nodes }: PlannedPlan,
  states: ReadonlyMap<string, PlanNode['state']>,
): readonly PlannedNode[] =>
  nodes.filter(
    ({ id, needs }) =>
      states.get(id) === 'waiting' &&
      // what a removed run or dataset leaves waits for the user, who may not want it once more
      storedOf(stored, id) === undefined &&
      needs.every((each) => states.get(each) === 'done'),
  );

/** The plan with its table of nodes. */
export function factsOf(known: Known, arenas: readonly Arena[]): Plan {
  const { stored, plan, runs, evaluations } = known;
  const states = statesOf(known);
  const nodes = plan.nodes.map((node): PlanNode => {
    const own = storedOf(stored, node.id);
    const run = own?.runId ? runs.get(own.runId) : undefined;
    return {
      id: node.id,
      kind: node.kind,
      state: states.get(node.id) ?? 'waiting',
      needs: [...node.needs],
      does: run && node.kind === 'run' && node.pull ? run.name.slice(node.id.length + 3) : doesOf(node),
      runId: run?.id ?? null,
      datasetId: own?.datasetId ?? null,
      labelSetId: own?.labelSetId ?? null,
      rows: own?.rows ?? own?.pairs ?? null,
      step: run?.step ?? 0,
      steps: stepsOf(node, run),
      evaluation: { ...(run && evaluations.get(run.id)) },
      error: own?.error ?? run?.error ?? null,
    };
  });
  const done = nodes.filter(({ state }) => state === 'done').length;
  return {
    id: stored.id,
    name: stored.name,
    summary: plan.spec.summary,
    createdAt: stored.createdAt,
    state: stateOf(known, nodes),
    nodes,
    arenas: [...arenas],
    done,
    of: nodes.length,
    secondsLeft: secondsLeft(plan, nodes, runs),
  };
}

/** A plan whose file this version refuses. */
export const unreadable = ({ id, name, createdAt }: StoredPlan, error: unknown): Plan => ({
  id,
  name,
  summary: `The file of this plan cannot be read: ${WhetstoneError.from(error).message}`,
  createdAt,
  state: 'failed',
  nodes: [],
  arenas: [],
  done: 0,
  of: 0,
  secondsLeft: null,
});

function stateOf({ stored, isDue, isHeld, runs }: Known, nodes: readonly PlanNode[]): Plan['state'] {
  if (nodes.every(({ state }) => state === 'done')) return 'done';
  if (nodes.some(({ state }) => state === 'making')) return 'running';
  if ([...runs.values()].some(isLive)) return isHeld ? 'waiting' : 'running';
  if (stored.stopped) return 'stopped';
  if (isDue) return 'running';
  // nodes that could begin, and runs that could be resumed
  const canGoOn = nodes.some(
    ({ state, needs }) =>
      state === 'interrupted' ||
      state === 'stopped' ||
      (state === 'waiting' && needs.every((id) => nodes.find((node) => node.id === id)?.state === 'done')),
  );
  return canGoOn ? 'waiting' : 'failed';
}

/** Seconds of the steps that are left, by the pace of finished runs of the same method; null without one. */
function secondsLeft(
  { nodes: planned }: PlannedPlan,
  nodes: readonly PlanNode[],
  runs: ReadonlyMap<string, Run>,
): number | null {
  const paces = new Map<string, number>();
  for (const { method, state, attempt, step, startedAt, endedAt } of runs.values())
    if (state === 'done' && attempt === 1 && step > 0 && startedAt !== null && endedAt !== null)
      paces.set(method, (endedAt - startedAt) / 1000 / step);
  let seconds = 0;
  for (const [at, { state, runId, step, steps }] of nodes.entries()) {
    const node = planned[at];
    if (node.kind !== 'run' || state === 'done') continue;
    const run = runId === null ? undefined : runs.get(runId);
    const pace = paces.get(node.checked.method.id);
    if (run && isLive(run) && run.secondsLeft !== null) seconds += run.secondsLeft;
    else if (pace === undefined) return null;
    else seconds += pace * Math.max(0, steps - step);
  }
  return seconds;
}
