/** Measures a run on further tasks, besides the evaluation of its own. */
import { part } from '../../pace/index.ts';
import type { FurtherEvaluation } from '../../schema/run-spec.ts';
import { openWorldById, type World } from '../../worlds/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { withFilters } from '../compute/decoding.ts';
import { worldEvalTask } from '../evaluation/eval-task.ts';
import { evaluateAnswers } from '../evaluation/evaluation.ts';
import { firstErrorMeasures, judgeSolutions, solutionsOf } from '../evaluation/first-error.ts';
import type { Problem } from '../kernel/columns.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { LiveRole } from './live-role.ts';
import type { Session } from './session.ts';

type Measured = Pick<Session, 'run' | 'task' | 'roles' | 'rewards' | 'clock' | 'device' | 'decoding'>;

/**
 * Reports `eval/<name>/…` for each further evaluation of the spec. Answers are not kept: those of the run's own
 * evaluation are the ones that runs are compared by. Throws `invalid-input` if no problem of a world fits the
 * context.
 */
export const evaluateFurther = async (
  session: Measured,
  findings: { metrics(values: { readonly [name: string]: number }): Promise<void> },
): Promise<void> => {
  const evaluations = session.task.spec.evaluations ?? [];
  for (const [at, one] of evaluations.entries()) {
    const measured = await part(at / evaluations.length, (at + 1) / evaluations.length, () =>
      measure(session, one, `evaluations.${at}`),
    );
    await findings.metrics(measured);
  }
};

/** One further evaluation: its role writes with its own settings, and is judged by its own measure. */
const measure = async (
  session: Measured,
  one: FurtherEvaluation,
  where: string,
): Promise<{ readonly [metric: string]: number }> => {
  const role = one.role === undefined ? session.roles.main : session.roles.named(one.role);
  const world = openWorldById(one.world.id, one.world.params);
  const found = await (one.measure === 'first-error'
    ? measureVerdicts(session, one, { role, world })
    : measureAnswers(session, one, { role, world, where }));
  return Object.fromEntries(
    Object.entries(found).map(([metric, value]) => [`eval/${one.name}/${metric}`, value]),
  );
};

/** How a role writes in evaluations. */
const writingOf = ({ task, device, decoding }: Measured, role: LiveRole) => ({
  device,
  model: role.model,
  tokenizer: task.tokenizer,
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
): Promise<{ readonly [measure: string]: number }> => {
  const { verdicts } = role.role;
  if (!verdicts) throw new WhetstoneError('internal', `The ${role.name} writes no verdicts.`);
  const judged = await judgeSolutions(solutionsOf(world, problems), verdicts, {
    ...writingOf(session, role),
    step: session.clock.step,
  });
  return firstErrorMeasures(judged);
};

const measureAnswers = async (
  session: Measured,
  { problems: count, samples }: Pick<FurtherEvaluation, 'problems' | 'samples'>,
  { role, world, where }: { readonly role: LiveRole; readonly world: World; readonly where: string },
): Promise<{ readonly [measure: string]: number }> => {
  const { run, task, rewards, clock } = session;
  const problems = readable(world, count, task, role, where);
  const { turns } = world;
  const found = await evaluateAnswers(
    {
      evalTask: worldEvalTask(world, problems),
      problems: problems.length,
      samples,
      policy: role.live,
      initial: null,
      stack: await rewards.open([{ id: 'verifier', weight: 1, params: { value: 'reward' }, where }], world),
      proxy: null,
      writing: { ...writingOf(session, role), ...(turns && { turns }) },
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
    pass_at_1: found.passAt1,
    greedy: found.greedy,
    gold: found.gold,
    mean_length: found.meanLength,
    truncated: found.truncated,
    ...Object.fromEntries(
      (found.byLevel ?? []).map(({ level, passAt1 }) => [`pass_at_1/level_${level}`, passAt1]),
    ),
  };
};

/** The first held-out problems that leave room for an answer. */
const readable = (
  world: World,
  count: number,
  { tokenizer }: Pick<Session['task'], 'tokenizer'>,
  { model }: LiveRole,
  where: string,
): Problem[] => {
  const all = Array.from({ length: count }, (_, index): Problem => world.problem('heldout', index, 0));
  const fit = all.filter(({ prompt }) => encodePrompt(tokenizer, prompt).length < model.config.context);
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
