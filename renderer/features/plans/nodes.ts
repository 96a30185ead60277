import type { Plan, PlanNode } from '../../../preload/contract/plans.ts';
import type { Run } from '../../../preload/contract/runs.ts';
import { plural } from '../../lib/format.ts';
import { number } from '../../../preload/wire/numbers.ts';
import { runStates, type RunState } from '../../../preload/wire/run-states.ts';

/** Most runs that Compare shows. */
const MOST_COMPARED = 64;

/** The state of the run of a node; null of data, and of a node that has not begun. */
export const runStateOf = ({ state }: Pick<PlanNode, 'state'>): RunState | null =>
  runStates.find((each) => each === state) ?? null;

/** Measures of an evaluation in the order in which they say most. */
const measures = [
  'pass_at_1',
  'accuracy',
  'rewards/accuracies',
  'reward',
  'loss',
  'return',
  'coverage/states',
];

const titles: Readonly<Record<string, string>> = {
  pass_at_1: 'pass@1',
  'rewards/accuracies': 'accuracy',
  'coverage/states': 'visited',
};

/** A measure as a person reads it. */
export const titleOf = (measure: string): string => titles[measure] ?? measure;

/** What the runs of a plan do at the moment, by node. */
export const doingNow = (
  nodes: readonly Pick<PlanNode, 'id' | 'state' | 'runId'>[],
  runs: ReadonlyMap<string, Pick<Run, 'phase'>>,
): string =>
  nodes
    .flatMap(({ id, state, runId }) => {
      const phase = state === 'running' && runId !== null ? runs.get(runId)?.phase : undefined;
      return phase ? [`${id}: ${phase}`] : [];
    })
    .join(' · ');

/** Results of a node in a few words. */
export function resultText({ error, rows, evaluation }: PlanNode): string {
  if (error) return error.message;
  if (rows !== null) return plural(rows, 'row');
  return measures
    .filter((name) => name in evaluation)
    .slice(0, 2)
    .map((name) => `${titleOf(name)} ${number(evaluation[name])}`)
    .join(', ');
}

/** Runs to compare: those that have an evaluation, or all as long as none has. */
export function comparedRuns({ nodes }: Plan): readonly string[] {
  const begun = nodes.filter(({ runId }) => runId !== null);
  const measured = begun.filter(({ evaluation }) => Object.keys(evaluation).length > 0);
  return (measured.length > 0 ? measured : begun).flatMap(({ runId }) => runId ?? []).slice(-MOST_COMPARED);
}
