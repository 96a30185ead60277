import { WhetstoneError } from '../../engine/common/errors.ts';
import { readResult, type ResultKind, type ResultValue } from '../../engine/schema/results.ts';
import type { Checkpoint, Run } from '../../preload/contract/runs.ts';
import type { Plan, PlanNode } from '../../preload/contract/plans.ts';
import type { Services } from '../services/services.ts';
import type { Workbench } from '../services/workbench.ts';
import { followPlan, type Following } from './follow.ts';
import { plansOf } from './index.ts';

/** A workbench whose plans can be followed. */
export interface PlanBench extends Workbench {
  readonly services: Services;
}

/** A finished run with its final checkpoint. */
export interface Finished {
  readonly run: Run;
  readonly checkpoint: Checkpoint | undefined;
}

export type Log = (text: string) => void;

/**
 * Runs a plan of this process's own to its end, or the rest of it. Throws the error of a node that fails, and
 * `cancelled` if it was stopped.
 */
export async function runWhole(
  bench: PlanBench,
  file: unknown,
  { log, signal, onPlan, onRun }: Following & { readonly log: Log },
): Promise<Plan> {
  if (signal?.aborted) throw stopped();
  let last = '';
  const say = (line: string): void => {
    if (line !== last) log(line);
    last = line;
  };
  const plan = await followPlan(bench.services, await plansOf(bench.services).launch(file), {
    signal,
    onPlan,
    onError: log,
    onRun: (run, node) => {
      say(progressText(run));
      onRun?.(run, node);
    },
  });
  if (plan.state === 'done') return plan;
  const failed = plan.nodes.find(({ state }) => state === 'failed');
  if (!failed?.error) throw stopped();
  const { kind, message, hint } = failed.error;
  throw new WhetstoneError(kind, message, { where: await placeOf(bench, failed), hint });
}

const stopped = () => new WhetstoneError('cancelled', 'It was stopped before its end.');

const progressText = ({ name, phase, state, step, totalSteps, secondsLeft }: Run): string => {
  const left = secondsLeft === null ? '' : `, ${Math.ceil(secondsLeft)} s left`;
  return `${name}: ${phase || state}${totalSteps ? `, step ${step} of ${totalSteps}` : ''}${left}`;
};

async function placeOf({ api }: PlanBench, { id, runId }: PlanNode): Promise<string> {
  return runId === null ? `node '${id}'` : `run '${(await api.runs.get({ id: runId })).name}'`;
}

/** The node of this id. Throws `internal` for one that the plan lacks. */
export function nodeOf(plan: Plan, id: string): PlanNode {
  const found = plan.nodes.find((node) => node.id === id);
  if (!found) throw new WhetstoneError('internal', `The plan has no node '${id}'.`);
  return found;
}

/** The finished run of a node. */
export async function finishedOf({ api, services }: PlanBench, plan: Plan, id: string): Promise<Finished> {
  const { runId } = nodeOf(plan, id);
  const run = await services.store.runs.get(runId ?? '');
  const checkpoints = await api.runs.checkpoints({ runId: run.id });
  return { run, checkpoint: checkpoints.find(({ final }) => final) };
}

/** The newest result of a kind. Throws `internal` if there is none: a finished run has one. */
export async function resultOf<K extends ResultKind>(
  { api }: Workbench,
  run: Run,
  kind: K,
): Promise<ResultValue<K>> {
  const found = (await api.runs.results({ id: run.id })).findLast((r) => r.kind === kind);
  if (!found) throw new WhetstoneError('internal', `the run left no ${kind}`, { where: `run '${run.name}'` });
  return readResult(kind, found.value);
}
