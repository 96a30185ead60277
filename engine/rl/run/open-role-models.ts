/** Opens the models of roles that do not start as the policy. */
import type { Model } from '../../models/model.ts';
import type { OpenedModels } from '../../models/opened-models.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';
import type { TaskData } from '../tasks/task-data.ts';
import type { RoleModel } from './live-role.ts';
import { roleSpec } from './role-spec.ts';
import { asksFor, checkTokenizers, exchangesTokens, sameTokens } from './role-tokenizers.ts';
import { openShared } from './shared-models.ts';

/** Initial models by role, for those that the run names. */
export type RoleModels = { readonly [role: string]: Pick<RoleModel, 'model' | 'tokenizer'> };

/**
 * Opens each named model: roles with the same source share its arrays, with the policy too. A role that exchanges
 * only text with the others has its own tokenizer. Throws `invalid-input` for one that exchanges tokens and has
 * another tokenizer, and as `checkTokenizers`.
 */
export const openRoleModels = async (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  recipe: Pick<Recipe, 'roles'> & Recipe,
  policy: { readonly model: Model; readonly tokenizer: Tokenizer; readonly models: OpenedModels },
): Promise<RoleModels> => {
  const main = mainOf(recipe);
  const opened: Record<string, RoleModels[string]> = {};
  for (const name of Object.keys(run.spec.models)) {
    if (name === 'policy' || name === main) continue;
    const { head } = recipe.roles[name];
    const spec = roleSpec(run.spec, recipe, name);
    const source = spec.models.policy;
    const sharesTokens = exchangesTokens(recipe, name);
    const asksPolicys = source.kind !== 'new' || asksFor(source.tokenizer, policy.tokenizer);
    const { model, tokenizer } = await openShared({ ...run, spec }, data, head?.kind ?? 'next-token', {
      models: policy.models,
      role: { name, ...((sharesTokens || asksPolicys) && { tokenizer: policy.tokenizer }) },
    });
    if (sharesTokens) refuseShortContext(name, model, policy.model);
    // equal tokens may still stand in another prompt format, which a role that exchanges text keeps
    const isPolicys = sharesTokens && sameTokens(tokenizer, policy.tokenizer);
    opened[name] = { model, tokenizer: isPolicys ? policy.tokenizer : tokenizer };
  }
  const tokenizerOf = (name: string): Tokenizer => (name in opened ? opened[name] : policy).tokenizer;
  checkTokenizers(run.spec, recipe, tokenizerOf, data.texts);
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
