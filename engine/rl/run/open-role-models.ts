/** Opens the models of roles that do not start as the policy. */
import type { Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { openModel } from './open-model.ts';
import { roleSpec } from './role-spec.ts';

/** Initial models by role, for those that the run names. */
export type RoleModels = { readonly [role: string]: Model };

/**
 * Opens each named model once: frozen roles with the same source share it. Throws `invalid-input` for a model
 * whose tokenizer differs from the policy's, since roles exchange tokens.
 */
export const openRoleModels = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  recipe: Pick<Recipe, 'roles'> & Recipe,
  policy: { readonly model: Model; readonly tokenizer: Tokenizer },
): Promise<RoleModels> => {
  const main = mainOf(recipe);
  const opened: Record<string, Model> = {};
  const known = new Map<string, Model>();
  for (const name of Object.keys(run.spec.models)) {
    if (name === 'policy' || name === main) continue;
    const { head, objective } = recipe.roles[name];
    const spec = roleSpec(run.spec, recipe, name);
    const key = JSON.stringify([spec.models.policy, spec.adapter, head]);
    const shared = objective ? undefined : known.get(key);
    if (shared) {
      opened[name] = shared;
      continue;
    }
    const { model, tokenizer } = await openModel({ ...run, spec }, data, head?.kind ?? 'next-token', {
      name,
      tokenizer: policy.tokenizer,
    });
    if (!sameTokens(tokenizer, policy.tokenizer))
      throw new WhetstoneError(
        'invalid-input',
        `The tokenizer of the ${name} differs from the policy’s, and roles exchange tokens.`,
        { where: `models.${name}`, hint: 'Choose models of one family, or train one from the other.' },
      );
    refuseShortContext(name, model, policy.model);
    opened[name] = model;
    known.set(key, model);
  }
  return opened;
};

/** Throws `invalid-input` for a model that cannot read every row that the policy can write. */
const refuseShortContext = (name: string, { config }: Model, policy: Model): void => {
  if (config.context >= policy.config.context) return;
  throw new WhetstoneError(
    'invalid-input',
    `The ${name} reads ${config.context} tokens, and the rows of the policy may have ${policy.config.context}.`,
    { where: `models.${name}`, hint: 'Choose a model whose context is at least as long as the policy’s.' },
  );
};

const sameTokens = (a: Tokenizer, b: Tokenizer): boolean =>
  a === b ||
  (a.kind === b.kind &&
    a.vocabulary === b.vocabulary &&
    JSON.stringify(a.toJson()) === JSON.stringify(b.toJson()));
