import type { RewardSpec, RunSpecInput } from '../../engine/schema/run-spec.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { usual } from '../../engine/common/suggested.ts';
import type {
  PolicyEvaluation,
  PreferenceEvaluation,
  RewardInspection,
} from '../../engine/schema/evaluation.ts';
import { readResult, type ResultKind, type ResultValue } from '../../engine/schema/results.ts';
import type { Checkpoint, Run } from '../../preload/contract/runs.ts';
import type { Workbench } from '../services/workbench.ts';
import { scriptedVerdict } from './labeler.ts';
import * as plan from './plan.ts';

/** A finished run with its results. */
export interface Finished {
  readonly run: Run;
  readonly checkpoint: Checkpoint | undefined;
}
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
  readonly labels: { readonly setId: string; readonly pairs: number };
}

/** Unbiased pass@k, or null if the evaluation lacks it. */
export const passAt = (evaluation: PolicyEvaluation, k: number): number | null =>
  evaluation.passAtK.find((p) => p.k === k)?.value ?? null;

export type Log = (text: string) => void;

export interface LoopOptions {
  readonly seed: number;
  readonly log: Log;
  /** Stops the run at hand, and starts no further one. */
  readonly signal?: AbortSignal;
  /** Receives the stage at hand, and its run as it changes. */
  readonly onStage?: (stage: plan.Stage, run: Run | null) => void;
  /** Changes every specification before it is launched, for a smaller loop. */
  readonly resize?: (spec: RunSpecInput) => RunSpecInput;
}

interface Following {
  readonly signal?: AbortSignal;
  readonly onChange?: (run: Run) => void;
}

/**
 * Runs one spec to its end; `signal` stops it after its step. Throws the run's own error if it does not
 * finish, and `cancelled` if it was stopped.
 */
export async function runToEnd(
  { api, waitForRun }: Workbench,
  spec: RunSpecInput,
  log: Log,
  { signal, onChange }: Following = {},
): Promise<Finished> {
  refuseAborted(signal);
  const { runId } = await api.runs.launch({ spec });
  const stop = (): void => {
    // a run that has just ended cannot be stopped any more, and need not be
    void Promise.resolve(api.runs.stop({ id: runId })).catch((error: unknown) =>
      log(WhetstoneError.from(error).message),
    );
  };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  let last = '';
  const run = await waitForRun(runId, (now) => {
    onChange?.(now);
    const left = now.secondsLeft === null ? '' : `, ${Math.ceil(now.secondsLeft)} s left`;
    const line =
      `${spec.name}: ` +
      `${now.phase || now.state}${now.totalSteps ? `, step ${now.step} of ${now.totalSteps}` : ''}${left}`;
    if (line !== last) log(line);
    last = line;
  }).finally(() => signal?.removeEventListener('abort', stop));
  if (run.state !== 'done') {
    throw new WhetstoneError(
      run.error?.kind ?? (run.state === 'stopped' ? 'cancelled' : 'internal'),
      run.error?.message ?? `the run ended as ${run.state}`,
      { where: `run '${spec.name}'`, hint: run.error?.hint },
    );
  }
  const checkpoints = await api.runs.checkpoints({ runId });
  return { run, checkpoint: checkpoints.find((c) => c.final) };
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new WhetstoneError('cancelled', 'It was stopped before its end.');
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

/** Runs the loop from one base: sample → label → reward model → policies. */
export async function walkLoop(bench: Workbench, options: LoopOptions): Promise<Loop> {
  const { seed } = options;
  const launch = (spec: plan.StageSpec): Promise<Finished> => runStage(bench, spec, options);
  const policy = async (spec: plan.StageSpec): Promise<Policy> => {
    const finished = await launch(spec);
    return {
      ...finished,
      name: spec.name,
      evaluation: await resultOf(bench, finished.run, 'evaluation'),
    };
  };
  const measured = await policy(plan.base(seed));
  // the run measures KL from random weights; here every KL starts at the base
  const base = { ...measured, evaluation: { ...measured.evaluation, kl: 0 } };
  const from = checkpointId(base);
  const written = await launch(plan.samples(from, seed));
  const labels = await label(bench, written.run.id, options);

  const trained = await launch(plan.rewardModel(from, labels.setId, labels.pairs, seed));
  const rewardModel = {
    ...trained,
    inspection: await resultOf(bench, trained.run, 'reward-inspection'),
  };

  const proxy: RewardSpec = {
    id: 'reward-model',
    weight: 1,
    params: { checkpointId: checkpointId(rewardModel) },
  };
  const gold: RewardSpec = { id: 'verifier', weight: 0, params: {} };
  const evaluationRewards = [{ ...proxy, weight: 0 }];
  const control = await policy(plan.sftContinued(from, seed, { evaluationRewards }));
  const dpo = await policy(plan.dpo(from, labels.setId, labels.differing, seed, { evaluationRewards }));
  const verified = await policy(
    plan.grpo('grpo-verifier', from, [{ ...gold, weight: 1 }], seed, { evaluationRewards }),
  );
  const hacked = await policy(
    plan.grpo('grpo-reward-model', from, [proxy, gold], seed, { evaluationRewards }),
  );
  const implicit: RewardSpec = {
    id: 'implicit-reward',
    weight: 1,
    params: { checkpointId: checkpointId(dpo), reference: { checkpointId: from }, beta: plan.sizes.dpo.beta },
  };
  const remedied = await policy(
    plan.grpo('grpo-remedied', from, [implicit, gold], seed, { evaluationRewards, ...plan.sizes.remedied }),
  );
  const implicitReward = await resultOf(bench, dpo.run, 'preference-evaluation');
  return { base, policies: [control, dpo, verified, hacked, remedied], rewardModel, implicitReward, labels };
}

/** Runs the stage of this name. */
const runStage = (
  bench: Workbench,
  spec: plan.StageSpec,
  { log, signal, onStage, resize = (same) => same }: LoopOptions,
): Promise<Finished> => {
  onStage?.(spec.name, null);
  return runToEnd(bench, resize(spec), log, { signal, onChange: (run) => onStage?.(spec.name, run) });
};

export const checkpointId = ({ run, checkpoint }: Finished): string => {
  if (!checkpoint)
    throw new WhetstoneError('internal', 'the run left no final checkpoint', { where: `run '${run.name}'` });
  return checkpoint.id;
};

/** Makes pairs of the answers and labels them with the scripted labeler, through the label service. */
async function label(
  { api }: Workbench,
  runId: string,
  { seed, log, signal, onStage }: LoopOptions,
): Promise<{ setId: string; pairs: number; differing: number }> {
  const name: plan.Stage = 'scripted labels';
  onStage?.(name, null);
  const set = await api.labels.createSet({
    name,
    from: { kind: 'run', runId },
    pairsPerPrompt: plan.sizes.pairs.perPrompt,
    onlyDiffering: false,
    seed,
  });
  let differing = 0;
  for (let offset = 0; offset < set.pairs;) {
    refuseAborted(signal);
    const { pairs } = await api.labels.pairs({ setId: set.id, offset, limit: 5000 });
    differing += pairs.filter((p) => p.correctA !== p.correctB).length;
    const decisions = pairs.map((p) => ({
      pairId: p.pairId,
      verdict: scriptedVerdict(p, { noise: plan.sizes.labelNoise, seed }),
    }));
    await api.labels.decideMany({ labeler: 'scripted', decisions });
    offset += pairs.length; // a page has fewer pairs if texts are long
    log(`labels: ${offset} of ${set.pairs}`);
  }
  return {
    setId: set.id,
    pairs: Math.floor(set.pairs * (1 - usual.heldout)),
    differing: Math.floor(differing * (1 - usual.heldout)),
  };
}
