/** Which evaluations a run gets: whatever its model and its task allow, whatever its method. */
import { part } from '../../pace/index.ts';
import type { RunResult } from '../../schema/results.ts';
import type { RewardSpec } from '../../schema/run-spec.ts';
import type { Trajectory } from '../../schema/trajectory.ts';
import { askedOnce } from '../compute/asked-once.ts';
import { rewards } from '../../rewards/index.ts';
import type { PlacedReward, Stack } from '../../rewards/stack.ts';
import { referenceEvalTask, worldEvalTask, type EvalTask } from '../evaluation/eval-task.ts';
import { plainScores } from '../../schema/judge-output.ts';
import { isProbability } from '../evaluation/judge-output.ts';
import {
  evaluateAnswers,
  evaluateJudge,
  evaluatePreferences,
  headScore,
  heldoutLoss,
  implicitReward,
  inspectReward,
} from '../evaluation/evaluation.ts';
import { comparesWithReferences } from '../tasks/references.ts';
import { besideOf, openRewards } from './open-rewards.ts';
import type { Session } from './session.ts';

/** Where the findings go. */
export interface Findings {
  result(found: RunResult): Promise<void>;
  metrics(values: { readonly [name: string]: number }): Promise<void>;
  keep(rows: readonly Trajectory[]): Promise<void>;
}

/**
 * Evaluates the run's model as it is now. A run that only makes rows is not evaluated. Throws `cancelled`
 * where it is asked to stop.
 */
export const evaluateRun = async (session: Session, findings: Findings): Promise<void> => {
  const { method, main, data, tokenizer, spec } = session;
  if (method.produces === 'rows') return;
  const { pairs, examples, graded } = data.heldout;
  if (method.produces === 'reward') {
    const judgeOutput = method.judgeOutput(spec.method.params) ?? plainScores;
    // the answers of held-out pairs are judged one by one, and as pairs
    const judge = askedOnce(main.live);
    const { metrics, lengthFit } = await part(0, 0.9, () =>
      evaluateJudge(graded, judge, tokenizer, judgeOutput),
    );
    await findings.metrics(metrics);
    if (lengthFit) session.lengthFit = lengthFit;
    // what learns from answers may have no pairs to be inspected on
    if (pairs.length === 0 && method.task !== 'preferences') return;
    const inspection = await part(0.9, 1, () =>
      inspectReward(pairs, headScore(judge, tokenizer, judgeOutput), {
        seed: spec.seed,
        probable: isProbability(judgeOutput),
      }),
    );
    await findings.result({ kind: 'reward-inspection', value: inspection });
    // without a decided pair there is nothing to tell but that
    if (inspection.pairs === 0) return;
    session.lengthFit = inspection.lengthFit;
    await findings.metrics({
      'eval/accuracy': inspection.accuracy,
      'eval/ece': inspection.ece,
      'eval/length_correlation': inspection.lengthCorrelation,
    });
    return;
  }
  // the model reads each of these rows once, pairs under two models; the answers are written behind them
  const rowsRead =
    method.task === 'preferences' ? 4 * pairs.length : method.task === 'demonstrations' ? examples.length : 0;
  const written = isExamined(session) ? spec.evaluation.problems * (spec.evaluation.samples + 1) : 0;
  const read = rowsRead / Math.max(1, rowsRead + written);
  if (method.task === 'demonstrations' && examples.length > 0) {
    const loss = await part(0, read, () => heldoutLoss(main.live, examples, tokenizer));
    await findings.metrics({ 'eval/loss': loss });
  }
  if (method.task === 'preferences') {
    const score = implicitReward(main.live, session.initial, tokenizer);
    const found = await part(0, read, () => evaluatePreferences(pairs, score, spec.seed));
    await findings.result({ kind: 'preference-evaluation', value: found });
    if (found.pairs > 0)
      await findings.metrics({
        'eval/rewards/accuracies': found.accuracy,
        'eval/rewards/margins': found.rewardMargin,
      });
  }
  if (written > 0) await part(read, 1, () => examine(session, findings));
};

const scorersOf = (spec: Session['spec']): PlacedReward[] => [
  ...spec.rewards.map((reward, at) => ({ ...reward, where: `rewards.${at}` })),
  ...besideOf(spec),
];

/** Whether there are problems to ask, and something that can tell a right answer. */
const isExamined = ({ spec, data }: Session): boolean => {
  if (spec.evaluation.problems === 0) return false;
  if (data.evaluationWorld) return true;
  return data.heldout.problems.length > 0 && scorersOf(spec).some(comparesWithReferences);
};

/**
 * What a policy is examined on, and the scorers of its answers; undefined where nothing can tell a right
 * answer. The verdict's own scorer comes first.
 */
const examOf = async ({
  run,
  spec,
  data,
  device,
  scoring,
}: Session): Promise<{ exam: EvalTask; gold: (id: string) => boolean; stack: Stack } | undefined> => {
  const specs = scorersOf(spec);
  const world = data.evaluationWorld;
  const open = (rewards: readonly PlacedReward[]) => openRewards(run, rewards, world, device, scoring);
  if (world)
    return {
      exam: worldEvalTask(world, data.heldout.problems),
      gold: asksWorld,
      stack: await open([...specs, { id: 'verifier', weight: 0, params: { value: 'reward' } }]),
    };
  const verifier = specs.find(comparesWithReferences);
  if (!verifier || data.heldout.problems.length === 0) return undefined;
  const stack = await open([verifier, ...specs.filter((each) => each !== verifier)]);
  return {
    exam: referenceEvalTask(data.heldout.problems, await open([{ ...verifier, weight: 1 }])),
    gold: (id) => id === verifier.id,
    stack,
  };
};

/** Answers to held-out problems, scored by everything that the run names and by what knows the right ones. */
const examine = async (session: Session, findings: Findings): Promise<void> => {
  const { run, spec, main, initial, device, tokenizer, counters, data } = session;
  const turns = data.evaluationWorld?.turns;
  const found = await examOf(session);
  if (!found) return;
  const { exam: evalTask, gold, stack: fresh } = found;
  const { samples } = spec.evaluation;
  const problems = evalTask.problems(spec.evaluation.problems).length;
  const learned = session.stack.state();
  // scorers that learn from batches say what the run climbs now; evaluating teaches them nothing, whatever
  // the portion
  const stack: Stack = {
    ...fresh,
    score: (rows) => {
      fresh.restore(learned);
      return fresh.score(rows);
    },
  };
  const measures = await evaluateAnswers(
    {
      exam: evalTask,
      problems,
      samples,
      policy: main.live,
      initial: spec.models.policy.kind === 'new' ? null : initial,
      stack,
      proxy: proxyOf(spec.rewards, spec.evaluation.rewards, gold),
      writing: {
        device,
        model: main.model,
        tokenizer,
        temperature: spec.sampling.temperature,
        maxTokens: spec.sampling.maxTokens,
        seed: spec.seed,
        ...(turns && { turns }),
      },
      facts: {
        runId: run.runId,
        attempt: run.attempt,
        role: main.name,
        update: main.updates,
        step: counters.step,
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

const asksWorld = (id: string): boolean =>
  rewards.find((reward) => reward.id === id)?.needs.includes('world') ?? false;
const asksModel = (id: string): boolean =>
  rewards
    .find((reward) => reward.id === id)
    ?.needs.some((need) => need === 'checkpoint' || need === 'policy') ?? false;

/**
 * What stands for the reward that knows nothing of right and wrong: the run's own total where anything but
 * `gold` counts in it, else a model recorded beside.
 */
const proxyOf = (
  own: readonly RewardSpec[],
  beside: readonly RewardSpec[],
  gold: (id: string) => boolean,
): string | null => {
  if (own.some(({ id, weight }) => weight !== 0 && !gold(id))) return 'total';
  return beside.find(({ id }) => asksModel(id))?.id ?? null;
};
