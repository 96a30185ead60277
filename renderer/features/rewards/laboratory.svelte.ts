import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { TemperatureFit } from '../../../engine/schema/inspected-pair.ts';
import type { EnsembleReport } from '../../../preload/contract/ensembles.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type {
  LengthPoints,
  PairAgreement,
  SliceColumn,
  SliceTable,
} from '../../../preload/contract/inspections.ts';

/** Columns as part of an address; without any, those of every inspection. */
export const columnsText = (columns: readonly string[]): string =>
  (columns.length > 0 ? columns : ['inspected']).map(encodeURIComponent).join(',');

/** Reads the columns of an address; a part that is badly escaped counts as it is. */
export const columnsFrom = (text = ''): string[] => {
  const columns = text.split(',').filter(Boolean).map(decoded);
  return columns.length > 0 ? columns : ['inspected'];
};
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
};

/** A value that is read once it is asked for, again for another question; the newest question counts. */
class Asked<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  #question: string | null = null;

  async ask(question: string, read: () => Promise<T>): Promise<void> {
    if (question === this.#question) return;
    this.#question = question;
    this.value = this.error = null;
    try {
      const value = await read();
      if (question === this.#question) this.value = value;
    } catch (error) {
      if (question === this.#question) this.error = WhetstoneError.from(error);
    }
  }
}

/** Statistics of the pairs of one run's inspection, and whether the pairs are stored. */
export class LaboratoryState {
  readonly runId: string;
  /** Number of stored pairs; null without them, undefined until it is known. */
  pairs = $state<number | null | undefined>(undefined);
  error = $state.raw<WhetstoneError | null>(null);
  /** Progress of scoring the pairs again. */
  again = $state.raw<{ readonly done: number; readonly total: number } | null>(null);
  readonly temperature = new Asked<TemperatureFit>();
  readonly lengths = new Asked<LengthPoints>();
  readonly columns = new Asked<readonly SliceColumn[]>();
  readonly slices = new Asked<SliceTable>();
  readonly against = new Asked<PairAgreement>();
  readonly ensemble = new Asked<EnsembleReport>();
  readonly #client: WhetstoneClient['inspections'];
  #stop: () => void = () => undefined;

  constructor(runId: string, client: WhetstoneClient['inspections']) {
    this.runId = runId;
    this.#client = client;
  }

  async load(): Promise<void> {
    const { runId } = this;
    try {
      this.pairs = (await this.#client.state({ runId })).pairs;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Reads what the overview shows. */
  async overview(): Promise<void> {
    const { runId } = this;
    await Promise.all([
      this.temperature.ask(runId, () => this.#client.temperature({ runId })),
      this.lengths.ask(runId, () => this.#client.lengths({ runId, most: 3000 })),
    ]);
  }

  /** Reads the columns, and accuracy by some of them. */
  async sliceBy(by: readonly string[]): Promise<void> {
    const { runId } = this;
    await Promise.all([
      this.columns.ask(runId, () => this.#client.columns({ runId })),
      this.slices.ask(JSON.stringify(by), () => this.#client.slices({ runId, by: [...by] })),
    ]);
  }

  /** Compares with another run on the same pairs. */
  async compare(otherId: string): Promise<void> {
    const { runId } = this;
    await this.against.ask(otherId, () => this.#client.against({ runId, otherId }));
  }

  /** Reads the ensemble with other runs. */
  async combine(others: readonly string[]): Promise<void> {
    const { runId } = this;
    await this.ensemble.ask(others.join(','), () => this.#client.ensemble({ runId, others: [...others] }));
  }

  /** Scores the pairs of an older inspection again. */
  inspectAgain(): void {
    this.error = null;
    this.again = { done: 0, total: 0 };
    this.#stop = this.#client.again(
      { runId: this.runId },
      (progress) => {
        this.again = progress;
      },
      (error) => {
        this.again = null;
        if (error) this.error = WhetstoneError.from(error);
        else void this.load();
      },
    );
  }

  /** Cancels the scoring, of which nothing is shown then. */
  cancel(): void {
    this.#stop();
    this.again = null;
  }
}
