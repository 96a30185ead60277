/** Opens a run: its data, models and recipe with live stages; new, or restored from a checkpoint. */
import type { InitialModel } from '../../rewards/index.ts';
import type { Checkpoint } from '../../models/checkpoint.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import { RowPrograms, type LiveModel } from '../compute/live-model.ts';
import { modelGraph } from '../compute/model-graph.ts';
import { openControl } from '../controllers/index.ts';
import { totalOf } from '../evaluation/model-scorers.ts';
import { problems } from '../kernel/check.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import { totalSteps } from '../kernel/schedule.ts';
import { taskKindOf } from '../tasks/kinds/index.ts';
import { Buffers } from './buffers.ts';
import { Clock } from './clock.ts';
import { FaultLog } from './fault-log.ts';
import { initialFor, initialOf } from './initial-model.ts';
import { openDecoding } from './open-decoding.ts';
import { openRoles } from './open-role.ts';
import { openTask, readableData, type OpenedTask, type Substitutes } from './open-task.ts';
import { promptsToScore, refuseRandomTrunk } from './refusals.ts';
import { checkRecorded, openRewards, type Rewards, type Scoring } from './rewards.ts';
import type { LiveRole } from './live-role.ts';
import { referredTo, Roles } from './roles.ts';
import { Snapshots, snapshotsUsed } from './snapshots.ts';
import { bufferedRows, readSaved } from './saved-state.ts';
import { roleSpec } from './role-spec.ts';
import { searchedLists } from './search.ts';
import type { Session } from './session.ts';
import { Task } from './task.ts';

export interface Opening extends Substitutes {
  /** The task, if it is open already. */
  readonly opened?: OpenedTask;
  /** True if this is a rehearsal that measures the run with made-up answers. */
  readonly isRehearsal?: boolean;
}

/**
 * Opens a run on a device; `resumeFrom` restores every array and counter from a checkpoint. The resumed run
 * has the bits of an uninterrupted one only with the same number of threads, because sums are split among
 * threads and round differently.
 */
export const openSession = async (
  run: StartRun,
  device: Device,
  { opened: given, isRehearsal = false, ...substitutes }: Opening = {},
): Promise<Session> => {
  const opened = given ?? (await openTask(run, substitutes));
  const { spec, ...place } = run;
  const { method, model, roleModels, tokenizer, copiedBytes } = opened;
  const { data, leftOut } = readableData(spec, opened);
  const programs = new RowPrograms(device, modelGraph(model.config));
  const initial = { live: initialOf(programs, model), model, tokenizer };
  const rewards = await rewardsOf(run, { ...opened, data }, initial.live, { device, isRehearsal });
  const recipe = soundRecipe(spec, { ...opened, data }, rewards);
  const { saved, state } = await readSaved(run, model);
  const clock = new Clock(totalSteps(recipe, spec.budget.steps), state);
  const control = openControl(spec.controllers, { steps: clock.totalSteps, batch: spec.budget.batch });
  const live = openRoles(
    { recipe, control, model, tokenizer, roleModels, programs, spec, steps: clock.totalSteps, saved },
    state?.roles,
  );
  const roles = new Roles(mainOf(recipe), {
    roles: live,
    initial,
    snapshots: snapshotsOf(recipe, live, saved),
    buffers: new Buffers(recipe.buffers, state && bufferedRows(state)),
    openingBytes: copiedBytes > 0 ? copiedBytes + model.parameters.flat.byteLength : 0,
    lengthFit: state?.lengthFit,
  });
  for (const role of live) role.learner?.readOthers((name) => referredTo(roles, role, name).live);
  if (state) {
    control.restore(state.control);
    rewards.restore(state.scorers);
  }
  const task = new Task({ spec, method, recipe, data, leftOut, tokenizer });
  const decoding = await openDecoding(run, {
    device,
    open: opened.models.folder,
    model,
    tokenizer,
    data,
    stack: rewards.stack,
    isRehearsal,
  });
  return { run: place, task, roles, rewards, clock, device, control, decoding };
};

/** The snapshots that the roles' stages refer to, restored from a checkpoint if there is one. */
const snapshotsOf = (
  recipe: Recipe,
  roles: readonly LiveRole[],
  saved?: Checkpoint,
): Snapshots | undefined => {
  const main = roles.find(({ name }) => name === mainOf(recipe));
  const used = snapshotsUsed(recipe, roles);
  return main && new Snapshots(main, used, recipe.averaging, saved && (saved.optimizer ?? {}));
};

/**
 * Opens the run's scorers, and once those of its evaluation. Scorers get the initial model only if it writes
 * text.
 */
const rewardsOf = async (
  { spec, resources }: StartRun,
  { method, data, model, tokenizer, models }: OpenedTask,
  initial: LiveModel,
  on: Pick<Scoring, 'device' | 'isRehearsal'>,
): Promise<Rewards> => {
  const forRewards: InitialModel | undefined =
    model.config.head === 'next-token'
      ? initialFor({ initial, model, tokenizer, spec, world: data.world })
      : undefined;
  const scoring = {
    ...on,
    open: models.folder,
    resources,
    faults: new FaultLog(),
    ...(forRewards && { initial: forRewards }),
  };
  const prompts = promptsToScore(data, spec.budget.steps * spec.budget.batch);
  const search = method.search(spec.method.params);
  const rewards = search
    ? await openRewards(searchedLists(spec, search, data), data.evaluationWorld, scoring, prompts)
    : await openRewards(spec, data.world, scoring, prompts);
  if (method.produces === 'policy' && spec.evaluation.problems > 0) await checkRecorded(spec, data, scoring);
  return rewards;
};

/**
 * The method's recipe for this task; a role with its own tokenizer has the sources of one for that tokenizer.
 * Throws `invalid-input` if it cannot run.
 */
const soundRecipe = (
  spec: RunSpec,
  { method, data, roleModels, ...policy }: OpenedTask,
  { stack }: Rewards,
): Recipe => {
  const kind = taskKindOf(method);
  const recipeFor = ({ model, tokenizer }: Pick<OpenedTask, 'model' | 'tokenizer'>, { sampling } = spec) =>
    method.recipe(
      spec.method.params,
      kind.sources(data, {
        tokenizer,
        context: model.config.context,
        maxTokens: sampling.maxTokens,
        stack: totalOf(stack),
      }),
    );
  const shared = recipeFor(policy);
  const own = Object.entries(roleModels)
    .filter(([, { tokenizer }]) => tokenizer !== policy.tokenizer)
    .map(([name, model]) => [name, recipeFor(model, roleSpec(spec, shared, name)).roles[name]] as const);
  const recipe = { ...shared, roles: { ...shared.roles, ...Object.fromEntries(own) } };
  refuseRandomTrunk(recipe, spec);
  const unsound = problems(recipe);
  if (unsound.length > 0)
    throw new WhetstoneError(
      'invalid-input',
      `The recipe of '${method.id}' is invalid: ${unsound.join('; ')}.`,
      { where: 'method.params' },
    );
  return recipe;
};
