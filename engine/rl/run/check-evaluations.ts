/** Checks the further evaluations of a spec. */
import type { FurtherEvaluation, RunSpec } from '../../schema/run-spec.ts';
import { openWorldById } from '../../worlds/index.ts';
import { solutionsOf } from '../evaluation/first-error.ts';
import type { Method } from '../kernel/method.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import { refuse } from './parse-field.ts';

type World = NonNullable<RunSpec['evaluations']>[number]['world'];

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
];

/**
 * The further evaluations with the parameters of their worlds filled in. Throws `invalid-input` with the field
 * for a name that is used twice or already, a role that does not write answers, or a method without a policy.
 */
export const checkedEvaluations = (
  { evaluations }: RunSpec,
  method: Method,
  recipe: Recipe,
  checkedWorld: (world: World, where: string) => World,
): RunSpec['evaluations'] =>
  evaluations?.map((one, at) => {
    const where = `evaluations.${at}`;
    if (method.produces !== 'policy')
      refuse(where, `'${method.id}' trains no policy, which could answer problems.`);
    if (taken.includes(one.name)) refuse(`${where}.name`, `'${one.name}' is the name of another measure.`);
    if (evaluations.some(({ name }, other) => name === one.name && other !== at))
      refuse(`${where}.name`, `The evaluation '${one.name}' is listed twice.`);
    checkRole(recipe, one.role, `${where}.role`);
    const checked = { ...one, world: checkedWorld(one.world, `${where}.world`) };
    if (one.measure === 'first-error') checkVerdicts(recipe, checked, where);
    return checked;
  });

/** The first wrong line: asked of a role that writes verdicts, in a world that judges lines. */
const checkVerdicts = (
  recipe: Recipe,
  { role = mainOf(recipe), world }: Pick<FurtherEvaluation, 'role' | 'world'>,
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
    role in recipe.roles ? `The ${role} scores answers and writes none.` : `There is no role '${role}'.`,
    `Roles that write: ${writers.join(', ')}; without one, the ${mainOf(recipe)} answers.`,
  );
};
