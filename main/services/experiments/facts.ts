import { checkSpec, foldSeeds, methods, planOf, type Plan } from '../../../engine/index.ts';
import type { ExperimentSpec, Objective } from '../../../engine/schema/experiment.ts';
import type { Experiment, ExperimentRow } from '../../../preload/contract/experiments.ts';
import type { Run } from '../../../preload/contract/runs.ts';
import { isLive } from '../../../preload/wire/run-states.ts';
import type { StoredExperiment } from '../../store/experiments.ts';

/** Runs of an experiment, with their results so far. */
export interface Progress {
  readonly runs: ReadonlyMap<string, Run>;
  readonly objective: Objective;
  /** Last values of the objective by run. */
  readonly values: Readonly<Record<string, number>>;
}

/**
 * The objective; without one, those of what the method trains: the first that a run has a value of counts, since
 * answers to data without references cannot be right or wrong.
 */
export function objectivesOf({ objective, base }: ExperimentSpec): readonly [Objective, ...Objective[]] {
  if (objective) return [objective];
  const { id } = checkSpec(base).method;
  const isReward = methods.find((method) => method.id === id)?.produces === 'reward';
  if (isReward) return [{ metric: 'eval/accuracy', direction: 'maximize' }];
  return [
    { metric: 'eval/pass_at_1', direction: 'maximize' },
    { metric: 'eval/rewards/accuracies', direction: 'maximize' },
    { metric: 'eval/loss', direction: 'minimize' },
    { metric: 'eval/return', direction: 'maximize' },
  ];
}

/** Configurations that run in a rung, by the decisions before it. */
export const configurationsOf = (
  { decisions }: Pick<StoredExperiment, 'decisions'>,
  plan: Plan,
  rung: number,
): readonly number[] =>
  rung === 0 ? plan.combinations.map((_, at) => at) : (decisions[rung - 1]?.kept ?? []);

/** The value of a run's objective; null unless it is done and has one. */
export const valueOf = ({ runs, values }: Progress, runId: string): number | null =>
  runs.get(runId)?.state === 'done' ? (values[runId] ?? null) : null;

/** The experiment with its table: one row per configuration, seeds folded. */
export function factsOf(stored: StoredExperiment, progress: Progress): Experiment {
  const { id, name, spec, createdAt, decisions, members } = stored;
  const plan = planOf(spec, checkSpec);
  const { objective } = progress;
  const rows = rowsOf(stored, plan, progress);
  const best = bestOf(rows, objective);
  const isBest = ({ rung, mean, n, runs: own }: ExperimentRow): boolean =>
    rung === best?.rung && mean === best.mean && n === own.length;
  const runs = members.flatMap(({ runId }) => progress.runs.get(runId) ?? []);
  const planned = plan.seeds.length * plan.rungs.reduce((sum, rung) => sum + rung.configurations, 0);
  return {
    id,
    name,
    spec,
    createdAt,
    state: stateOf(stored, plan, { runs, rows }),
    objective,
    paths: spec.axes.map(({ path }) => path),
    seeds: [...plan.seeds],
    rungs: plan.rungs.map((rung) => ({ ...rung })),
    rows: rows.map((row) => ({ ...row, isBest: isBest(row) })),
    decisions: [...decisions],
    runIds: runs.map((run) => run.id),
    ended: runs.filter((run) => !isLive(run)).length,
    of: planned,
  };
}

const rowsOf = (stored: StoredExperiment, plan: Plan, progress: Progress): ExperimentRow[] =>
  plan.combinations.map((values, configuration) => {
    const own = stored.members.filter((each) => each.configuration === configuration);
    const rung = own.reduce((most, each) => Math.max(most, each.rung), 0);
    const runs = own
      .filter((each) => each.rung === rung)
      .flatMap(({ runId, seed }) => {
        const run = progress.runs.get(runId);
        return run ? [{ runId, seed, state: run.state, value: valueOf(progress, runId) }] : [];
      });
    return {
      configuration,
      values: [...values],
      rung,
      steps: plan.rungs[rung].steps,
      runs,
      ...foldSeeds(runs.map(({ value }) => value)),
      isBest: false,
      cutAt: stored.decisions[rung] && !stored.decisions[rung].kept.includes(configuration) ? rung : null,
    };
  });

/**
 * A best row among those that came furthest (others may equal it); a row with a run that has no value is not
 * a candidate.
 */
function bestOf(rows: readonly ExperimentRow[], { direction }: Objective): ExperimentRow | undefined {
  const scored = rows.filter(({ n, runs }) => n > 0 && n === runs.length);
  const furthest = Math.max(...scored.map(({ rung }) => rung));
  const sign = direction === 'maximize' ? -1 : 1;
  return scored
    .filter(({ rung }) => rung === furthest)
    .toSorted((a, b) => sign * ((a.mean ?? 0) - (b.mean ?? 0)) || a.configuration - b.configuration)[0];
}

function stateOf(
  stored: StoredExperiment,
  plan: Plan,
  { runs, rows }: { readonly runs: readonly Run[]; readonly rows: readonly ExperimentRow[] },
): Experiment['state'] {
  if (runs.some(isLive)) return 'running';
  if (stored.stopped) return 'stopped';
  if (runs.some(({ state }) => state === 'interrupted')) return 'waiting';
  const isLast = stored.decisions.length >= plan.rungs.length - 1;
  const isCutShort = stored.decisions.some(({ kept }) => kept.length === 0);
  // between the end of a rung and its decision
  if (!isLast && !isCutShort) return 'running';
  return rows.some(({ n }) => n > 0) && !isCutShort ? 'done' : 'failed';
}
