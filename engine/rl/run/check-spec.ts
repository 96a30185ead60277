/**
 * Turns any value into a RunSpec that can start: fills in defaults, checks names and ranges, and reports
 * errors with the path of the field.
 */
import type { Knobs } from '../kernel/control.ts';
import type { Method } from '../kernel/method.ts';
import { controllers } from '../controllers/index.ts';
import { methods } from '../methods/index.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import { checkControl } from './check-control.ts';
import { checkedEvaluations } from './check-evaluations.ts';
import { checkRoles, completeRoles } from './check-roles.ts';
import { checkedSampling, checkRoleSampling } from './check-sampling.ts';
import { parse, refuse } from './parse-field.ts';
import { refuseRandomTrunk } from './refusals.ts';
import { stepsBefore } from '../kernel/schedule.ts';
import { stubOf, taskKindOf } from '../tasks/kinds/index.ts';
import { composers, openComposer } from '../../rewards/composers/index.ts';
import { rewards } from '../../rewards/index.ts';
import { namedRewards } from '../../rewards/stack.ts';
import { RunSpec, type ComposerSpec, type RewardSpec } from '../../schema/run-spec.ts';
import { suggestedFor } from '../../common/suggested.ts';
import { openWorldById, worlds } from '../../worlds/index.ts';

const byId = <T extends { readonly id: string }>(
  kind: string,
  list: readonly T[],
  id: string,
  where: string,
): T =>
  list.find((entry) => entry.id === id) ??
  refuse(where, `There is no ${kind} '${id}'.`, `There are: ${list.map((entry) => entry.id).join(', ')}.`);

/**
 * The complete, checked specification: the user's values, then the method's suggestions, then the defaults.
 * Throws `invalid-input` with the path of the field. Files behind ids are resolved by main and not checked
 * here.
 */
export const checkSpec = (input: unknown): RunSpec => {
  const raw: Record<string, unknown> = isRecord(input)
    ? input
    : refuse('spec', 'A run specification is an object.');
  const methodId = isRecord(raw.method) && typeof raw.method.id === 'string' ? raw.method.id : undefined;
  const known = methods.find((m) => m.id === methodId);
  const spec = parse(RunSpec, known ? withSuggested(raw, known) : raw, '');
  const method = byId('method', methods, spec.method.id, 'method.id');
  const task = checkedTask(spec);
  checkTaskKind(method, spec);
  if (spec.adapter?.kind === 'lora' && spec.models.policy.kind === 'new')
    refuse(
      'adapter',
      'An adapter is trained on an existing model; this run begins with random weights.',
      'Start from a checkpoint, or train the whole model.',
    );
  if (spec.adapter?.kind === 'lora' && spec.adapter.base !== 'float32' && spec.device !== 'cpu')
    refuse(
      'adapter.base',
      `A frozen model in ${spec.adapter.base} runs on the CPU only.`,
      'Choose the CPU, or float32 for the base.',
    );
  const params = parse(method.params, spec.method.params, 'method.params');
  checkControl(method, params, spec);
  checkReaches(method, params, spec);
  const recipe = method.recipe(params, stubOf(method));
  refuseRandomTrunk(recipe, spec);
  checkContinues(method, recipe, spec);
  const sampling = checkedSampling(spec, recipe, method.id);
  checkRoles(spec, recipe);
  const roles = completeRoles({ ...spec, sampling }, raw.roles, (reward, where) => {
    const own = checkedReward(reward, where);
    checkNeeds(own, spec.task, where);
    return own;
  });
  checkRoleSampling({ sampling, ...(roles && { roles }) });
  const { composer, ...rest } = spec;
  const rewards = checkedRewards(method, spec);
  const checked: RunSpec = {
    ...rest,
    sampling,
    ...(roles && { roles }),
    ...(spec.evaluations && {
      evaluations: checkedEvaluations(spec, method, recipe, { world: checkedWorld, scorer: checkedScorer }),
    }),
    method: { id: method.id, params },
    task,
    rewards,
    ...(composer && { composer: checkedComposer(composer, rewards, params) }),
    controllers: checkedControllers(method, params, spec),
    evaluation: {
      ...spec.evaluation,
      world: spec.evaluation.world && checkedWorld(spec.evaluation.world, 'evaluation.world'),
      rewards: spec.evaluation.rewards.map((reward, at) => checkedReward(reward, `evaluation.rewards.${at}`)),
    },
  };
  return checked;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withSuggested = (raw: Record<string, unknown>, method: Method): Record<string, unknown> => {
  const merged = { ...raw };
  for (const [section, values] of Object.entries(suggestedFor(method.suggested, raw))) {
    const own = raw[section];
    if (own === undefined || isRecord(own)) merged[section] = { ...(values as object), ...own };
  }
  // the shape of a network that is left open is the method's
  if (method.network && isRecord(merged.models)) {
    const { policy } = merged.models;
    if (isRecord(policy) && policy.kind === 'network')
      merged.models = { ...merged.models, policy: { ...method.network, ...policy } };
  }
  return merged;
};

const checkedWorld = (
  { id, params }: { id: string; params: Record<string, unknown> },
  where: string,
): { id: string; params: Record<string, unknown> } => {
  const world = byId('world', worlds, id, `${where}.id`);
  return { id, params: parse(world.params, world.meant(params), `${where}.params`) };
};

const checkedTask = ({ task }: RunSpec): RunSpec['task'] =>
  task.kind === 'world' ? { kind: 'world', ...checkedWorld(task, 'task') } : task;

const checkedReward = (reward: RewardSpec, where: string): RewardSpec => {
  const known = byId('reward', rewards, reward.id, `${where}.id`);
  const params = parse(known.params, reward.params, `${where}.params`);
  for (const { path, ...inner } of known.inner(params))
    checkedReward({ weight: 1, ...inner }, `${where}.params.${path}`);
  return { ...reward, params };
};

/** The scorer of the rows of a dataset. Throws if it needs a world. */
const checkedScorer = (scorer: RewardSpec, where: string): Pick<RewardSpec, 'id' | 'params'> => {
  const { id, params } = checkedReward(scorer, where);
  checkNeeds({ id, params }, { kind: 'dataset' }, where);
  return { id, params };
};

/** Throws if the task does not offer what the method learns from. */
const checkTaskKind = (method: Method, { task }: RunSpec): void => {
  const { offeredBy, offeredByWorld, summary } = taskKindOf(method);
  const isOffered =
    offeredBy.includes(task.kind) &&
    (task.kind !== 'world' || !offeredByWorld || offeredByWorld(openWorldById(task.id, task.params)));
  if (!isOffered) refuse('task', `'${method.id}' learns from ${summary}; this task does not offer that.`);
};

/** Throws if answers are continued from their middle where a world replies or a grammar would begin anew. */
const checkContinues = (method: Method, { roles }: Recipe, { task, sampling }: RunSpec): void => {
  if (!Object.values(roles).some(({ stages }) => stages.some(({ continues }) => continues))) return;
  if (task.kind === 'world' && openWorldById(task.id, task.params).turns)
    refuse(
      'task.id',
      `'${method.id}' continues answers from their middle, and the world '${task.id}' replies in between.`,
      'Choose a world without turns.',
    );
  if (sampling.grammar && sampling.grammar.kind !== 'none')
    refuse(
      'sampling.grammar',
      `'${method.id}' continues answers from their middle, where a grammar would begin anew.`,
      'Leave the grammar out.',
    );
};

/**
 * Throws if the budget ends before the run's own model takes an update: such a run would finish normally with
 * an unchanged model. A budget of 0 steps is accepted.
 */
const checkReaches = (method: Method, params: object, { budget: { steps } }: RunSpec): void => {
  const recipe = method.recipe(params, stubOf(method));
  const main = mainOf(recipe);
  const before = stepsBefore(recipe, main);
  if (steps === 0 || steps > before || !recipe.roles[main].objective) return;
  const others = Object.keys(recipe.roles)
    .filter((name) => name !== main && recipe.roles[name].objective)
    .join(', ');
  refuse(
    'budget.steps',
    `Of ${steps} step${steps === 1 ? '' : 's'} the ${main} would learn from none: with these parameters ` +
      `'${method.id}' first spends ${before} on its ${others}.`,
    `Give the run more than ${before} steps, or let its ${main} start earlier (method.params).`,
  );
};

/**
 * Checks that a method that learns from rewards has at least one with a nonzero weight; the default is the
 * world's verifier.
 */
const checkedRewards = (method: Method, { rewards: given, task, evaluation }: RunSpec): RewardSpec[] => {
  const isNeeded = taskKindOf(method).rewards === 'needed';
  const stack =
    given.length === 0 && isNeeded && task.kind === 'world'
      ? [{ id: 'verifier', weight: 1, params: {} }]
      : given;
  const checked = stack.map((reward, at) => checkedReward(reward, `rewards.${at}`));
  // equal rewards are one scorer, whose weights may cancel
  if (isNeeded && !namedRewards(checked).some(({ weight }) => weight !== 0))
    refuse('rewards', `'${method.id}' needs at least one reward whose weight is not 0.`, ofRows(task));
  checked.forEach((reward, at) => checkNeeds(reward, task, `rewards.${at}`));
  evaluation.rewards.forEach((reward, at) => {
    if (!evaluation.world)
      checkNeeds(checkedReward(reward, `evaluation.rewards.${at}`), task, `evaluation.rewards.${at}`);
  });
  return checked;
};

/** The composer with all its parameters. Opening it refuses what does not fit the rewards. */
const checkedComposer = (
  { id, params }: ComposerSpec,
  stack: readonly RewardSpec[],
  { groupSize = 1 }: { readonly groupSize?: unknown },
): ComposerSpec => {
  openComposer({ id, params }, namedRewards(stack));
  const known = byId('composer', composers, id, 'composer.id');
  if (known.comparesGroups && groupSize === 1)
    refuse(
      'composer.id',
      `'${id}' compares the answers to a prompt, and the method samples one of each.`,
      'Choose a method with groups, or another composer.',
    );
  return { id, params: parse(known.params, params, 'composer.params') };
};

/** Hint: which rewards can score answers to a dataset's rows. */
const ofRows = ({ kind }: Pick<RunSpec['task'], 'kind'>): string | undefined => {
  const comparing = rewards.filter(({ needs }) => needs.includes('reference')).map(({ id }) => id);
  return kind === 'dataset'
    ? `If the rows have references, a verifier compares answers with them: ${comparing.join(', ')}.`
    : undefined;
};

/** Throws if a reward needs something that no task of this kind provides, before any file is read. */
const checkNeeds = (
  { id, params }: Pick<RewardSpec, 'id' | 'params'>,
  task: Pick<RunSpec['task'], 'kind'>,
  where: string,
): void => {
  const { needs, inner } = byId('reward', rewards, id, `${where}.id`);
  if (task.kind !== 'world' && needs.includes('world'))
    refuse(`${where}.id`, `The reward '${id}' needs a world, and this task has none.`, ofRows(task));
  if (task.kind === 'labels' && needs.includes('reference'))
    refuse(
      `${where}.id`,
      `The reward '${id}' compares answers with references, and labels have none.`,
      'Train on the dataset that was labeled.',
    );
  for (const { path, ...one } of inner(params)) checkNeeds(one, task, `${where}.params.${path}`);
};

/** Controls that only one controller may set, with the words for the error message. */
const exclusive = {
  choose: 'selects the prompts',
  sizes: 'sets group sizes',
  hints: 'shows hints',
  annealing: 'anneals the temperature',
} as const satisfies Partial<Record<keyof Knobs, string>>;

/**
 * Checks that no controller is listed twice, that no two set the same control, and that the method's
 * objective supports all of them.
 */
const checkedControllers = (
  method: Method,
  params: object,
  { controllers: given, budget }: RunSpec,
): RunSpec['controllers'] => {
  const setBy = new Map<string, string>();
  return given.map(({ id, params: own }, at) => {
    const where = `controllers.${at}`;
    const controller = byId('controller', controllers, id, `${where}.id`);
    const checked = parse(controller.params, own, `${where}.params`);
    if (given.findIndex((other) => other.id === id) !== at)
      refuse(`${where}.id`, `The controller '${id}' is listed twice.`);
    const live = controller.open(checked, budget);
    for (const [knob, does] of Object.entries(exclusive) as [keyof typeof exclusive, string][]) {
      if (!live[knob]) continue;
      const first = setBy.get(knob);
      if (first !== undefined)
        refuse(`${where}.id`, `'${id}' ${does}, as '${first}' does already.`, 'Remove one of the two.');
      setBy.set(knob, id);
    }
    if (live.sizes && comparesWholeGroups(method, params))
      refuse(
        `${where}.id`,
        `'${id}' varies the group size, and '${method.id}' compares groups of equal size.`,
        'Remove the controller, or choose a method that takes groups of any size.',
      );
    return { id, params: checked };
  });
};

/** True if a recipe's objective requires groups of equal size. */
const comparesWholeGroups = (method: Method, params: object): boolean =>
  Object.values(method.recipe(params, stubOf(method)).roles).some(
    ({ objective }) =>
      objective && objective.needs.includes('groupId') && objective.terms.some(({ unit }) => unit > 1),
  );
