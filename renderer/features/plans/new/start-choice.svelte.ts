import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { ModelSource } from '../../../../engine/schema/model.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { isPretrained } from '../../../lib/line.ts';
import { chosenModel, ModelChoices, type ModelChoice } from '../../../lib/model-choices.svelte.ts';
import type { NumberEntry } from '../../../lib/number-entry.svelte.ts';

/** The option for a small model of the plan’s own. */
export const NEW = '';

type SpecOfRun = (runId: string) => RunSpec | null | undefined;

/** The model that the runs of a plan start from. */
export class StartChoice {
  /** `checkpoint:ID`, `model:ID`, or `NEW`. */
  value = $state(NEW);
  /** Models that generate text. */
  texts = $state.raw<readonly ModelChoice[]>([]);
  private readonly models: ModelChoices;
  private specOfRun: SpecOfRun = () => null;

  constructor(client: Pick<WhetstoneClient, 'runs' | 'models'>) {
    this.models = new ModelChoices(client);
  }

  /** `nameOf`: the name of a run. Networks of control worlds, which act on numbers, are left out. */
  async load(nameOf: (runId: string) => string, specOfRun: SpecOfRun): Promise<void> {
    await this.models.load(nameOf);
    this.specOfRun = specOfRun;
    this.texts = this.models
      .of('next-token')
      .filter(({ runId }) => runId === undefined || specOfRun(runId)?.task.kind !== 'control');
  }

  /** True for an added model, and for a checkpoint that was trained from one. */
  get isPretrained(): boolean {
    return isPretrained(this.source, (checkpointId) => {
      const runId = this.texts.find(({ value }) => value === `checkpoint:${checkpointId}`)?.runId;
      return runId === undefined ? null : this.specOfRun(runId);
    });
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
