/** Runs every evaluation that a run's model and task allow, for any method. */
import type { ControlWorld } from '../../control/index.ts';
import { part } from '../../pace/index.ts';
import { hash32 } from '../../random/random.ts';
import type { InspectedPair } from '../../schema/inspected-pair.ts';
import type { RunResult } from '../../schema/results.ts';
import type { Trajectory } from '../../schema/trajectory.ts';
import { withScoreCache } from '../compute/score-cache.ts';
import { plainScores } from '../../schema/judge-output.ts';
import { isProbability } from '../evaluation/judge-output.ts';
import {
  evaluateJudge,
  evaluatePreferences,
  headScore,
  heldoutLoss,
  implicitReward,
  inspectReward,
} from '../evaluation/evaluation.ts';
import { playEpisodes } from '../evaluation/episodes.ts';
import { evaluateAnswers } from '../evaluation/policy-answers.ts';
import { trainedOf } from '../../models/model.ts';
import { replayContents } from '../kernel/replay-contents.ts';
import { unchangedShare } from '../kernel/probes/changed-parameters.ts';
import { visitsIn } from '../tasks/control-play.ts';
import { taskKindOf } from '../tasks/kinds/index.ts';
import { canEvaluate, openEvalScorers } from './eval-scorers.ts';
import { rethrowWithParameter } from './not-finite.ts';
import { evaluateFurther, workOf } from './evaluate-further.ts';
import type { Roles } from './roles.ts';
import { searchResult } from './search.ts';
import type { Session } from './session.ts';
import type { Task } from './task.ts';

/** Receives the evaluation's outputs. */
export interface Findings {
  result(found: RunResult): Promise<void>;
  metrics(values: { readonly [name: string]: number }): Promise<void>;
  keep(rows: readonly Trajectory[]): Promise<void>;
  /** The pairs of an inspection, of which there are `total`, before its result. */
  pairs(rows: Iterable<InspectedPair>, total: number): Promise<void>;
}

/**
 * Evaluates the run's current model; does nothing for a run that only makes rows. Throws `cancelled` if the
 * run is stopped, and `numeric` with the non-finite parameter.
 */
export const evaluateRun = async (session: Session, findings: Findings): Promise<void> => {
  const { task, roles, device, clock } = session;
  if (!task.isEvaluated) return;
  const evaluated = task.data.control
    ? measureEpisodes(session, task.data.control, findings)
    : task.search
      ? measureSearch(session, findings)
      : task.method.produces === 'reward'
        ? evaluateJudgeRun(session, findings)
        : evaluatePolicy(session, findings);
  await evaluated.catch((error: unknown) =>
    rethrowWithParameter(roles.main, error, { device, step: clock.step }),
  );
  await reportUnchanged(session, findings);
  await reportReplay(session, findings);
};

/**
 * Update sparsity: parameters of the main model that are as they were when the run began. Not measured in a
 * run that evaluates no problems.
 */
const reportUnchanged = async (
  { task, roles: { main, initial }, device }: Session,
  findings: Findings,
): Promise<void> => {
  if (main.updates === 0 || task.spec.evaluation.problems === 0) return;
  await device.read(main.trained.flat);
  const unchanged = unchangedShare(trainedOf(initial.model).flat, main.trained.flat);
  if (unchanged)
    await findings.metrics({
      'eval/parameters/unchanged': unchanged.float32,
      'eval/parameters/unchanged_bf16': unchanged.bfloat16,
    });
};

/** Contents of the buffers of weighed rows, as the next batch of their role draws from them. */
const reportReplay = async ({ task, roles, clock }: Session, findings: Findings): Promise<void> => {
  for (const [buffer, { of, ring, replay }] of Object.entries(task.recipe.buffers)) {
    if (!ring && !replay) continue;
    const held = replayContents(roles.buffers.table(buffer), roles.named(of).draws);
    if (held) await findings.result({ kind: 'replay', value: { step: clock.step, buffer, ...held } });
  }
};

/**
 * Episodes of the policy in the run's control world, from start states that are the same at each evaluation.
 */
const measureEpisodes = async (
  { task: { spec, method, evalProblems, data }, roles: { main }, clock }: Session,
  world: ControlWorld,
  findings: Findings,
): Promise<void> => {
  if (evalProblems === 0) return;
  const found = await playEpisodes(main.live, {
    world,
    charts: data.charts ?? [],
    episodes: evalProblems,
    temperature: main.temperature,
    greedy: method.outputs === 'values',
    seed: hash32(`${spec.seed} episodes of evaluation`),
    visits: visitsIn(main.memory),
  });
  await findings.metrics({
    'eval/return': found.return,
    'eval/return/deviation': found.deviation,
    'eval/length': found.length,
    ...Object.fromEntries(
      (found.charts ?? []).flatMap(({ name, complete, progress }) => [
        [`eval/chart/${name}/complete`, complete],
        [`eval/chart/${name}/progress`, progress],
      ]),
    ),
  });
  await findings.result({
    kind: 'episodes',
    value: {
      step: clock.step,
      episodes: evalProblems,
      return: found.return,
      returnInterval: found.interval,
      deviation: found.deviation,
      length: found.length,
      ...(found.charts && { charts: found.charts }),
      ...(found.trajectories && { trajectories: found.trajectories }),
      ...(found.coverage && { coverage: found.coverage }),
      ...(found.latents && { latents: found.latents }),
    },
  });
};

/** The curve of a search over the answers that it has tried so far. */
const measureSearch = async (session: Session, findings: Findings): Promise<void> => {
  const value = await searchResult(session);
  if (value) await findings.result({ kind: 'search', value });
};

/** Work of the further evaluations, in passes over a row. */
const furtherWork = ({ spec: { evaluations = [] } }: Pick<Task, 'spec'>): number =>
  evaluations.reduce((sum, one) => sum + workOf(one), 0);

/** Evaluates a judge on its task's held-out rows, then on further ones. */
const evaluateJudgeRun = async (session: Session, findings: Findings): Promise<void> => {
  const { task, roles } = session;
  const { pairs, graded } = task.data.heldout;
  const further = furtherWork(task);
  const own = Math.max(1, 2 * pairs.length + graded.length);
  const share = own / (own + further);
  await part(0, share, () => inspectJudge(task, roles, findings));
  if (further > 0) await part(share, 1, () => evaluateFurther(session, findings));
};

/** Evaluates a judge on held-out answers and pairs, and stores the slope of its scores over length. */
const inspectJudge = async (task: Task, roles: Roles, findings: Findings): Promise<void> => {
  const { judgeOutput = plainScores, tokenizer, method, spec } = task;
  const { pairs, graded } = task.data.heldout;
  // the answers of held-out pairs are scored both individually and as pairs
  const judge = withScoreCache(roles.main);
  const { metrics, lengthFit } = await part(0, 0.9, () =>
    evaluateJudge(graded, judge, tokenizer, judgeOutput),
  );
  await findings.metrics(metrics);
  if (lengthFit) roles.lengthFit = lengthFit;
  // a method trained on answers may have no held-out pairs
  if (pairs.length === 0 && taskKindOf(method).trainsOn !== 'pairs') return;
  const { inspection, pairs: inspected } = await part(0.9, 1, () =>
    inspectReward(pairs, headScore(judge, tokenizer, judgeOutput), {
      seed: spec.seed,
      probable: isProbability(judgeOutput),
    }),
  );
  await findings.pairs(inspected, pairs.length);
  await findings.result({ kind: 'reward-inspection', value: inspection });
  // without a decided pair there are no metrics
  if (inspection.pairs === 0) return;
  roles.lengthFit = inspection.lengthFit;
  await findings.metrics({
    'eval/accuracy': inspection.accuracy,
    'eval/ece': inspection.ece,
    'eval/length_correlation': inspection.lengthCorrelation,
  });
};

/** Evaluates the policy on its task's held-out rows, then on answers to held-out problems. */
const evaluatePolicy = async (session: Session, findings: Findings): Promise<void> => {
  const { task, roles, rewards } = session;
  const { method, tokenizer, spec, evalProblems } = task;
  const { trainsOn } = taskKindOf(method);
  const { pairs, examples } = task.data.heldout;
  const { main, initial } = roles;
  // the model reads each row once, pairs under two models; then it writes the answers
  const rowsRead = trainsOn === 'pairs' ? 4 * pairs.length : trainsOn === 'examples' ? examples.length : 0;
  const written = canEvaluate(task, rewards) ? evalProblems * (spec.evaluation.samples + 1) : 0;
  const read = rowsRead / Math.max(1, rowsRead + written);
  if (trainsOn === 'examples' && examples.length > 0) {
    const loss = await part(0, read, () => heldoutLoss(main.live, examples, tokenizer));
    await findings.metrics({ 'eval/loss': loss });
  }
  if (trainsOn === 'pairs') {
    const score = implicitReward(main.live, initial.live, tokenizer);
    const found = await part(0, read, () => evaluatePreferences(pairs, score, spec.seed));
    await findings.result({ kind: 'preference-evaluation', value: found });
    if (found.pairs > 0)
      await findings.metrics({
        'eval/rewards/accuracies': found.accuracy,
        'eval/rewards/margins': found.rewardMargin,
      });
  }
  const further = furtherWork(task);
  const own = read + ((1 - read) * written) / Math.max(1, written + further);
  if (written > 0) await part(read, own, () => examine(session, findings));
  if (further > 0) await part(own, 1, () => evaluateFurther(session, findings));
};

/** Scores answers to held-out problems with all scorers of the run and one that checks correctness. */
const examine = async (session: Session, findings: Findings): Promise<void> => {
  const { run, task, roles, rewards, clock, device, decoding } = session;
  const { spec, tokenizer, data } = task;
  const { main, initial } = roles;
  const turns = data.evaluationWorld?.turns;
  const found = await openEvalScorers(task, rewards);
  if (!found) return;
  const { evalTask, stack, proxy } = found;
  const measures = await evaluateAnswers(
    {
      evalTask,
      problems: evalTask.problems(spec.evaluation.problems).length,
      samples: spec.evaluation.samples,
      policy: main.live,
      initial: spec.models.policy.kind === 'new' ? null : initial.live,
      stack,
      proxy,
      writing: {
        device,
        model: main.model,
        tokenizer,
        temperature: spec.sampling.temperature,
        maxTokens: spec.sampling.maxTokens,
        seed: spec.seed,
        ...(turns && { turns }),
        ...decoding,
      },
      facts: {
        runId: run.runId,
        attempt: run.attempt,
        role: main.name,
        update: main.updates,
        step: clock.step,
      },
    },
    (rows) => findings.keep(rows),
  );
  await findings.result({ kind: 'evaluation', value: measures });
  await findings.metrics({
    'eval/pass_at_1': measures.passAt1,
    'eval/greedy': measures.greedy,
    ...(measures.kl !== null && { 'eval/kl': measures.kl }),
    'eval/gold': measures.gold,
    'eval/completions/mean_length': measures.meanLength,
    'eval/completions/truncated': measures.truncated,
    ...(measures.proxy !== null && { 'eval/proxy': measures.proxy }),
    ...Object.fromEntries(
      (measures.byLevel ?? []).map(({ level, passAt1 }) => [`eval/pass_at_1/level_${level}`, passAt1]),
    ),
  });
};
