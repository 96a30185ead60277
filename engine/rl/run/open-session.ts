/** Opens a run: its data, its models, its recipe with live stages; new, or as a checkpoint left it. */
import type { Model } from '../../models/model.ts';
import { part, pause } from '../../pace/index.ts';
import type { InitialModel } from '../../rewards/index.ts';
import type { Stack } from '../../rewards/stack.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { RowPrograms, type LiveModel } from '../compute/live-model.ts';
import { modelGraph } from '../compute/model-graph.ts';
import { openControl } from '../controllers/index.ts';
import { totalOf } from '../evaluation/model-scorers.ts';
import { problems } from '../kernel/check.ts';
import type { Problem } from '../kernel/columns.ts';
import type { Method } from '../kernel/method.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import { totalSteps } from '../kernel/schedule.ts';
import { methodOf } from '../methods/index.ts';
import { fitting, type LeftOut } from '../tasks/fitting.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { loadTaskData } from '../tasks/load-task-data.ts';
import { asksAnswers, comparesWithReferences } from '../tasks/references.ts';
import { encodeAhead } from '../tasks/encoding.ts';
import { taskKindOf } from '../tasks/kinds/index.ts';
import { FaultLog } from './fault-log.ts';
import { initialFor, initialOf } from './initial-model.ts';
import { headOf, openModel, withTexts } from './open-model.ts';
import { checkBeside, openRewards } from './open-rewards.ts';
import { openRoles } from './open-role.ts';
import { promptsAsked, refuseRandomTrunk } from './refusals.ts';
import { readSaved, unpacked } from './saved-state.ts';
import type { Scoring, Session } from './session.ts';

/** What may stand in for what a spec names. */
export interface Substitutes {
  /**
   * Changes what the run learns from before it begins: how a test shuffles the targets, and sees a method
   * fail.
   */
  readonly prepare?: (data: TaskData) => TaskData;
  /** A method that is not in the list. */
  readonly method?: Method;
  /** The run is only measured, on answers that nobody wrote. */
  readonly rehearsal?: boolean;
}

/**
 * Opens a run on a device; with `resumeFrom`, every array and counter is as the checkpoint left it. What
 * follows has the bits of a run that was never stopped only where the device has as many threads as before:
 * sums are split among threads, and another split rounds differently.
 */
export const openSession = async (
  run: StartRun,
  device: Device,
  { prepare = (data) => data, ...substitutes }: Substitutes = {},
): Promise<Session> => {
  const { spec } = run;
  const method = substitutes.method ?? methodOf(spec);
  const task = await openTask(run, method, prepare);
  const { material: data, leftOut, model, tokenizer, copiedBytes } = task;
  const programs = new RowPrograms(device, modelGraph(model.config));
  const initial = initialOf(programs, model);
  const faults = new FaultLog();
  const scoring = scoringOf(spec, task, initial, faults, substitutes.rehearsal ?? false);
  const asked = promptsAsked(data, spec.budget.steps * spec.budget.batch);
  const stack = await openRewards(run, spec.rewards, data.world, device, scoring, asked);
  await checkBeside(run, method, data, scoring);
  const recipe = soundRecipe(spec, method, task, stack);
  const { saved, state } = await readSaved(run, model);
  const steps = totalSteps(recipe, spec.budget.steps);
  const control = openControl(spec.controllers, { steps, batch: spec.budget.batch });
  const roles = openRoles({ recipe, control, model, programs, spec, steps, saved }, state?.roles);
  const main = roles.get(mainOf(recipe));
  if (!main) throw new WhetstoneError('internal', `The recipe of '${method.id}' has no role.`);
  if (state) {
    control.restore(state.control);
    stack.restore(state.scorers);
  }
  return {
    run,
    spec,
    method,
    recipe,
    data,
    leftOut,
    faults,
    scoring,
    tokenizer,
    device,
    roles,
    main,
    totalSteps: steps,
    initial,
    initialModel: model,
    control,
    stack,
    openingBytes: copiedBytes > 0 ? copiedBytes + model.parameters.flat.byteLength : 0,
    buffers: unpacked(state?.buffers),
    turnRows: unpacked(state?.turnRows),
    counters: { step: state?.step ?? 0, units: state?.units ?? 0, skippedInRow: state?.skippedInRow ?? 0 },
    ...(state?.lengthFit && { lengthFit: state.lengthFit }),
  };
};

/** What a run learns from, and the model that learns it. */
interface OpenTask {
  /** Without the rows that are too long for the model. */
  readonly material: TaskData;
  readonly leftOut: LeftOut;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  readonly copiedBytes: number;
}

/** Opens the data and the model, encodes the data, and leaves out what the model cannot read. */
const openTask = async (
  run: StartRun,
  method: Method,
  prepare: (data: TaskData) => TaskData,
): Promise<OpenTask> => {
  const { spec, resources } = run;
  const kind = taskKindOf(method);
  const whole = await loadTaskData(spec, resources, kind);
  const texts = method.texts(spec.method.params);
  const opened = prepare(withTexts(whole, texts));
  const { model, tokenizer, copiedBytes } = await openModel(run, opened, headOf(method));
  await pause(0.5);
  await part(0.5, 1, () => encodeAhead(opened, kind.trainsOn, tokenizer));
  // what the method writes itself must be spelled as well
  for (const text of texts) tokenizer.encode(text);
  const { material: data, leftOut } = fitting(opened, {
    trainsOn: kind.trainsOn,
    produces: method.produces,
    source: spec.models.policy.kind,
    tokenizer,
    context: model.config.context,
    maxTokens: spec.sampling.maxTokens,
    bySteps: method.judgeOutput(spec.method.params)?.kind === 'steps',
    asksAnswers: spec.rewards.some(asksAnswers),
    problems: examined(spec, method, opened),
  });
  return { material: data, leftOut, model, tokenizer, copiedBytes };
};

/** What scorers are opened with; a model that writes no text is none that they may ask. */
const scoringOf = (
  spec: RunSpec,
  { model, tokenizer, material: data }: OpenTask,
  initial: LiveModel,
  faults: FaultLog,
  rehearsal: boolean,
): Scoring => {
  const asked: InitialModel | undefined =
    model.config.head === 'next-token'
      ? initialFor({ initial, model, tokenizer, spec, world: data.world })
      : undefined;
  return {
    report: faults.report,
    rehearsal,
    ...(asked && { initial: asked }),
    ...(data.hasReferences && { reference: true as const }),
  };
};

/** The method's recipe on this task. Throws `invalid-input` for one that cannot run. */
const soundRecipe = (
  spec: RunSpec,
  method: Method,
  { material: data, model, tokenizer }: OpenTask,
  stack: Stack,
): Recipe => {
  const recipe = method.recipe(
    spec.method.params,
    taskKindOf(method).sources(data, {
      tokenizer,
      context: model.config.context,
      maxTokens: spec.sampling.maxTokens,
      stack: totalOf(stack),
    }),
  );
  refuseRandomTrunk(recipe, spec);
  const unsound = problems(recipe);
  if (unsound.length > 0)
    throw new WhetstoneError(
      'invalid-input',
      `The recipe of '${method.id}' is not sound: ${unsound.join('; ')}.`,
      { where: 'method.params' },
    );
  return recipe;
};

/**
 * The held-out problems that the run's policy is asked: a world's, or those of a dataset whose references a
 * verifier compares with. None where it is not examined.
 */
const examined = (
  { evaluation, rewards }: RunSpec,
  { produces }: Method,
  { evaluationWorld, heldout }: TaskData,
): readonly Problem[] => {
  if (produces !== 'policy' || evaluation.problems === 0) return [];
  if (evaluationWorld)
    return Array.from({ length: evaluation.problems }, (_, index) =>
      evaluationWorld.problem('heldout', index, 0),
    );
  return [...rewards, ...evaluation.rewards].some(comparesWithReferences)
    ? heldout.problems.slice(0, evaluation.problems)
    : [];
};
