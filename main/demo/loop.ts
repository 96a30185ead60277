import type { PlanSpecInput } from '../../engine/schema/plan.ts';
import type {
  PolicyEvaluation,
  PreferenceEvaluation,
  RewardInspection,
} from '../../engine/schema/evaluation.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { finishedOf, resultOf, runWhole, type Finished, type Log, type PlanBench } from '../plans/whole.ts';
import { demoPlan, stageNames, stages, type Stage } from './plan.ts';

export interface Policy extends Finished {
  readonly name: string;
  readonly evaluation: PolicyEvaluation;
}
export interface RewardModel extends Finished {
  readonly inspection: RewardInspection;
}

export interface Loop {
  readonly base: Policy;
  readonly policies: readonly Policy[];
  readonly rewardModel: RewardModel;
  /**
   * Evaluation of DPO's implicit reward on held-out pairs that differ in correctness; the remedied run trains
   * on this reward.
   */
  readonly implicitReward: PreferenceEvaluation;
}

/** Unbiased pass@k, or null if the evaluation lacks it. */
export const passAt = (evaluation: PolicyEvaluation, k: number): number | null =>
  evaluation.passAtK.find((p) => p.k === k)?.value ?? null;

export interface LoopOptions {
  readonly seed: number;
  readonly log: Log;
  /** Stops the run at hand, and starts no further one. */
  readonly signal?: AbortSignal;
  /** Receives the stage at hand, and its run as it changes. */
  readonly onStage?: (stage: Stage, run: Run | null) => void;
  /** Changes the plan before it is launched, for a smaller loop. */
  readonly resize?: (plan: PlanSpecInput) => PlanSpecInput;
}

/**
 * Runs the loop from one base: sample → label → reward model → policies. One that was stopped goes on where it was;
 * what is done is not run again. Throws the error of a run that fails, and `cancelled` if it was stopped.
 */
export async function walkLoop(bench: PlanBench, options: LoopOptions): Promise<Loop> {
  const { seed, log, signal, onStage, resize = (same) => same } = options;
  const plan = await runWhole(bench, resize(demoPlan(seed)), {
    log,
    signal,
    onPlan: ({ nodes }) => {
      const next = nodes.find(({ state }) => state !== 'done');
      if (next) onStage?.(next.id as Stage, null);
    },
    onRun: (run, { id }) => onStage?.(id as Stage, run),
  });
  const policies = await Promise.all(
    stageNames
      .filter((id) => stages[id].isPolicy)
      .map(async (id): Promise<Policy> => {
        const finished = await finishedOf(bench, plan, id);
        return { ...finished, name: id, evaluation: await resultOf(bench, finished.run, 'evaluation') };
      }),
  );
  const [measured, ...others] = policies;
  // the run measures KL from random weights; here every KL starts at the base
  const base = { ...measured, evaluation: { ...measured.evaluation, kl: 0 } };
  const trained = await finishedOf(bench, plan, 'reward-model');
  const rewardModel = {
    ...trained,
    inspection: await resultOf(bench, trained.run, 'reward-inspection'),
  };
  const { run: dpo } = await finishedOf(bench, plan, 'dpo');
  const implicitReward = await resultOf(bench, dpo, 'preference-evaluation');
  return { base, policies: others, rewardModel, implicitReward };
}
