/** Opens a run's task data and initial model. */
import { WhetstoneError } from '../../common/errors.ts';
import type { Model } from '../../models/model.ts';
import { OpenedModels } from '../../models/opened-models.ts';
import { part, pause } from '../../pace/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Problem } from '../kernel/columns.ts';
import type { Method } from '../kernel/method.ts';
import { drawsFromTask, fitsHead, mainOf } from '../kernel/recipe.ts';
import { methodOf } from '../methods/index.ts';
import { encodeAhead } from '../tasks/encoding.ts';
import { readableEvaluated, type ReadBy } from '../tasks/evaluated-rows.ts';
import { fitting, fittingRole, type LeftOut } from '../tasks/fitting.ts';
import { stubOf, taskKindOf } from '../tasks/kinds/index.ts';
import { loadTaskData } from '../tasks/load-task-data.ts';
import { needsInitialAnswers, comparesWithReferences } from '../tasks/references.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { headOf, withTexts } from './open-model.ts';
import { openRoleModels, type RoleModels } from './open-role-models.ts';
import { openShared } from './shared-models.ts';

/** Substitutes for parts of a spec. */
export interface Substitutes {
  /** Changes the task data before the run; tests shuffle targets with it to see a method fail. */
  readonly prepare?: (data: TaskData) => TaskData;
  /** A method outside the list. */
  readonly method?: Method;
}

/** A run's inputs from files, which do not change during training. */
export interface OpenedTask {
  readonly method: Method;
  /** All rows, including those beyond the model's context. */
  readonly data: TaskData;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** Size of the original model in bytes, if it was copied to replace its head; else 0. */
  readonly copiedBytes: number;
  /** Initial models of other roles that the run names. */
  readonly roleModels: RoleModels;
  /** Opens further models: those that equal one in use share its arrays. */
  readonly models: OpenedModels;
}

/** Throws `invalid-input` for a text of the method itself that a model's tokenizer cannot encode. */
const refuseUnwritable = (text: string, tokenizer: Tokenizer, role: string): void => {
  try {
    tokenizer.encode(text);
  } catch (error) {
    const { kind, message, where, hint } = WhetstoneError.from(error);
    const place = where === undefined ? '' : ` It is ${where}.`;
    throw new WhetstoneError(kind, `The method writes a text of its own. ${message}${place}`, {
      // a field of the form, which marks it
      where: `models.${role}`,
      hint,
      cause: error,
    });
  }
};

/** Loads the data and the model of a run, and encodes the data. */
export const openTask = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  { prepare = (data) => data, method = methodOf(run.spec) }: Substitutes = {},
): Promise<OpenedTask> => {
  const { spec, resources } = run;
  const kind = taskKindOf(method);
  const texts = method.texts(spec.method.params);
  const data = prepare(withTexts(await loadTaskData(spec, resources, kind), texts));
  const recipe = method.recipe(spec.method.params, stubOf(method));
  const models = new OpenedModels();
  // a fit writes the head into the model that it was opened with
  const alone = fitsHead(recipe.roles[mainOf(recipe)]) ? new OpenedModels() : models;
  const { model, tokenizer, copiedBytes } = await openShared(run, data, headOf(method), { models: alone });
  const roleModels = await openRoleModels(run, data, recipe, { model, tokenizer, models });
  await pause(0.5);
  await part(0.5, 1, () => encodeAhead(data, kind.trainsOn, tokenizer));
  const tokenizers = Object.entries({ policy: { tokenizer }, ...roleModels });
  for (const [role, own] of tokenizers) for (const text of texts) refuseUnwritable(text, own.tokenizer, role);
  return { method, data, model, tokenizer, copiedBytes, roleModels, models };
};

/** The data without rows beyond the model's context, which are counted. */
export const readableData = (
  spec: RunSpec,
  { method, data, model, tokenizer, roleModels }: OpenedTask,
): { readonly data: TaskData; readonly leftOut: LeftOut } => {
  const options = {
    trainsOn: taskKindOf(method).trainsOn,
    produces: method.produces,
    source: spec.models.policy.kind,
    tokenizer,
    context: model.config.context,
    maxTokens: spec.sampling.maxTokens,
    bySteps: method.judgeOutput(spec.method.params)?.kind === 'steps',
    needsInitialAnswers: spec.rewards.some(needsInitialAnswers),
    problems: examined(spec, method, data),
  };
  const { material: own, leftOut } = fitting(data, options);
  const { roles } = method.recipe(spec.method.params, stubOf(method));
  const material = Object.entries(roleModels)
    .filter(([name, other]) => other.tokenizer !== tokenizer && drawsFromTask(roles[name]))
    .reduce((rows, [role, reader]) => {
      const { maxTokens } = spec.roles?.[role]?.sampling ?? spec.sampling;
      const read = { role, tokenizer: reader.tokenizer, context: reader.model.config.context, maxTokens };
      return fittingRole(rows, { ...options, ...read }, leftOut);
    }, own);
  const readerOf = (role = ''): ReadBy => {
    const reader = role in roleModels ? roleModels[role] : { model, tokenizer };
    return { tokenizer: reader.tokenizer, context: reader.model.config.context };
  };
  const evaluated = readableEvaluated(spec, material.evaluated ?? {}, readerOf, leftOut);
  return { data: { ...material, evaluated }, leftOut };
};

/** Most problems of a search, which are all listed before it begins. */
const MOST_SEARCHED = 100_000;

/**
 * The held-out problems of the policy's evaluation or of a search: a world's, or a dataset's if a verifier
 * compares with its references. Empty without either.
 */
const examined = (
  { method: { params }, budget, evaluation, rewards }: RunSpec,
  { produces, search }: Method,
  { evaluationWorld, heldout }: TaskData,
): readonly Problem[] => {
  const searched = search(params) ? Math.min(MOST_SEARCHED, budget.steps * budget.batch) : 0;
  const problems = produces === 'policy' ? evaluation.problems : searched;
  if (problems === 0) return [];
  if (evaluationWorld)
    return Array.from({ length: problems }, (_, index) => evaluationWorld.problem('heldout', index, 0));
  return [...rewards, ...evaluation.rewards].some(comparesWithReferences)
    ? heldout.problems.slice(0, problems)
    : [];
};
