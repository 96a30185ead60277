import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { ValuePlace, ValueReward, ValueRow, ValueSource } from '../../../engine/schema/row-values.ts';
import type { ColumnDefinition } from '../../../preload/contract/columns.ts';
import type { QueryRow } from '../../../preload/contract/rows.ts';
import { placeOf } from '../../services/opened-model.ts';
import type { Services } from '../../services/services.ts';

/** A definition whose values the engine computes row by row. */
export type RowDefinition = Exclude<ColumnDefinition, { by: 'cluster' | 'map' }>;
type RewardChoice = Extract<ColumnDefinition, { by: 'reward' }>['reward'];

/** The source of a definition's values, with the places of its models. Throws `not-found` for an unknown one. */
export async function sourceOf(services: Services, definition: RowDefinition): Promise<ValueSource> {
  switch (definition.by) {
    case 'code':
      return definition;
    case 'reward':
      return { by: 'reward', reward: await rewardOf(services, definition.reward) };
    case 'model':
    case 'perplexity':
      return { by: definition.by, place: await placeOf(services, definition.model) };
    default: {
      const { model, reward, ...rest } = definition;
      return { ...rest, place: await placeOf(services, model), reward: await rewardOf(services, reward) };
    }
  }
}

/** The ids of checkpoints and models that parameters name, however deep. */
function* checkpointsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'checkpointId' && typeof value === 'string') yield value;
    else yield* checkpointsIn(value);
  }
}

async function rewardOf(services: Services, { id, params }: RewardChoice): Promise<ValueReward> {
  const checkpoints: Record<string, ValuePlace> = {};
  for (const ref of new Set(checkpointsIn(params))) {
    const kind = (await services.store.models.find(ref)) ? 'model' : 'checkpoint';
    checkpoints[ref] = await placeOf(services, { kind, id: ref });
  }
  return { id, params, checkpoints };
}

/** A row as code and rewards see it. */
export const valueRow = ({
  promptId,
  prompt,
  answer,
  reference,
  correct,
  source,
  extra,
}: QueryRow): ValueRow => ({
  promptId,
  prompt,
  answer,
  reference,
  correct,
  source,
  extra: extra ?? {},
});

/** The error of a step of the work, with the column's name. */
export const inColumn = (error: unknown, name: string): WhetstoneError => {
  const fault = WhetstoneError.from(error);
  return fault.where === undefined
    ? new WhetstoneError(fault.kind, fault.message, { where: name, hint: fault.hint, cause: error })
    : fault;
};
