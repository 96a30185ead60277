/** The context of a role's stages: sampler, text encoding, random numbers, and models. */
import { stream } from '../../random/random.ts';
import { encodePrompt } from '../../text/spans.ts';
import { writeAnswers } from '../compute/answers.ts';
import type { ModelPort } from '../kernel/columns.ts';
import type { TurnView } from '../kernel/control.ts';
import type { Model } from '../../models/model.ts';
import type { LiveRole } from './live-role.ts';
import type { Session } from './session.ts';
import type { StageContext } from '../kernel/stage.ts';

/** The parts of a session that stages may access. */
export type StageScope = Pick<Session, 'task' | 'roles' | 'clock' | 'device' | 'control' | 'decoding'>;

/** The progress and random numbers seen by controllers and schedules, `ahead` steps from now. */
export const turnView = (
  { clock, task: { spec } }: Pick<Session, 'task' | 'clock'>,
  { name, draws }: Pick<LiveRole, 'name' | 'draws'>,
  ahead = 0,
): TurnView => ({
  progress: clock.progress(ahead),
  random: (purpose) => stream(spec.seed, `${purpose} of ${name}`, draws),
});

/**
 * Samples from a model at the role's temperature, as changed by controllers; random numbers are keyed by the
 * role's batch.
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
      ...scope.decoding,
    });
  };

/** `ahead`: number of steps before the rows are learned from. */
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

/** The port to a model that a stage refers to: the run's initial one, or a role's current one. */
export const modelPort = (scope: StageScope, role: LiveRole, name: string): ModelPort => {
  const { model, live } = scope.roles.modelOf(name);
  return live.port(role.temperature, samplerOf(scope, role, model, `rows of ${role.name} by ${name}`));
};
