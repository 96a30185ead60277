/** Opens the models of roles that do not start as the policy. */
import type { Model } from '../../models/model.ts';
import type { OpenedModels } from '../../models/opened-models.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { roleSpec } from './role-spec.ts';
import { openShared } from './shared-models.ts';

/** Initial models by role, for those that the run names. */
export type RoleModels = { readonly [role: string]: Model };

/**
 * Opens each named model: roles with the same source share its arrays, with the policy too. Throws
 * `invalid-input` for a model whose tokenizer differs from the policy's, since roles exchange tokens.
 */
export const openRoleModels = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  recipe: Pick<Recipe, 'roles'> & Recipe,
  policy: { readonly model: Model; readonly tokenizer: Tokenizer; readonly models: OpenedModels },
): Promise<RoleModels> => {
  const main = mainOf(recipe);
  const opened: Record<string, Model> = {};
  for (const name of Object.keys(run.spec.models)) {
    if (name === 'policy' || name === main) continue;
    const { head } = recipe.roles[name];
    const spec = roleSpec(run.spec, recipe, name);
    const { model, tokenizer } = await openShared({ ...run, spec }, data, head?.kind ?? 'next-token', {
      models: policy.models,
      role: { name, tokenizer: policy.tokenizer },
    });
    if (!sameTokens(tokenizer, policy.tokenizer))
      throw new WhetstoneError(
        'invalid-input',
        `The tokenizer of the ${name} differs from the policy’s, and roles exchange tokens.`,
        { where: `models.${name}`, hint: 'Choose models of one family, or train one from the other.' },
      );
    refuseShortContext(name, model, policy.model);
    opened[name] = model;
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
