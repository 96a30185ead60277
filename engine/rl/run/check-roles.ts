/** Checks the models and settings that a spec gives to the roles of its method. */
import { OptimizerSpec, SamplingSpec, type RewardSpec, type RunSpec } from '../../schema/run-spec.ts';
import type { RoleInfo } from '../../schema/method-info.ts';
import { mainOf, samplesRows, type Recipe, type Role } from '../kernel/recipe.ts';
import { parse, refuse } from './parse-field.ts';

/** True if the rows of a role are scored by the rewards of the run, or by rewards of its own. */
const isScored = ({ stages }: Role): boolean =>
  stages.some(({ station, adds }) => station === 'scorers' && adds.includes('reward/total'));

/** The roles of a recipe besides its main one, with the settings that `checkRoles` accepts for them. */
export const furtherRoles = (recipe: Recipe): readonly RoleInfo[] =>
  Object.entries(recipe.roles)
    .filter(([name]) => name !== mainOf(recipe))
    .map(([name, role]) => ({
      name,
      needsModel: role.ownModel === true,
      learns: role.objective !== undefined,
      samples: samplesRows(role),
      scores: isScored(role),
      writes: role.head?.kind !== 'reward',
      judges: role.verdicts !== undefined,
    }));

type Settings = NonNullable<RunSpec['roles']>[string];

/**
 * Throws `invalid-input` with the field if the spec names a model or settings for a role that the recipe does
 * not have, if a role that needs its own model has none, or if settings cannot apply to a role.
 */
export const checkRoles = (spec: RunSpec, recipe: Recipe): void => {
  const { method, models, roles = {}, device } = spec;
  const main = mainOf(recipe);
  const others = Object.keys(recipe.roles).filter((name) => name !== main);
  const known =
    others.length === 0 ? 'It has one role only.' : `Besides its ${main} it has: ${others.join(', ')}.`;
  for (const name of Object.keys(models))
    if (name !== 'policy' && !others.includes(name))
      refuse(`models.${name}`, `'${method.id}' has no role '${name}' that could have a model.`, known);
  for (const name of others)
    if (recipe.roles[name].ownModel && !(name in models))
      refuse(
        `models.${name}`,
        `'${method.id}' needs a model for its ${name}.`,
        'Name a checkpoint or an added model, as for the policy.',
      );
  for (const [name, settings] of Object.entries(roles)) {
    if (name === main) refuse(`roles.${name}`, `The settings of the ${main} are those of the run.`);
    if (!others.includes(name)) refuse(`roles.${name}`, `'${method.id}' has no role '${name}'.`, known);
    checkSettings(name, settings, { recipe, models, device });
  }
};

const checkSettings = (
  name: string,
  { adapter, optimizer, rewards }: Settings,
  { recipe, models, device }: { readonly recipe: Recipe } & Pick<RunSpec, 'models' | 'device'>,
): void => {
  const { objective } = recipe.roles[name];
  const source = name in models ? models[name] : undefined;
  if (optimizer && !objective)
    refuse(`roles.${name}.optimizer`, `The ${name} is frozen, so it has no optimizer.`);
  if (rewards && !isScored(recipe.roles[name]))
    refuse(
      `roles.${name}.rewards`,
      `The ${name} scores no answers of its own.`,
      'Its rows come with rewards from elsewhere; set the run’s rewards instead.',
    );
  if (adapter === undefined) return;
  if (!source)
    refuse(
      `roles.${name}.adapter`,
      `The ${name} starts as the policy, with its adapter.`,
      `Name its model (models.${name}).`,
    );
  if (adapter?.kind === 'lora' && adapter.base !== 'float32' && device !== 'cpu')
    refuse(`roles.${name}.adapter.base`, `A frozen model in ${adapter.base} runs on the CPU only.`);
  if (adapter?.kind === 'lora' && source?.kind === 'new')
    refuse(`roles.${name}.adapter`, `An adapter is trained on an existing model; the ${name} is new.`);
};

/**
 * The settings of roles, with what they leave out taken from the run: `given` is the spec as it was written,
 * before defaults. `reward` checks one scorer.
 */
export const completeRoles = (
  spec: RunSpec,
  given: unknown,
  reward: (reward: RewardSpec, where: string) => RewardSpec,
): RunSpec['roles'] => {
  const written = (given ?? {}) as Record<string, Record<string, object | undefined>>;
  return (
    spec.roles &&
    Object.fromEntries(
      Object.entries(spec.roles).map(([name, settings]): [string, Settings] => {
        const { optimizer, sampling } = written[name] ?? {};
        const where = `roles.${name}`;
        const own = {
          ...settings,
          ...(optimizer && {
            optimizer: parse(OptimizerSpec, { ...spec.optimizer, ...optimizer }, `${where}.optimizer`),
          }),
          ...(sampling && {
            sampling: parse(SamplingSpec, { ...spec.sampling, ...sampling }, `${where}.sampling`),
          }),
          ...(settings.rewards && {
            rewards: settings.rewards.map((one, at) => reward(one, `${where}.rewards.${at}`)),
          }),
        };
        return [name, own];
      }),
    )
  );
};
