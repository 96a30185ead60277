/** Averages of weights: a checkpoint with others of the same shape mixed into it. */
import type { OpenFolder } from '../../models/checkpoint.ts';
import type { Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Resources } from '../../schema/messages.ts';
import type { ModelSource } from '../../schema/model.ts';

type Others = NonNullable<Extract<ModelSource, { kind: 'checkpoint' }>['average']>;

/**
 * (1 − Σ w_k) θ + Σ w_k θ_k, in a model of its own. With the start of a fine-tuned model it is WiSE-FT
 * (Wortsman et al. 2022, arXiv:2109.01903), with runs of other settings a soup (arXiv:2203.05482). Throws
 * `invalid-input` for shares of more than 1 in all, an adapter, and a checkpoint with other parameters.
 */
export const averaged = async (
  model: Model,
  others: Others,
  {
    resources,
    open,
    where,
  }: {
    readonly resources: Pick<Resources, 'checkpoints'>;
    readonly open: OpenFolder;
    readonly where: string;
  },
): Promise<Model> => {
  const own = 1 - others.reduce((sum, { weight }) => sum + weight, 0);
  // shares such as .1 + .2 + .7 are not exact
  if (own < -1e-9)
    throw refused('The shares of the averaged checkpoints are more than 1 in all.', `${where}.average`);
  requireWhole(model, where);
  const parameters = model.parameters.clone();
  const { flat } = parameters;
  for (let p = 0; p < flat.length; p++) flat[p] *= Math.max(0, own);
  for (const [at, { checkpointId, weight }] of others.entries()) {
    const path = `${where}.average.${at}.checkpointId`;
    const folder = resources.checkpoints[checkpointId];
    if (folder === undefined)
      throw new WhetstoneError('not-found', `The checkpoint '${checkpointId}' is not there.`, {
        where: path,
      });
    const { model: other } = await open(folder);
    requireWhole(other, path);
    if (layout(other) !== layout(model))
      throw refused('This checkpoint has parameters of other names or sizes.', path);
    const theirs = other.parameters.flat;
    for (let p = 0; p < flat.length; p++) flat[p] += weight * theirs[p];
  }
  return { ...model, parameters };
};

const layout = ({ parameters }: Model): string =>
  JSON.stringify(parameters.slots.map(({ name, shape }) => [name, shape]));

const requireWhole = ({ adapter, quantized }: Model, where: string): void => {
  if (adapter || quantized)
    throw refused('The weights of an adapter are not averaged.', where, 'Merge it into its model first.');
};

const refused = (message: string, where: string, hint?: string): WhetstoneError =>
  new WhetstoneError('invalid-input', message, { where, ...(hint && { hint }) });
