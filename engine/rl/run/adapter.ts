/** What of its model a run trains: all of it, or an adapter. */
import { adapterSlots, createAdapter } from '../../models/adapters/lora.ts';
import { merged, type Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';

/**
 * The model as the run trains it. An adapter that the model came with goes on where the run asks for one of
 * the same kind, and becomes part of the parameters where the run trains them all. Throws `conflict` where
 * the run asks for another one.
 */
export const adapterOfRun = (
  model: Model,
  { adapter: asked, seed }: RunSpec,
  base: BaseRef | undefined,
): Model => {
  if (!asked || asked.kind === 'none') return merged(model);
  const { rank, alpha, rsLora, targets, base: format } = asked;
  const settings = { rank, alpha, rsLora, targets, base: format };
  if (!model.adapter) {
    if (!base)
      throw new WhetstoneError('internal', 'An adapter has no model to stand beside.', { where: 'adapter' });
    return { ...model, adapter: createAdapter(model, settings, { seed, base }) };
  }
  const own = model.adapter.settings;
  if (own.base !== format)
    throw new WhetstoneError(
      'conflict',
      `The checkpoint’s adapter was trained beside a base in ${own.base}; the run asks for ${format}.`,
      {
        where: 'adapter.base',
        hint: 'Ask for the same base to go on with it, or merge it into its model first.',
      },
    );
  if (own.rank !== rank || own.alpha !== alpha || own.rsLora !== rsLora || !sameTargets(model, targets)) {
    throw new WhetstoneError(
      'conflict',
      `The checkpoint’s adapter has rank ${own.rank}, alpha ${own.alpha} and its own layers ` +
        `(${own.targets.slice(0, 4).join(', ')}); the run asks for another one.`,
      {
        where: 'adapter',
        hint: 'Ask for the same settings to go on with it, or merge it into its model first.',
      },
    );
  }
  return model;
};

const sameTargets = ({ config, adapter }: Model, targets: readonly string[]): boolean => {
  const names = (slots: readonly { readonly name: string }[] = []): string =>
    slots.map(({ name }) => name).join('\n');
  return names(adapterSlots(config, { rank: 1, targets })) === names(adapter?.parameters.slots);
};
