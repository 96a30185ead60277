/** Checks the further evaluations of a spec. */
import type { FurtherEvaluation, RewardSpec, RunSpec } from '../../schema/run-spec.ts';
import { openWorldById } from '../../worlds/index.ts';
import { solutionsOf } from '../evaluation/first-error.ts';
import type { Method } from '../kernel/method.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import { isOfHeldout } from '../tasks/evaluated-rows.ts';
import { comparesWithReferences } from '../tasks/references.ts';
import { refuse } from './parse-field.ts';

type World = NonNullable<FurtherEvaluation['world']>;
type Scorer = NonNullable<FurtherEvaluation['scorer']>;

/** Checks a world, or a scorer of a dataset's rows, and fills in its parameters. */
export interface Checks {
  readonly world: (world: World, where: string) => World;
  readonly scorer: (scorer: RewardSpec, where: string) => Scorer;
}

/** Names that the metrics of the run's own evaluation use. */
const taken = [
  'loss',
  'accuracy',
  'ece',
  'kl',
  'gold',
  'proxy',
  'greedy',
  'rewards',
  'completions',
  'answers',
  'steps',
  'votes',
  'parameters',
  'return',
  'length',
];

/**
 * The further evaluations with the parameters of their worlds and scorers filled in, and of datasets the measure.
 * Throws `invalid-input` with the field for a name that is used twice or already, a role or a method that cannot
 * be measured so, and fields that do not belong together.
 */
export const checkedEvaluations = (
  spec: RunSpec,
  method: Method,
  recipe: Recipe,
  checks: Checks,
): RunSpec['evaluations'] => {
  const { evaluations } = spec;
  return evaluations?.map((one, at) => {
    const where = `evaluations.${at}`;
    if (method.produces === 'rows') refuse(where, `'${method.id}' trains no model, which could be measured.`);
    if (taken.includes(one.name)) refuse(`${where}.name`, `'${one.name}' is the name of another measure.`);
    if (evaluations.some(({ name }, other) => name === one.name && other !== at))
      refuse(`${where}.name`, `The evaluation '${one.name}' is listed twice.`);
    if (one.datasetId !== undefined) return checkedDataset(spec, one, { method, recipe, checks, where });
    if (method.produces !== 'policy')
      refuse(
        where,
        `'${method.id}' trains no policy, which could answer problems.`,
        'Measure it on pairs of a dataset (datasetId).',
      );
    checkRole(recipe, one.role, `${where}.role`);
    return checkedWorld(one, recipe, checks, where);
  });
};

/** Fields that describe the rows of a dataset. */
const ofDatasets = ['version', 'part', 'scorer'] as const;

const checkedWorld = (
  one: FurtherEvaluation,
  recipe: Recipe,
  checks: Checks,
  where: string,
): FurtherEvaluation => {
  const { world, measure = 'answers' } = one;
  if (!world)
    return refuse(
      `${where}.world`,
      `The evaluation '${one.name}' names neither a world nor a dataset.`,
      'Name a world (world), or a dataset (datasetId).',
    );
  for (const field of ofDatasets)
    if (one[field] !== undefined) refuse(`${where}.${field}`, `A ${field} belongs to a dataset (datasetId).`);
  if (measure === 'likelihood' || measure === 'pairs')
    refuse(`${where}.measure`, `The measure '${measure}' is of the rows of a dataset (datasetId).`);
  const checked = { ...one, world: checks.world(world, `${where}.world`) };
  if (measure === 'first-error') checkVerdicts(recipe, checked, where);
  return checked;
};

interface Setting {
  readonly method: Method;
  readonly recipe: Recipe;
  readonly checks: Checks;
  readonly where: string;
}

/** A dataset's evaluation, with its measure and the scorer of its answers. */
const checkedDataset = (
  spec: RunSpec,
  one: FurtherEvaluation,
  { method, recipe, checks, where }: Setting,
): FurtherEvaluation => {
  if (one.world)
    refuse(
      `${where}.datasetId`,
      `The evaluation '${one.name}' names both a world and a dataset.`,
      'Make two evaluations of them.',
    );
  const isJudge = method.produces === 'reward';
  const { measure = isJudge ? 'pairs' : 'answers' } = one;
  if (isJudge && measure !== 'pairs')
    refuse(
      `${where}.measure`,
      `'${method.id}' trains a reward model, which writes no answers.`,
      'Use pairs.',
    );
  if (measure === 'first-error')
    refuse(`${where}.measure`, 'The first wrong line is looked for in the answers of a world.', 'Name one.');
  if (isJudge && one.role !== undefined && one.role !== mainOf(recipe))
    refuse(`${where}.role`, `Of '${method.id}' only the reward model itself is measured.`);
  if (!isJudge) checkRole(recipe, one.role, `${where}.role`);
  const { task } = spec;
  if (
    isOfHeldout(task, one) &&
    task.kind === 'dataset' &&
    task.heldout === 0 &&
    task.heldoutPart === undefined
  )
    refuse(
      `${where}.datasetId`,
      'The run trains on all rows of this dataset.',
      'Hold some of them out (task.heldout), name a part, or measure another dataset.',
    );
  if (measure === 'answers') return { ...one, measure, scorer: checkedScorer(spec, one, checks, where) };
  if (one.scorer) refuse(`${where}.scorer`, `Nothing is scored to measure ${measure}.`, 'Leave it out.');
  return { ...one, measure };
};

/** The scorer of a dataset's answers: its own, or the run's first one that compares with references. */
const checkedScorer = (
  { rewards, evaluation }: RunSpec,
  { name, scorer }: FurtherEvaluation,
  checks: Checks,
  where: string,
): Scorer => {
  const found = scorer ?? [...rewards, ...evaluation.rewards].find(comparesWithReferences);
  if (!found)
    return refuse(
      `${where}.scorer`,
      `No reward of this run compares answers with references, so those of '${name}' cannot be scored.`,
      'Name a scorer, or measure the likelihood of the rows’ answers, or pairs of them (measure).',
    );
  return checks.scorer({ weight: 1, id: found.id, params: found.params }, `${where}.scorer`);
};

/** The first wrong line: asked of a role that writes verdicts, in a world that judges lines. */
const checkVerdicts = (
  recipe: Recipe,
  { role = mainOf(recipe), world }: Pick<FurtherEvaluation, 'role'> & { readonly world: World },
  where: string,
): void => {
  const writers = Object.keys(recipe.roles).filter((name) => recipe.roles[name].verdicts);
  if (!writers.includes(role))
    refuse(
      `${where}.measure`,
      `The ${role} writes no verdicts on lines.`,
      writers.length > 0 ? `Roles that do: ${writers.join(', ')}.` : 'Measure its answers instead.',
    );
  if (solutionsOf(openWorldById(world.id, world.params), 20).length === 0)
    refuse(`${where}.world`, `The world '${world.id}' does not judge single lines of its demonstrations.`);
};

const checkRole = (recipe: Recipe, role: string | undefined, where: string): void => {
  if (role === undefined) return;
  const writers = Object.keys(recipe.roles).filter((name) => recipe.roles[name].head?.kind !== 'reward');
  if (writers.includes(role)) return;
  refuse(
    where,
    Object.hasOwn(recipe.roles, role)
      ? `The ${role} scores answers and writes none.`
      : `There is no role '${role}'.`,
    `Roles that write: ${writers.join(', ')}; without one, the ${mainOf(recipe)} answers.`,
  );
};
