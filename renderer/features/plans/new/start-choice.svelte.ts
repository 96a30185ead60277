import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { ModelSource } from '../../../../engine/schema/model.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { chosenModel, ModelChoices, type ModelChoice } from '../../../lib/model-choices.svelte.ts';
import type { NumberEntry } from '../../../lib/number-entry.svelte.ts';

/** The option for a small model of the plan’s own. */
export const NEW = '';

/** The model that the runs of a plan start from. */
export class StartChoice {
  /** `checkpoint:ID`, `model:ID`, or `NEW`. */
  value = $state(NEW);
  /** Models that generate text. */
  texts = $state.raw<readonly ModelChoice[]>([]);
  private readonly models: ModelChoices;

  constructor(client: Pick<WhetstoneClient, 'runs' | 'models'>) {
    this.models = new ModelChoices(client);
  }

  /** `nameOf`: the name of a run; `readsText`: false for one whose model acts on numbers. */
  async load(nameOf: (runId: string) => string, readsText: (runId: string) => boolean): Promise<void> {
    await this.models.load(nameOf);
    this.texts = this.models.of('next-token').filter(({ runId }) => runId === undefined || readsText(runId));
  }
  /** Null for a new model. */
  get source(): ModelSource | null {
    const chosen = chosenModel(this.value);
    if (chosen === null) return null;
    return chosen.kind === 'model'
      ? { kind: 'model', modelId: chosen.id, prompts: 'auto' }
      : { kind: 'checkpoint', checkpointId: chosen.id };
  }
}

/** The number of a field. Throws `invalid-input` with the field while it is none. */
export function numberOf(entry: NumberEntry, where: string): number {
  if (entry.value === null)
    throw new WhetstoneError('invalid-input', entry.wrong ?? 'It is no number.', { where });
  return entry.value;
}
