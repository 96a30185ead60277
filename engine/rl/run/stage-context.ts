/**
 * What a role's turn has at hand: its sampler, its text, its random numbers, the models that it may ask; and
 * what its end does.
 */
import { stream } from '../../random/random.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { encodePrompt } from '../../text/spans.ts';
import { writeAnswers } from '../compute/answers.ts';
import type { ModelPort } from '../kernel/columns.ts';
import type { TurnView } from '../kernel/control.ts';
import { appendRows, type Table } from '../kernel/rows.ts';
import type { Unit } from '../kernel/schedule.ts';
import type { Model } from '../../models/model.ts';
import type { LiveRole, Session } from './session.ts';
import type { StageContext } from '../kernel/stage.ts';

/** Where the run stands, as controllers and schedules see it. */
export const turnView = ({ counters, totalSteps, spec }: Session, role: LiveRole): TurnView => ({
  progress: totalSteps === 0 ? 0 : counters.step / totalSteps,
  random: (purpose) => stream(spec.seed, `${purpose} of ${role.name}`, role.draws),
});

/**
 * Writes with a model at the role's temperature, as controllers bend it; random draws are keyed by the role's
 * batch.
 */
const samplerOf =
  (session: Session, role: LiveRole, model: Model, purpose: string): ModelPort['sample'] =>
  (prompts_RT, problem_R, sample_R) => {
    const {
      spec,
      device,
      tokenizer,
      control,
      data: { world },
    } = session;
    const annealing = control.annealing(turnView(session, role));
    return writeAnswers(prompts_RT, problem_R, sample_R, {
      device,
      tokenizer,
      model,
      temperature: spec.sampling.temperature * control.temperature(turnView(session, role)),
      maxTokens: spec.sampling.maxTokens,
      seed: spec.seed,
      purpose,
      step: role.draws,
      ...(world?.turns && { turns: world.turns }),
      ...(annealing && { annealing }),
    });
  };

export const stageContext = (session: Session, role: LiveRole): StageContext => {
  const { spec, tokenizer, control, main } = session;
  return {
    draw: role.draws,
    batch: spec.budget.batch,
    ...turnView(session, role),
    control,
    text: {
      prompt: (text) => encodePrompt(tokenizer, text),
      encode: (text) => tokenizer.encode(text),
      decode: (ids) => tokenizer.decode(ids),
      end: tokenizer.end,
      context: main.model.config.context,
      maxTokens: spec.sampling.maxTokens,
    },
    sample: samplerOf(session, role, role.model, `rows of ${role.name}`),
  };
};

/** A model that a stage asks by name: the run's initial one, or a role's as it is now. */
export const modelPort = (session: Session, role: LiveRole, name: string): ModelPort => {
  const { initial, initialModel, roles } = session;
  const asked = name === 'initial' ? { live: initial, model: initialModel } : roles.get(name);
  if (!asked) throw new WhetstoneError('internal', `'model/${name}' is not there.`);
  return asked.live.port(
    role.temperature,
    samplerOf(session, role, asked.model, `rows of ${role.name} by ${name}`),
  );
};

/** Puts a role back to where the run began; its optimizer begins anew as well. */
export const restart = async (
  { device }: Session,
  { trained, learner }: LiveRole,
  start: Float32Array,
): Promise<void> => {
  await device.read(trained.flat, ...Object.values(learner?.state ?? {}));
  trained.flat.set(start);
  learner?.forget();
  device.changed(trained.flat, ...Object.values(learner?.state ?? {}));
};

/** Rows join the buffers of their role when its turn ends: who reads them sees earlier turns only. */
export const endTurn = (
  { recipe, buffers, turnRows }: Session,
  { role, endsTurn }: Unit,
  table: Table,
): void => {
  const fed = Object.entries(recipe.buffers).filter(([, { of }]) => of === role);
  if (fed.length === 0) return;
  const rows = appendRows(turnRows.get(role) ?? {}, table);
  turnRows.set(role, rows);
  if (!endsTurn) return;
  for (const [name, { last, fresh }] of fed)
    buffers.set(name, appendRows((fresh ? undefined : buffers.get(name)) ?? {}, rows, last));
  turnRows.delete(role);
};
