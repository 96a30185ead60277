import type { Dataset } from '../../../preload/contract/datasets.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Split, SplitLeakage, SplitSpec } from '../../../preload/contract/splits.ts';
import { NumberEntry, seedBounds } from '../../lib/number-entry.svelte.ts';
import { Task } from '../../lib/task.svelte.ts';
import { DerivingState } from './deriving.svelte.ts';
import { partsFrom, partTerm } from './typed.ts';

type Client = WhetstoneClient['splits'];

/** The splits of one dataset, and a form for another one. */
export class SplitsState {
  list = $state.raw<readonly Split[] | null>(null);
  leaks = $state.raw<{ readonly name: string; readonly found: SplitLeakage } | null>(null);
  /** No row had to change. */
  unchanged = $state(false);
  name = $state('split');
  parts = $state('train=.8, validation=.1, test=.1');
  by = $state('prompt');
  stratify = $state('');
  readonly seed = new NumberEntry(0, seedBounds);
  readonly task = new Task();
  private readonly client: Client;
  private readonly deriving: WhetstoneClient['deriving'];
  private readonly id: string;
  private readonly author: string;
  private readonly changed: () => void;

  constructor(
    client: Pick<WhetstoneClient, 'splits' | 'deriving'>,
    { id, author, changed }: { id: string; author: string; changed: () => void },
  ) {
    this.client = client.splits;
    this.deriving = client.deriving;
    this.id = id;
    this.author = author;
    this.changed = changed;
  }

  /** Reads the splits again, after a step of the dataset. */
  async refresh(): Promise<void> {
    if (!this.task.busy) await this.task.run(() => this.load());
  }

  /** The typed split; null while a field is wrong. */
  get spec(): SplitSpec | null {
    const [parts, seed, name] = [partsFrom(this.parts), this.seed.value, this.name.trim()];
    if (!parts || seed === null || name === '') return null;
    return { name, seed, by: this.by, parts, stratify: this.stratify === '' ? null : this.stratify };
  }

  /** Assigns all rows, or with a stored split those that are in no part. */
  async make(spec: SplitSpec | null): Promise<void> {
    if (!spec || this.task.busy) return;
    await this.task.run(async () => {
      this.leaks = null;
      const step = await this.client.make({ id: this.id, split: spec, author: this.author });
      this.unchanged = step === null;
      await this.load();
      if (step) this.changed();
    });
  }

  /** Looks for equal and nearly equal prompts in several parts. */
  async look(name: string): Promise<void> {
    if (this.task.busy) return;
    await this.task.run(async () => {
      this.leaks = { name, found: await this.client.leakage({ id: this.id, name }) };
    });
  }

  /** Makes a dataset of each part that has rows. Returns those that were made. */
  async makeDatasets(parts: Split['parts'], name: string): Promise<readonly Dataset[]> {
    const made: Dataset[] = [];
    if (this.task.busy) return made;
    await this.task.run(async () => {
      for (const part of parts.filter(({ rows }) => rows > 0)) {
        const from = { datasetId: this.id, query: partTerm(part.name) };
        const work = new DerivingState(this.deriving);
        const dataset = await work.make(
          { kind: 'query', from, marks: false },
          `${name} ${part.name}`.slice(-200),
        );
        if (work.task.error) throw work.task.error;
        if (dataset) made.push(dataset);
      }
    });
    return made;
  }

  private async load(): Promise<void> {
    this.list = await this.client.list({ id: this.id });
  }
}
