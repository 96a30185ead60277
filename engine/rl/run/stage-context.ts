/** What the stages of a role may use: its sampler, its text, its random numbers, the models that it may ask. */
import { stream } from '../../random/random.ts';
import { encodePrompt } from '../../text/spans.ts';
import { writeAnswers } from '../compute/answers.ts';
import type { ModelPort } from '../kernel/columns.ts';
import type { TurnView } from '../kernel/control.ts';
import type { Model } from '../../models/model.ts';
import type { LiveRole } from './live-role.ts';
import type { Session } from './session.ts';
import type { StageContext } from '../kernel/stage.ts';

/** What of a run the stages of its roles may see. */
export type StageScope = Pick<Session, 'task' | 'roles' | 'clock' | 'device' | 'control'>;

/** Where the run stands, as controllers and schedules see it; `ahead`: once so many more steps are taken. */
export const turnView = (
  { clock, task: { spec } }: Pick<Session, 'task' | 'clock'>,
  { name, draws }: Pick<LiveRole, 'name' | 'draws'>,
  ahead = 0,
): TurnView => ({
  progress: clock.progress(ahead),
  random: (purpose) => stream(spec.seed, `${purpose} of ${name}`, draws),
});

/**
 * Writes with a model at the role's temperature, as controllers bend it; random draws are keyed by the role's
 * batch.
 */
const samplerOf =
  (scope: StageScope, role: LiveRole, model: Model, purpose: string): ModelPort['sample'] =>
  (prompts_RT, problem_R, sample_R) => {
    const { task, device, control } = scope;
    const {
      spec,
      tokenizer,
      data: { world },
    } = task;
    const annealing = control.annealing(turnView(scope, role));
    return writeAnswers(prompts_RT, problem_R, sample_R, {
      device,
      tokenizer,
      model,
      temperature: spec.sampling.temperature * control.temperature(turnView(scope, role)),
      maxTokens: spec.sampling.maxTokens,
      seed: spec.seed,
      purpose,
      step: role.draws,
      ...(world?.turns && { turns: world.turns }),
      ...(annealing && { annealing }),
    });
  };

/** `ahead`: the rows are made so many steps before they are learned from. */
export const stageContext = (scope: StageScope, role: LiveRole, ahead: number): StageContext => {
  const { task, roles, control } = scope;
  const { spec, tokenizer } = task;
  return {
    draw: role.draws,
    batch: spec.budget.batch,
    ...turnView(scope, role, ahead),
    control,
    text: {
      prompt: (text) => encodePrompt(tokenizer, text),
      encode: (text) => tokenizer.encode(text),
      decode: (ids) => tokenizer.decode(ids),
      end: tokenizer.end,
      context: roles.main.model.config.context,
      maxTokens: spec.sampling.maxTokens,
    },
    sample: samplerOf(scope, role, role.model, `rows of ${role.name}`),
  };
};

/** A model that a stage asks by name: the run's initial one, or a role's as it is now. */
export const modelPort = (scope: StageScope, role: LiveRole, name: string): ModelPort => {
  const asked = scope.roles.asked(name);
  return asked.live.port(
    role.temperature,
    samplerOf(scope, role, asked.model, `rows of ${role.name} by ${name}`),
  );
};
