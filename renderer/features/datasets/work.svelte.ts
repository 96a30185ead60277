import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { ModelChoices } from '../../lib/model-choices.svelte.ts';
import { allOf } from '../../lib/pages.ts';
import { SavingAnswers } from '../../lib/saving-answers.svelte.ts';
import { computingOf, type ComputingState } from './columns/computing.svelte.ts';
import { RowMapState } from './map/row-map.svelte.ts';
import { examinationOf, type ExaminationState, type On } from './doctor/examination.svelte.ts';

/** Data that rows can be compared with. */
export interface OtherData {
  readonly value: string;
  readonly title: string;
  readonly group: string;
}

/** Needs of rewards that rows of data meet. */
const met = new Set(['reference']);

/** Long work on one dataset, and the choices that its forms offer. */
export class DatasetWork {
  readonly id: string;
  readonly author: string;
  readonly examination: ExaminationState;
  readonly computing: ComputingState;
  readonly saving: SavingAnswers;
  readonly models: ModelChoices;
  readonly map: RowMapState;
  rewards = $state.raw<readonly string[]>([]);
  others = $state.raw<readonly OtherData[]>([]);
  private readonly client: WhetstoneClient;
  private readonly on: On & { readonly nameOf: (runId: string) => string };

  constructor(
    client: WhetstoneClient,
    { id, author, on }: { id: string; author: string; on: On & { nameOf: (runId: string) => string } },
  ) {
    [this.client, this.id, this.author, this.on] = [client, id, author, on];
    this.examination = examinationOf(client.doctor, id, on);
    this.computing = computingOf(client.columns, id, on.changed);
    this.saving = new SavingAnswers(client.answers);
    this.saving.onChanged = on.changed;
    this.models = new ModelChoices(client);
    this.map = new RowMapState(client.rows, id);
  }

  /** Loads what the forms offer. */
  async loadChoices(): Promise<void> {
    try {
      const [catalogue, datasets] = await Promise.all([
        this.client.runs.catalogue({}),
        allOf((page) => this.client.datasets.list(page)),
        this.models.load(this.on.nameOf),
      ]);
      this.rewards = catalogue.rewards
        .filter(({ needs }) => needs.every((need) => met.has(need)))
        .map(({ id }) => id);
      this.others = [
        ...datasets
          .filter(({ id }) => id !== this.id)
          .map(({ id, name }) => ({ value: `dataset:${id}`, title: name, group: 'Datasets' })),
        ...catalogue.worlds.map(({ id }) => ({
          value: `world:${id}`,
          title: id,
          group: 'Evaluation problems of worlds',
        })),
      ];
    } catch (error) {
      this.on.error(error);
    }
  }
}
