import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { PairFilter, PairMark, PairOrder, PairOutcome } from '../../../engine/schema/inspected-pair.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ShownPair } from '../../../preload/contract/inspections.ts';
import { markFrom, markText } from '../../../preload/wire/pair-mark.ts';
import { href } from '../../lib/router.svelte.ts';

type Client = Pick<WhetstoneClient, 'inspections' | 'labels' | 'datasets'>;

/** Choice of the pairs shown, as the address has it. */
export interface PairsQuery {
  readonly mark?: PairMark;
  readonly outcome?: PairOutcome;
  readonly order: PairOrder;
  /** Other reward models, with which the pairs are shown as an ensemble. */
  readonly others: readonly string[];
}

export const orders: Readonly<Record<PairOrder, string>> = {
  stored: 'In their order',
  hardest: 'Hardest: smallest |margin|',
  'surest-error': 'Surest error: most negative margin',
  disagreement: 'Disagreement with the label',
  'longest-ratio': 'Most unequal lengths',
  ensemble: 'Most disagreement of the models',
};
export const outcomes: Readonly<Record<PairOutcome, string>> = {
  right: 'Right',
  wrong: 'Wrong',
  equal: 'Equal scores',
};

const known = <T extends string>(
  all: Readonly<Record<T, string>>,
  text: string | undefined,
): T | undefined => (text !== undefined && Object.hasOwn(all, text) ? (text as T) : undefined);

/** The other reward models of an address, and their text there. */
export const othersFrom = (text = ''): string[] =>
  text.split(',').filter((id, at, all) => id !== '' && all.indexOf(id) === at);
export const othersText = (ids: readonly string[]): string | undefined => ids.join(',') || undefined;

/** Reads an address; what it does not know counts as absent. Throws `invalid-input` for a broken mark. */
export const queryFrom = (query: Readonly<Record<string, string>>): PairsQuery => {
  const outcome = known(outcomes, query.outcome);
  return {
    ...(query.mark !== undefined && { mark: markFrom(query.mark) }),
    ...(outcome && { outcome }),
    order: known(orders, query.order) ?? 'stored',
    others: othersFrom(query.other),
  };
};

/** A query as part of an address. */
export const addressOf = ({
  mark,
  outcome,
  order,
  others,
}: PairsQuery): Record<string, string | undefined> => ({
  mark: mark && markText(mark),
  outcome,
  order: order === 'stored' ? undefined : order,
  other: othersText(others),
});

/** Something made of the pairs, which can be taken back. */
export interface MadeOfPairs {
  readonly kind: 'dataset' | 'label set';
  readonly id: string;
  readonly name: string;
  readonly pairs: number;
  readonly undo: () => Promise<void>;
}

const PAGE = 50;

/** The pairs behind a mark of one run's inspection, page by page, and what is made of them. */
export class PairsState {
  readonly runId: string;
  total = $state<number | null>(null);
  /** Distinct answers that a bar of scores counts. */
  answers = $state<number | null>(null);
  pairs = $state.raw<readonly ShownPair[]>([]);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  made = $state.raw<MadeOfPairs | null>(null);
  readonly #client: Client;
  #query: PairsQuery = { order: 'stored', others: [] };
  #shown = '';

  constructor(runId: string, client: Client) {
    this.runId = runId;
    this.#client = client;
  }

  get filter(): PairFilter {
    const { mark, outcome } = this.#query;
    return { ...(mark && { mark }), ...(outcome && { outcome }) };
  }

  /** Shows the first page of a query; nothing for the one that is shown. */
  async show(query: PairsQuery): Promise<void> {
    const key = JSON.stringify(query);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#query = query;
    this.total = this.answers = null;
    this.pairs = [];
    this.error = null;
    await this.#read(key, 0);
  }

  /** Adds the next page. */
  async more(): Promise<void> {
    if (!this.busy) await this.#read(this.#shown, this.pairs.length);
  }

  async #read(key: string, offset: number): Promise<void> {
    const { runId, filter } = this;
    this.busy = true;
    try {
      const { order, others } = this.#query;
      const asked = { runId, filter, order, others: [...others], offset, limit: PAGE };
      const page = await this.#client.inspections.pairs(asked);
      if (key !== this.#shown) return;
      this.total = page.total;
      this.answers = page.answers;
      this.pairs = offset === 0 ? page.pairs : [...this.pairs, ...page.pairs];
    } catch (error) {
      if (key === this.#shown) this.error = WhetstoneError.from(error);
    } finally {
      if (key === this.#shown) this.busy = false;
    }
  }

  /** Makes a dataset or a label set of all pairs of the query, or of one. Failures are shown. */
  async make(kind: MadeOfPairs['kind'], name: string, only?: ShownPair): Promise<MadeOfPairs | null> {
    if (this.busy) return null;
    this.busy = true;
    this.error = this.made = null;
    const filter = only ? { mark: { kind: 'positions' as const, positions: [only.position] } } : this.filter;
    const { order, others } = this.#query;
    // a single pair has no order
    const sorted = only ? {} : { order, others: [...others] };
    const asked = { runId: this.runId, filter, name, ...sorted };
    try {
      this.made = kind === 'dataset' ? await this.#dataset(asked) : await this.#labels(asked);
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
    return this.made;
  }

  /** The address of the labeler on a pair: in its label set, or in a new one of this pair. Null after a failure. */
  async labelerOf(pair: ShownPair, judge: string): Promise<string | null> {
    if (pair.label) return href(['label', pair.label.setId], { open: pair.pairId });
    const made = await this.make('label set', `Pair ${pair.position + 1} of ${judge}`.slice(0, 200), pair);
    return made && href(['label', made.id]);
  }

  /** One pair, by its position. Throws `not-found`. */
  async read(position: number): Promise<ShownPair> {
    const mark = { kind: 'positions' as const, positions: [position] };
    const { pairs } = await this.#client.inspections.pairs({ runId: this.runId, filter: { mark } });
    if (pairs.length > 0) return pairs[0];
    throw new WhetstoneError('not-found', `There is no pair ${position + 1}.`, { where: 'pair' });
  }

  /** Takes back what was made last. */
  async undo(): Promise<void> {
    const { made } = this;
    if (!made) return;
    try {
      await made.undo();
      this.made = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  async #dataset(asked: Asked): Promise<MadeOfPairs> {
    const { inspections, datasets } = this.#client;
    const { id, name, rows } = await inspections.toDataset(asked);
    const undo = async (): Promise<void> => void (await datasets.remove({ id }));
    return { kind: 'dataset', id, name, pairs: rows / 2, undo };
  }

  async #labels(asked: Asked): Promise<MadeOfPairs> {
    const { inspections, datasets, labels } = this.#client;
    const { id, name, pairs, source } = await inspections.toLabels(asked);
    const undo = async (): Promise<void> => {
      await labels.removeSet({ id });
      await datasets.remove({ id: source.slice('dataset:'.length) });
    };
    return { kind: 'label set', id, name, pairs, undo };
  }
}
type Asked = Parameters<Client['inspections']['toDataset']>[0];
