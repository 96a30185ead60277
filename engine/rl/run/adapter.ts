/** Chooses what a run trains: all weights of its model, or an adapter. */
import { adapterSlots, createAdapter } from '../../models/adapters/lora.ts';
import { merged, type Model } from '../../models/model.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';

/**
 * The model with the trainable parameters of the run. Continues the model's own adapter if the run requests
 * one of the same kind, and merges it if the run trains all weights. Throws `conflict` if the run requests a
 * different adapter.
 */
export const adapterOfRun = (
  model: Model,
  { adapter: requested, seed }: RunSpec,
  base: BaseRef | undefined,
): Model => {
  if (!requested || requested.kind === 'none') return merged(model);
  const { rank, alpha, rsLora, targets, base: format } = requested;
  const settings = { rank, alpha, rsLora, targets, base: format };
  if (!model.adapter) {
    if (!base) throw new WhetstoneError('internal', 'An adapter needs a base model.', { where: 'adapter' });
    return { ...model, adapter: createAdapter(model, settings, { seed, base }) };
  }
  const own = model.adapter.settings;
  if (own.base !== format)
    throw new WhetstoneError(
      'conflict',
      `The checkpoint’s adapter was trained on a base in ${own.base}; the run requests ${format}.`,
      {
        where: 'adapter.base',
        hint: 'Use the same base format to continue the adapter, or merge it into its model first.',
      },
    );
  if (own.rank !== rank || own.alpha !== alpha || own.rsLora !== rsLora || !sameTargets(model, targets)) {
    throw new WhetstoneError(
      'conflict',
      `The checkpoint’s adapter has rank ${own.rank}, alpha ${own.alpha} and its own layers ` +
        `(${own.targets.slice(0, 4).join(', ')}); the run requests other settings.`,
      {
        where: 'adapter',
        hint: 'Use the same settings to continue the adapter, or merge it into its model first.',
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
