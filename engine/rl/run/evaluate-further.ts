/** Measures a run on further tasks, besides the evaluation of its own. */
import { part } from '../../pace/index.ts';
import type { FurtherEvaluation } from '../../schema/run-spec.ts';
import { openWorldById, type World } from '../../worlds/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { withFilters } from '../compute/decoding.ts';
import { worldEvalTask } from '../evaluation/eval-task.ts';
import { evaluateAnswers } from '../evaluation/evaluation.ts';
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

const measure = async (
  { run, task, roles, rewards, clock, device, decoding }: Measured,
  { name, world: { id, params }, role: roleName, problems: count, samples }: FurtherEvaluation,
  where: string,
): Promise<{ readonly [metric: string]: number }> => {
  const { spec, tokenizer } = task;
  const role = roleName === undefined ? roles.main : roles.named(roleName);
  const world = openWorldById(id, params);
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
      writing: {
        device,
        model: role.model,
        tokenizer,
        temperature: role.sampling.temperature,
        maxTokens: role.sampling.maxTokens,
        seed: spec.seed,
        ...(turns && { turns }),
        ...withFilters(decoding, role.sampling),
      },
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
    [`eval/${name}/pass_at_1`]: found.passAt1,
    [`eval/${name}/greedy`]: found.greedy,
    [`eval/${name}/gold`]: found.gold,
    [`eval/${name}/mean_length`]: found.meanLength,
    [`eval/${name}/truncated`]: found.truncated,
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
