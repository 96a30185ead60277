import type { Recipe } from '../../../preload/contract/deriving.ts';
import { NumberEntry, seedBounds } from '../../lib/number-entry.svelte.ts';
import { givenFrom } from './typed.ts';

export type Kind = Recipe['kind'];
type Sample = Extract<Recipe, { kind: 'sample' }>;

/** A source of a mixture. */
export class MixtureEntry {
  datasetId = $state('');
  query = $state('');
  version = $state('');
  readonly weight = new NumberEntry(1, { low: 1e-6, high: 1e6 });

  constructor(datasetId: string) {
    this.datasetId = datasetId;
  }
}

const most = 10_000_000;

/** The fields of a new dataset, as they are typed. */
export class RecipeDraft {
  kind = $state<Kind>('query');
  name = $state('');
  query = $state('');
  version = $state('');
  /** Extra columns between commas; empty: all. */
  columns = $state('');
  marks = $state(false);
  by = $state('');
  allocation = $state<Sample['allocation']>('proportional');
  given = $state('');
  repeats = $state(false);
  column = $state('mixture');
  readonly rows = new NumberEntry(0.1, { low: 1e-6, high: most });
  readonly total = new NumberEntry(1000, { integer: true, low: 1, high: most });
  readonly seed = new NumberEntry(0, seedBounds);
  sources = $state<MixtureEntry[]>([]);
  private readonly datasetId: string;

  constructor(datasetId: string, query: string) {
    this.datasetId = datasetId;
    this.query = query;
    this.sources = [new MixtureEntry(datasetId)];
  }

  /** The recipe; null while a field is wrong. */
  get recipe(): Recipe | null {
    switch (this.kind) {
      case 'query':
        return { kind: 'query', from: this.from, marks: this.marks, ...this.kept };
      case 'sample':
        return this.sample;
      case 'mixture':
        return this.mixture;
    }
  }

  private get from(): Sample['from'] {
    return {
      datasetId: this.datasetId,
      query: this.query.trim(),
      ...(this.version !== '' && { version: this.version }),
    };
  }

  private get kept(): { columns?: string[] } {
    const columns = this.columns
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
    return columns.length > 0 ? { columns } : {};
  }

  private get sample(): Sample | null {
    const [rows, seed] = [this.rows.value, this.seed.value];
    const given = this.allocation === 'given' ? givenFrom(this.given) : {};
    const isCount = rows !== null && (rows < 1 || Number.isInteger(rows));
    if (!isCount || seed === null || given === null) return null;
    const by = this.by === '' ? null : this.by;
    const allocation = by === null ? 'proportional' : this.allocation;
    return { kind: 'sample', from: this.from, by, rows, allocation, given, seed, marks: this.marks };
  }

  private get mixture(): Recipe | null {
    const [rows, seed, column] = [this.total.value, this.seed.value, this.column.trim()];
    const from = this.sources.flatMap(({ datasetId, query, version, weight }) =>
      weight.value === null || datasetId === ''
        ? []
        : [{ datasetId, query: query.trim(), weight: weight.value, ...(version !== '' && { version }) }],
    );
    const isWhole = from.length === this.sources.length && from.length > 0;
    if (!isWhole || rows === null || seed === null || column === '') return null;
    return { kind: 'mixture', from, rows, repeats: this.repeats, column, seed };
  }
}
