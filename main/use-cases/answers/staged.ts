import { createHash } from 'node:crypto';
import { Doctor } from '../../../engine/index.ts';
import type { Dataset, DatasetRow } from '../../../preload/contract/datasets.ts';
import { canonicalJson } from '../../store/json.ts';
import type { StoreClient } from '../../store/client.ts';

/** An answer that becomes a row. */
export type AnswerRow = Omit<DatasetRow, 'row' | 'line'>;

/** A dataset of answers in the making: invisible until it is finished. */
export class StagedAnswers {
  readonly #store: StoreClient;
  readonly #id: string;
  readonly #why: string;
  readonly #hash = createHash('sha256');
  readonly #doctor = new Doctor();
  readonly #columns = new Map<string, number>();
  rows = 0;

  private constructor(store: StoreClient, id: string, why: string) {
    [this.#store, this.#id, this.#why] = [store, id, why];
  }

  static async open(
    store: StoreClient,
    { name, source, why }: { readonly name: string; readonly source: string; readonly why: string },
  ): Promise<StagedAnswers> {
    return new StagedAnswers(store, await store.datasets.stage({ name, source }), why);
  }

  /** The id of the dataset that it will be. */
  get id(): string {
    return this.#id;
  }

  async append(answers: readonly AnswerRow[]): Promise<void> {
    const rows = answers.map((answer, at): DatasetRow => {
      const row = this.rows + at;
      return { ...answer, row, line: row + 1 };
    });
    for (const row of rows) {
      this.#doctor.add(row);
      this.#hash.update(`${canonicalJson(row)}\n`);
      for (const name of Object.keys(row.extra ?? {}))
        this.#columns.set(name, (this.#columns.get(name) ?? 0) + 1);
    }
    this.rows += rows.length;
    await this.#store.datasets.append(this.#id, rows, []);
  }

  async finish(name?: string): Promise<Dataset> {
    const columns = [...this.#columns].map(([column, kept]) => ({
      name: column,
      as: null,
      used: 0,
      kept,
      empty: 0,
    }));
    const about = { format: 'Answers', why: this.#why, rows: this.rows, rejected: 0, aside: 0, columns };
    const dataset = await this.#store.datasets.finish(this.#id, {
      hash: this.#hash.digest('hex'),
      doctor: { ...this.#doctor.findings(about), columns },
    });
    if (name === undefined) return dataset;
    await this.#store.datasets.rename(this.#id, name);
    return { ...dataset, name };
  }

  async discard(): Promise<void> {
    await this.#store.datasets.discard(this.#id);
  }
}
