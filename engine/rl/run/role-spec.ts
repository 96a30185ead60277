/** The run's specification as one of its roles sees it. */
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Recipe } from '../kernel/recipe.ts';

/**
 * The spec with a role's own model and settings in place of the run's. A frozen role that names a model, and
 * one that names a new model, have no adapter unless they ask for one.
 */
export const roleSpec = (spec: RunSpec, { roles }: Pick<Recipe, 'roles'>, name: string): RunSpec => {
  const source = name === 'policy' ? undefined : (spec.models[name] as RunSpec['models'][string] | undefined);
  const own = spec.roles?.[name];
  if (!source && !own) return spec;
  // a frozen role trains no adapter, and a new model has nothing to adapt
  const isWhole = source && (source.kind === 'new' || !roles[name]?.objective);
  const { adapter = isWhole ? { kind: 'none' } : spec.adapter } = own ?? {};
  return {
    ...spec,
    models: { policy: source ?? spec.models.policy },
    adapter,
    optimizer: own?.optimizer ?? spec.optimizer,
    sampling: own?.sampling ?? spec.sampling,
    rewards: own?.rewards ?? spec.rewards,
  };
};

/** True if a role has a reward stack of its own. */
export const hasOwnRewards = ({ roles }: RunSpec, name: string): boolean =>
  roles?.[name]?.rewards !== undefined;
