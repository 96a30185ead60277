import type { EpisodeEvaluation } from '../../../engine/schema/evaluation.ts';
import type { Run } from '../../../preload/contract/runs.ts';
import { newestPerStep } from '../../lib/attempts.ts';

type Stored = {
  readonly kind: string;
  readonly step: number;
  readonly attempt: number;
  readonly value: unknown;
};

/** A chart of behaviour at the newest evaluation of a run. */
export interface BehaviourRow {
  readonly name: string;
  /** Share of the episodes that complete its order, with a 95 % interval. */
  readonly complete: number;
  readonly completeInterval: readonly [number, number];
  /** Share of the order that an episode reaches, mean over episodes. */
  readonly progress: number;
  /** Its reward in words; with weight 0 it is only measured. */
  readonly reward: string;
}

const rewardText = ({ spec }: Pick<Run, 'spec'>, name: string): string => {
  const charts = spec?.task.kind === 'control' ? (spec.task.charts ?? []) : [];
  const found = charts.find(({ chart }) => chart.name === name);
  if (!found || found.weight === 0) return 'only measured';
  return `${found.weight} × ${found.pays === 'progress' ? 'progress' : 'states'}`;
};

/** The charts of a run's newest evaluation, with its step and episodes; null if there is none. */
export function behavioursOf(
  run: Pick<Run, 'spec'>,
  results: readonly Stored[],
): { readonly step: number; readonly episodes: number; readonly rows: readonly BehaviourRow[] } | null {
  const newest = newestPerStep(results.filter(({ kind }) => kind === 'episodes')).at(-1);
  const { step, episodes, charts = [] } = (newest?.value ?? {}) as Partial<EpisodeEvaluation>;
  if (charts.length === 0 || step === undefined || episodes === undefined) return null;
  return { step, episodes, rows: charts.map((chart) => ({ ...chart, reward: rewardText(run, chart.name) })) };
}
