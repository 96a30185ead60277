/** Measures a run on further tasks, besides the evaluation of its own. */
import { part } from '../../pace/index.ts';
import type { PlacedReward } from '../../rewards/stack.ts';
import { plainScores } from '../../schema/judge-output.ts';
import type { Preference } from '../../schema/preference.ts';
import type { FurtherEvaluations } from '../../schema/evaluation.ts';
import type { RunResult } from '../../schema/results.ts';
import type { FurtherEvaluation } from '../../schema/run-spec.ts';
import { openWorldById, type World } from '../../worlds/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { withFilters } from '../compute/decoding.ts';
import { judgeModel } from '../compute/score-cache.ts';
import {
  likelihoodMeasures,
  pairMeasures,
  writerPairMeasures,
  type Measures,
} from '../evaluation/dataset-measures.ts';
import { referenceEvalTask, worldEvalTask } from '../evaluation/eval-task.ts';
import { headScore } from '../evaluation/evaluation.ts';
import { evaluateAnswers } from '../evaluation/policy-answers.ts';
import { firstErrorMeasures, judgeSolutions, solutionsOf } from '../evaluation/first-error.ts';
import type { Problem } from '../kernel/columns.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { LiveRole } from './live-role.ts';
import type { Session } from './session.ts';

type Measured = Pick<Session, 'run' | 'task' | 'roles' | 'rewards' | 'clock' | 'device' | 'decoding'>;

/**
 * Reports `eval/<name>/…` for each further evaluation of the spec. Answers are not kept: those of the run's own
 * evaluation are the ones that runs are compared by. All together are one result, with the intervals. Throws
 * `invalid-input` if no problem of a world fits the context.
 */
export const evaluateFurther = async (
  session: Measured,
  findings: {
    metrics(values: { readonly [name: string]: number }): Promise<void>;
    result(found: RunResult): Promise<void>;
  },
): Promise<void> => {
  const { evaluations = [] } = session.task.spec;
  if (evaluations.length === 0) return;
  const all: FurtherEvaluations['evaluations'] = [];
  for (const [at, one] of evaluations.entries()) {
    const measured = await part(at / evaluations.length, (at + 1) / evaluations.length, () =>
      measure(session, one, `evaluations.${at}`),
    );
    const entries = Object.entries(measured);
    await findings.metrics(
      Object.fromEntries(entries.map(([metric, { value }]) => [`eval/${one.name}/${metric}`, value])),
    );
    all.push({
      name: one.name,
      measures: entries.map(([name, { value, interval = null }]) => ({ name, value, interval })),
    });
  }
  await findings.result({
    kind: 'further-evaluations',
    value: { step: session.clock.step, evaluations: all },
  });
};

/** Passes over rows or answers that a further evaluation takes, for the progress of an evaluation. */
export const workOf = ({ measure: kind = 'answers', problems, samples }: FurtherEvaluation): number =>
  kind === 'answers' ? problems * (samples + 1) : kind === 'pairs' ? 2 * problems : problems;

/** One further evaluation: its role is measured with its own settings, by its own measure. */
const measure = async (session: Measured, one: FurtherEvaluation, where: string): Promise<Measures> => {
  const role = one.role === undefined ? session.roles.main : session.roles.named(one.role);
  return one.world
    ? measureWorld(session, one, { role, world: openWorldById(one.world.id, one.world.params), where })
    : measureDataset(session, one, role, where);
};

/** Measures without intervals. */
const plain = (values: { readonly [measure: string]: number }): Measures =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));

const measureWorld = (
  session: Measured,
  one: FurtherEvaluation,
  { role, world, where }: { readonly role: LiveRole; readonly world: World; readonly where: string },
): Promise<Measures> =>
  one.measure === 'first-error'
    ? measureVerdicts(session, one, { role, world })
    : measureAnswers(session, one, role, {
        problems: readable(world, one.problems, role, where),
        scorer: { id: 'verifier', weight: 1, params: { value: 'reward' }, where },
        world,
      });

/** The rows of a dataset; `trained_on` marks the share of them whose prompts the run trains on, if any. */
const measureDataset = async (
  session: Measured,
  one: FurtherEvaluation,
  role: LiveRole,
  where: string,
): Promise<Measures> => {
  const { task } = session;
  const rows = task.data.evaluated?.[one.name];
  if (!rows) throw new WhetstoneError('internal', `The rows of '${one.name}' were not read.`);
  const [problems, examples, pairs] = [
    rows.problems.slice(0, one.problems),
    rows.examples.slice(0, one.problems),
    rows.pairs.slice(0, one.problems),
  ];
  const how = { tokenizer: role.tokenizer, seed: task.spec.seed };
  const found =
    one.measure === 'likelihood'
      ? await likelihoodMeasures(role.live, examples, how)
      : one.measure === 'pairs'
        ? await measurePairs(session, role, pairs)
        : await measureAnswers(session, one, role, { problems, scorer: scorerOf(one, where) });
  const measured = [...problems, ...examples, ...pairs];
  const known = measured.filter(({ promptId }) => rows.trained.has(promptId)).length;
  return { ...found, ...(known > 0 && plain({ trained_on: known / measured.length })) };
};

/** The scorer of a dataset's answers, which the check of the specification has filled in. */
const scorerOf = ({ name, scorer }: FurtherEvaluation, where: string): PlacedReward => {
  if (!scorer) throw new WhetstoneError('internal', `The evaluation '${name}' has no scorer.`);
  return { ...scorer, weight: 1, where: `${where}.scorer` };
};

/** Pairs by the score of a reward model, or by the likelihoods of a role that writes. */
const measurePairs = (
  { task, roles }: Measured,
  role: LiveRole,
  pairs: readonly Preference[],
): Promise<Measures> => {
  const { method, judgeOutput = plainScores, spec } = task;
  const { tokenizer } = role;
  if (method.produces === 'reward')
    return pairMeasures(pairs, headScore(judgeModel(role), tokenizer, judgeOutput), spec.seed);
  return writerPairMeasures(
    pairs,
    { model: role.live, initial: role === roles.main ? roles.initial.live : null },
    { tokenizer, seed: spec.seed },
  );
};

/** How a role writes in evaluations. */
const writingOf = ({ task, device, decoding }: Measured, role: LiveRole) => ({
  device,
  model: role.model,
  tokenizer: role.tokenizer,
  temperature: role.sampling.temperature,
  maxTokens: role.sampling.maxTokens,
  seed: task.spec.seed,
  ...withFilters(decoding, role.sampling),
});

/** Measures how well a verifier finds the first wrong line of worked answers. */
const measureVerdicts = async (
  session: Measured,
  { problems }: Pick<FurtherEvaluation, 'problems'>,
  { role, world }: { readonly role: LiveRole; readonly world: World },
): Promise<Measures> => {
  const { verdicts } = role.role;
  if (!verdicts) throw new WhetstoneError('internal', `The ${role.name} writes no verdicts.`);
  const judged = await judgeSolutions(solutionsOf(world, problems), verdicts, {
    ...writingOf(session, role),
    step: session.clock.step,
  });
  return plain(firstErrorMeasures(judged));
};

/** What answers are measured on: problems, and the scorer of the answers to them, with its world. */
interface Asked {
  readonly problems: readonly Problem[];
  readonly scorer: PlacedReward;
  readonly world?: World;
}

const measureAnswers = async (
  session: Measured,
  { samples }: Pick<FurtherEvaluation, 'samples'>,
  role: LiveRole,
  { problems, scorer, world }: Asked,
): Promise<Measures> => {
  const { run, rewards, clock } = session;
  const stack = await rewards.open([scorer], world);
  const found = await evaluateAnswers(
    {
      evalTask: world ? worldEvalTask(world, problems) : referenceEvalTask(problems, stack),
      problems: problems.length,
      samples,
      policy: role.live,
      initial: null,
      stack,
      proxy: null,
      writing: { ...writingOf(session, role), ...(world?.turns && { turns: world.turns }) },
      facts: {
        runId: run.runId,
        attempt: run.attempt,
        role: role.name,
        update: role.updates,
        step: clock.step,
      },
    },
    async () => undefined,
  );
  return {
    pass_at_1: { value: found.passAt1, interval: found.passAt1Interval },
    ...plain({
      greedy: found.greedy,
      gold: found.gold,
      mean_length: found.meanLength,
      truncated: found.truncated,
      ...Object.fromEntries(
        (found.byLevel ?? []).map(({ level, passAt1 }) => [`pass_at_1/level_${level}`, passAt1]),
      ),
    }),
  };
};

/** The first held-out problems that leave room for an answer. */
const readable = (
  world: World,
  count: number,
  { model, sampling, tokenizer }: LiveRole,
  where: string,
): Problem[] => {
  const all = Array.from({ length: count }, (_, index): Problem => world.problem('heldout', index, 0));
  const fit = all.filter(
    ({ prompt }) => encodePrompt(tokenizer, prompt).length + sampling.maxTokens <= model.config.context,
  );
  if (fit.length > 0) return fit;
  throw new WhetstoneError(
    'invalid-input',
    `None of the ${count} held-out problems of world '${world.id}' leaves room for an answer of the ` +
      `${model.config.context} tokens of context.`,
    {
      where: `${where}.world`,
      hint: 'Choose shorter problems (world.params), or a model with a longer context.',
    },
  );
};
