/** The context of a role's stages: sampler, text encoding, random numbers, and models. */
import { stream } from '../../random/random.ts';
import { encodePrompt } from '../../text/spans.ts';
import { judgedBy } from '../../worlds/index.ts';
import { writeAnswers } from '../compute/answers.ts';
import { withFilters } from '../compute/decoding.ts';
import { totalOf } from '../evaluation/model-scorers.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Guidance } from '../../models/generate/generate.ts';
import type { SamplingSpec } from '../../schema/run-spec.ts';
import type { ModelPort, SampleOptions, TextPort } from '../kernel/columns.ts';
import type { TurnView } from '../kernel/control.ts';
import { answerId, type RecordFacts } from '../kernel/recorder.ts';
import type { LiveRole, RoleModel } from './live-role.ts';
import { referredTo } from './roles.ts';
import type { Session } from './session.ts';
import type { StageContext } from '../kernel/stage.ts';

/** The parts of a session that stages may access. */
export type StageScope = Pick<
  Session,
  'run' | 'task' | 'roles' | 'rewards' | 'clock' | 'device' | 'control' | 'decoding'
>;

/** The progress and random numbers seen by controllers and schedules, `ahead` steps from now. */
export const turnView = (
  { clock, task: { spec } }: Pick<Session, 'task' | 'clock'>,
  { name, draws }: Pick<LiveRole, 'name' | 'draws'>,
  ahead = 0,
): TurnView => ({
  progress: clock.progress(ahead),
  random: (purpose) => stream(spec.seed, `${purpose} of ${name}`, draws),
});

/** A model that writes; by the asking role's sampling settings if it has none of its own. */
type Asked = Pick<RoleModel, 'model' | 'tokenizer'> & Partial<Pick<LiveRole, 'sampling'>>;

/** The tokenizer of a model, and its context and longest answer. */
const textOf = (
  { model, tokenizer }: Pick<RoleModel, 'model' | 'tokenizer'>,
  { maxTokens }: Pick<SamplingSpec, 'maxTokens'>,
): TextPort => ({
  prompt: (text) => encodePrompt(tokenizer, text),
  encode: (text) => tokenizer.encode(text),
  decode: (ids) => tokenizer.decode(ids),
  end: tokenizer.end,
  context: model.config.context,
  maxTokens,
});

/**
 * Samples from a model at the role's temperature, as changed by controllers; random numbers are keyed by the
 * role's batch.
 */
const samplerOf =
  (
    scope: StageScope,
    role: LiveRole,
    { model, tokenizer, sampling = role.sampling }: Asked,
    purpose: string,
  ): ModelPort['sample'] =>
  (prompts_RT, problem_R, sample_R, { nucleus, temperature = 1, ...how } = {}) => {
    const { task, device, control } = scope;
    const {
      spec,
      data: { world },
    } = task;
    const annealing = control.annealing(turnView(scope, role));
    return writeAnswers(prompts_RT, problem_R, sample_R, {
      device,
      tokenizer,
      model,
      temperature: temperature * sampling.temperature * control.temperature(turnView(scope, role)),
      maxTokens: sampling.maxTokens,
      seed: spec.seed,
      purpose,
      step: role.draws,
      ...(world?.turns && { turns: world.turns }),
      ...(annealing && { annealing }),
      ...withFilters(scope.decoding, sampling),
      ...how,
      ...(nucleus && { guidance: nucleusGuide(scope, role, nucleus) }),
    });
  };

/** The model whose nucleus bounds the draws. Throws `invalid-input` where the run has a guide of its own. */
const nucleusGuide = (
  { decoding, roles }: StageScope,
  role: LiveRole,
  { model: name, topP }: NonNullable<SampleOptions['nucleus']>,
): Guidance => {
  if (decoding?.guidance)
    throw new WhetstoneError('invalid-input', 'The method has a second model of its own at sampling.', {
      where: 'sampling.guidance',
      hint: 'Leave the guidance out.',
    });
  const { model } = (name === 'initial' ? role.initial : undefined) ?? roles.modelOf(name);
  return { model, own: 1, theirs: 0, nucleus: topP };
};

/** Where the answers of a role's batch are recorded. */
export const recordPlace = (
  { run: { runId, attempt }, task }: Pick<Session, 'run' | 'task'>,
  { name }: Pick<LiveRole, 'name'>,
): Pick<RecordFacts, 'runId' | 'attempt' | 'role' | 'purpose'> => ({
  runId,
  attempt,
  role: name,
  purpose: task.method.produces === 'rows' ? 'sample' : 'train',
});

/** `ahead`: number of steps before the rows are learned from. */
export const stageContext = (scope: StageScope, role: LiveRole, ahead: number): StageContext => {
  const { task, control } = scope;
  const { spec } = task;
  const { tokenizer } = role;
  const rewards = scope.rewards.ownOf(role.name);
  const facts = { ...recordPlace(scope, role), step: scope.clock.nextStep + ahead };
  return {
    draw: role.draws,
    batch: spec.budget.batch,
    ...turnView(scope, role, ahead),
    control,
    ...(rewards && { rewards: totalOf(rewards) }),
    memory: {
      get: (stage) => role.memory.get(stage),
      set: (stage, state) => {
        role.memory = new Map(role.memory).set(stage, state);
      },
    },
    text: textOf(role, role.sampling),
    answerId: (promptId, sample) => answerId(facts, promptId, sample),
    reasons: async (rows) => {
      const { world } = task.data;
      if (!world) return rows.map(() => '');
      const spelled = (text: string) =>
        [...text].filter((character) => tokenizer.spells?.(character) ?? true).join('');
      return (await judgedBy(world, rows)).map(({ reason }) => spelled(reason));
    },
    latent: role.live.programs.graph.latent,
    act: (observed, rows) => role.live.act(observed, rows, role.temperature),
    sample: samplerOf(scope, role, role, `rows of ${role.name}`),
  };
};

/**
 * The port to a model that a stage refers to: the role's own initial one, a snapshot, or a role's current
 * one, which answers by its own sampling settings.
 */
export const modelPort = (scope: StageScope, role: LiveRole, name: string): ModelPort => {
  const model = referredTo(scope.roles, role, name);
  const { sampling = role.sampling }: Asked = model;
  return model.live.port(role.temperature, {
    sample: samplerOf(scope, role, model, `rows of ${role.name} by ${name}`),
    text: textOf(model, sampling),
  });
};
