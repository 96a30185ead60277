import {
  EpisodeEvaluation,
  type Interval,
  PolicyEvaluation,
  PreferenceEvaluation,
  RewardInspection,
} from '../../engine/schema/evaluation.ts';
import type { RunOutcome, RunWarning } from '../../engine/schema/run-outcome.ts';
import { isVerifier } from '../../engine/common/verifiers.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import { warningsOf, type Evidence } from '../../preload/wire/run-warnings.ts';
import type { Db } from './database.ts';
import { canonicalJson, fromJson } from './json.ts';
import { metricEnds } from './metric-points.ts';

/** Number of first and last training steps that the training reward is averaged over. */
const endSteps = 5;

interface StoredEvaluation {
  readonly attempt: number;
  readonly evaluation: PolicyEvaluation;
}

/** The evaluation of the checkpoint that a run began from. */
export interface Start extends StoredEvaluation {
  readonly runId: string;
  readonly runName: string;
}

/** What a run's row tells about it here. */
export interface OutcomeSource {
  readonly id: string;
  readonly spec: RunSpec | null;
  readonly notFinite: string | null;
  /** The run doctor has examined the run: its findings say what these warnings would, and more. */
  readonly isExamined: boolean;
}

/** Headlines and warnings of runs, from their stored results; each asks for a few rows by an index. */
export const runOutcomes = (db: Db) => {
  const byArrival = (order: 'asc' | 'desc') =>
    db.prepare<[string, string], { value: string; attempt: number; step: number }>(
      `select value, attempt, step from results where run_id = ? and kind = ?
        order by attempt ${order}, sequence ${order} limit 1`,
    );
  const [oldest, newest] = [byArrival('asc'), byArrival('desc')];
  const before = db.prepare<
    [string],
    { value: string; attempt: number; id: string; name: string; spec: string }
  >(`
    select p.value, p.attempt, r.id, r.name, r.spec from checkpoints c
      join results p on p.run_id = c.run_id and p.kind = 'evaluation' and p.step = c.step
      join runs r on r.id = c.run_id
      where c.id = ? order by p.attempt desc, p.sequence desc limit 1`);
  const reward = metricEnds(db, 'reward/mean', endSteps);

  const evaluationOf = (query: typeof newest, id: string): StoredEvaluation | null => {
    const row = query.get(id, 'evaluation');
    const evaluation = row && read(PolicyEvaluation, row.value);
    return row && evaluation ? { attempt: row.attempt, evaluation } : null;
  };

  /** The evaluation at the checkpoint that a run began from, if it was on the same problems. */
  const startOf = (spec: RunSpec | null, last: PolicyEvaluation): Start | null => {
    const policy = spec?.models.policy;
    const row = policy?.kind === 'checkpoint' ? before.get(policy.checkpointId) : undefined;
    const evaluation = row && read(PolicyEvaluation, row.value);
    const from = row && read(RunSpec, row.spec);
    if (!spec || !evaluation || !from || evaluation.problems !== last.problems) return null;
    if (canonicalJson(problemsOf(spec)) !== canonicalJson(problemsOf(from))) return null;
    return { runId: row.id, runName: row.name, attempt: row.attempt, evaluation };
  };

  const evidenceOf = (
    { id, spec, notFinite }: Omit<OutcomeSource, 'isExamined'>,
    last: PolicyEvaluation | null,
  ): Evidence => ({
    start: last && (startOf(spec, last)?.evaluation ?? null),
    first: last && (evaluationOf(oldest, id)?.evaluation ?? null),
    last,
    trainsOnProxy: spec?.rewards.some((each) => each.weight !== 0 && !isVerifier(each.id)) ?? false,
    trainingReward: () => reward(id),
    notFinite: notFinite === null ? null : (JSON.parse(notFinite) as { metric: string; step: number }),
  });

  return {
    outcome({ id, spec, notFinite, isExamined }: OutcomeSource): {
      readonly outcome: RunOutcome | null;
      readonly warnings: RunWarning[];
    } {
      const last = evaluationOf(newest, id)?.evaluation ?? null;
      const warnings = isExamined ? [] : warningsOf(evidenceOf({ id, spec, notFinite }, last));
      const found = (kind: string) => newest.get(id, kind);
      return { outcome: last ? ofEvaluation(last) : (accuracyOf(found) ?? returnOf(found)), warnings };
    },

    /** The newest evaluation, and that of the checkpoint that the run began from. */
    compared(id: string, spec: RunSpec | null): { last: StoredEvaluation; start: Start } | null {
      const last = evaluationOf(newest, id);
      const start = last && startOf(spec, last.evaluation);
      return start ? { last, start } : null;
    },
  };
};

const ofEvaluation = ({ passAt1, passAt1Interval, kl, step }: PolicyEvaluation): RunOutcome => ({
  measure: 'pass@1',
  value: passAt1,
  interval: passAt1Interval,
  kl,
  step,
});

const accuracies = [
  ['reward-inspection', RewardInspection],
  ['preference-evaluation', PreferenceEvaluation],
] as const;

/** The newest row of a kind of result. */
type Newest = (kind: string) => { readonly value: string; readonly step: number } | undefined;

/** The mean return of a policy in a control world. */
function returnOf(newest: Newest): RunOutcome | null {
  const row = newest('episodes');
  const found = row && read(EpisodeEvaluation, row.value);
  return found
    ? { measure: 'return', value: found.return, interval: found.returnInterval, kl: null, step: found.step }
    : null;
}

/** The accuracy of a reward model, or of a policy's implicit reward. */
function accuracyOf(newest: Newest): RunOutcome | null {
  for (const [kind, schema] of accuracies) {
    const row = newest(kind);
    const found = row && read<{ accuracy: number; accuracyInterval: Interval }>(schema, row.value);
    if (found)
      return {
        measure: 'accuracy',
        value: found.accuracy,
        interval: found.accuracyInterval,
        kl: null,
        step: row.step,
      };
  }
  return null;
}

/** What held-out problems a run is evaluated on. */
const problemsOf = ({ task, evaluation }: RunSpec): unknown => {
  if (evaluation.world) return evaluation.world;
  return task.kind === 'world' ? { id: task.id, params: task.params } : task;
};

/** A stored value, or null where it cannot be read: a list shows the run without it. */
const read = <T>(
  schema: { safeParse(value: unknown): { success: boolean; data?: T } },
  text: string,
): T | null => {
  try {
    return schema.safeParse(fromJson<unknown>(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};
