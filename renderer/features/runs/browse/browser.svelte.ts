import { SvelteMap } from 'svelte/reactivity';
import { WhetstoneError, type ErrorFacts } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type {
  BrowsedSample,
  IndexProgress,
  PromptGroup,
  SampleSelection,
} from '../../../../preload/contract/samples.ts';
import type { Facet } from '../../../../preload/contract/rows.ts';
import { wordsIn } from '../../../../preload/wire/query.ts';
import { toggledTerm } from '../../../../preload/wire/query-edit.ts';
import type { SearchWord } from '../../../../preload/wire/row-search.ts';
import {
  everyAnswer,
  parseSampleQuery,
  sortFromText,
  sortText,
  type SampleSort,
  type SampleView,
} from '../../../../preload/wire/sample-query.ts';
import { Selection } from './selection.svelte.ts';

const PAGE = 50;
/** Answers without derived columns from which on queries wait until the columns are derived. */
const MANY = 16_384;

/** Most other runs that are shown too. */
const MOST_OTHERS = 15;

/** Values of an address that belong to the browser. */
const keys = ['q', 'sort', 'view', 'prompt', 'equal', 'answer', 'runs'] as const;
export type BrowserAddress = Partial<Readonly<Record<(typeof keys)[number], string>>>;

/** The words of a query; none of one with a fault. */
const wordsOf = (query: string): readonly SearchWord[] => {
  try {
    return wordsIn(parseSampleQuery(query));
  } catch {
    return [];
  }
};

/** The selection: some answers, or all that match. */
export type Selected = Omit<SampleSelection, 'view'>;
type Port = WhetstoneClient['samples'];

const views: readonly string[] = ['answers', 'distinct', 'prompts'] satisfies SampleView[];
const viewFrom = (text = ''): SampleView => (views.includes(text) ? (text as SampleView) : 'answers');

/** The sampled answers of a run, and of others that are shown with it: searched, sorted, grouped, selected. */
export class SampleBrowser {
  query = $state('');
  sort = $state.raw<SampleSort | null>(null);
  view = $state<SampleView>('answers');
  /** The opened prompt, the answer whose equals are listed, and the only one listed: another's parent. */
  promptId = $state<string | null>(null);
  equalTo = $state<string | null>(null);
  only = $state<string | null>(null);
  /** Runs whose answers are shown too. */
  others = $state.raw<readonly string[]>([]);
  /** Number of entries of the list that are known; more may come until `isCounted`. */
  total = $state<number | null>(null);
  isCounted = $state(false);
  fault = $state.raw<ErrorFacts | null>(null);
  failed = $state(false);
  /** Index of the entry at the cursor. */
  cursor = $state<number | null>(null);
  words = $state.raw<readonly SearchWord[]>([]);
  facets = $state.raw<readonly Facet[] | null>(null);
  /** Scores that some answer has. */
  scores = $state.raw<readonly string[]>([]);
  /** Answers sampled since the list was read. */
  waiting = $state(0);
  indexing = $state.raw<IndexProgress | null>(null);
  /** True if queries wait for columns of many answers. */
  isPreparing = $state(false);
  readonly selection = new Selection();
  private readonly pages = new SvelteMap<number, readonly (BrowsedSample | PromptGroup)[]>();
  private readonly runId: string;
  private readonly port: Port;
  private readonly on: {
    readonly error: (error: unknown) => void;
    readonly keep: (a: BrowserAddress) => void;
  };
  private requested: readonly number[] = [];
  private asOf: number[] | null = null;
  private generation = 0;
  private anchor = 0;
  private isOpen = false;
  /** The runs whose texts were last indexed, or found indexed. */
  private searched = '';
  private release: () => void = () => undefined;

  constructor(runId: string, port: Port, on: SampleBrowser['on'], address: BrowserAddress = {}) {
    [this.runId, this.port, this.on] = [runId, port, on];
    this.read(address);
  }

  private read(address: BrowserAddress): void {
    this.query = address.q ?? '';
    this.sort = sortFromText(address.sort ?? '');
    this.view = viewFrom(address.view);
    [this.promptId, this.equalTo] = [address.prompt ?? null, address.equal ?? null];
    this.only = address.answer ?? null;
    const all = [this.runId, ...(address.runs ?? '').split(',')];
    this.others = all.filter((id, at) => id !== '' && at > 0 && all.indexOf(id) === at).slice(0, MOST_OTHERS);
  }

  /** Shows what an address says; does nothing if it is shown. */
  take(address: BrowserAddress): void {
    if (keys.every((key) => (address[key] ?? '') === (this.address[key] ?? ''))) return;
    this.read(address);
    this.cursor = null;
    this.selection.clear();
    if (this.isOpen) void this.prepare(true);
  }

  get runIds(): string[] {
    return [this.runId, ...this.others];
  }

  /** The view of the list: an opened prompt lists its different answers, an opened answer its equals. */
  get shownView(): SampleView {
    if (this.equalTo !== null || this.only !== null) return 'answers';
    return this.promptId === null ? this.view : 'distinct';
  }

  get address(): BrowserAddress {
    return {
      q: this.query.trim() || undefined,
      sort: this.sort ? sortText(this.sort) : undefined,
      view: this.view === 'answers' ? undefined : this.view,
      prompt: this.promptId ?? undefined,
      equal: this.equalTo ?? undefined,
      answer: this.only ?? undefined,
      runs: this.others.join(',') || undefined,
    };
  }

  /** True if the query alone says what is listed. */
  private get listsAll(): boolean {
    return this.shownView === 'answers' && this.equalTo === null && this.only === null;
  }

  sampleAt(index: number): BrowsedSample | undefined {
    const entry = this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    return entry && 'completion' in entry ? entry : undefined;
  }

  promptAt(index: number): PromptGroup | undefined {
    const entry = this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    return entry && 'answers' in entry ? entry : undefined;
  }

  /** Reads the list until `close`, and derives what searching and sorting many answers needs. */
  open(): void {
    this.isOpen = true;
    void this.prepare(true);
  }

  close(): void {
    this.isOpen = false;
    this.generation += 1;
    this.release();
  }

  ask(query: string): void {
    if (query.trim() === this.query.trim()) return;
    [this.query, this.only] = [query, null];
    this.changed();
  }

  toggle(term: string): void {
    this.ask(toggledTerm(this.query, term));
  }

  sortBy(sort: SampleSort | null): void {
    [this.sort, this.only] = [sort, null];
    this.changed();
  }

  show(view: SampleView): void {
    [this.view, this.promptId, this.equalTo, this.only] = [view, null, null, null];
    this.changed();
  }

  showRuns(others: readonly string[]): void {
    this.others = others;
    this.selection.clear();
    this.on.keep(this.address);
    void this.prepare(true);
  }

  /** Opens the entry at the cursor: a prompt's answers, or the equals of an answer. */
  enter(): void {
    if (this.cursor === null) return;
    const prompt = this.promptAt(this.cursor);
    const sample = this.sampleAt(this.cursor);
    if (prompt) this.promptId = prompt.promptId;
    else if (sample && sample.copies > 1) this.equalTo = sample.id;
    else return;
    this.changed();
  }

  /** Opens the answer that another one continues or revises. */
  openParent(id: string): void {
    this.only = id;
    this.changed();
  }

  /** Goes back to the list from which the shown one was opened; false at the first one. */
  leave(): boolean {
    if (this.only !== null) this.only = null;
    else if (this.equalTo !== null) this.equalTo = null;
    else if (this.promptId !== null) this.promptId = null;
    else return false;
    this.changed();
    return true;
  }

  /** Counts `n` new answers; an empty list shows them at once. */
  arrived(n: number): void {
    if (n === 0) return;
    this.waiting += n;
    if (this.total === 0 && this.isOpen) this.again();
  }

  /** Reads everything again: after a failure, or with the answers that have arrived. */
  again(): void {
    if (this.isOpen) this.restart();
  }

  private changed(): void {
    this.cursor = null;
    this.selection.clear();
    this.on.keep(this.address);
    this.restart();
  }

  private restart(): void {
    this.generation += 1;
    [this.failed, this.isCounted, this.fault, this.requested] = [false, false, null, []];
    [this.waiting, this.asOf, this.total] = [0, null, null];
    this.pages.clear();
    try {
      this.words = wordsIn(parseSampleQuery(this.query));
    } catch (error) {
      this.fail(error);
      return;
    }
    const isPlain = this.listsAll && !this.sort && this.query.trim() === '';
    if (this.isPreparing && !isPlain) return;
    void this.fetch(0);
    if (!this.isPreparing) void this.count();
    if (this.words.length > 0 && !this.isPreparing && this.searched !== this.runIds.join())
      void this.prepare(false);
  }

  /** Fetches the missing entries of `first`–`last`. */
  need(first: number, last: number): void {
    if (this.fault) return;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1)
      void this.fetch(page);
  }

  private async fetch(page: number): Promise<void> {
    if (this.requested.includes(page)) return;
    this.requested = [...this.requested, page];
    const { generation } = this;
    try {
      const entries: (BrowsedSample | PromptGroup)[] = [];
      // pages are shorter than requested if texts are long
      for (let isMore = true; isMore && entries.length < PAGE;) {
        const offset = page * PAGE + entries.length;
        const found = await this.port.page({
          ...this.matching,
          view: this.shownView,
          asOf: this.asOf,
          offset,
          limit: PAGE - entries.length,
        });
        if (generation !== this.generation) return;
        if (found.asOf.length > 0) this.asOf ??= found.asOf;
        const read = this.shownView === 'prompts' ? found.prompts : found.samples;
        entries.push(...read);
        isMore = found.more && read.length > 0;
        this.counted(found.total, offset + read.length + Number(found.more));
      }
      this.pages.set(page, entries);
      if (this.cursor === null && entries.length > 0 && page === 0) this.cursor = 0;
    } catch (error) {
      if (generation !== this.generation) return;
      this.requested = this.requested.filter((each) => each !== page);
      this.fail(error);
    }
  }

  private counted(total: number | null, atLeast: number): void {
    this.failed = false;
    if (this.isCounted) return;
    this.isCounted = total !== null;
    this.total = total ?? Math.max(atLeast, this.total ?? 0);
  }

  private async count(): Promise<void> {
    const { generation, runIds, query } = this;
    try {
      const { total, facets, scores } = await this.port.facets({ runIds, query });
      if (generation !== this.generation) return;
      [this.facets, this.scores] = [facets, scores];
      if (this.listsAll && !this.isCounted) [this.total, this.isCounted] = [total, true];
    } catch (error) {
      if (generation === this.generation) this.fail(error);
    }
  }

  /**
   * Derives columns of the answers, and once words are searched the full-text index, with progress. `first`:
   * reads the list too, as soon as it can be had.
   */
  private async prepare(first: boolean): Promise<void> {
    this.release();
    const { runIds } = this;
    const texts = wordsOf(this.query).length > 0;
    if (texts) this.searched = runIds.join();
    let isStopped = false;
    this.release = () => (isStopped = true);
    try {
      const pending = await this.port.pending({ runIds });
      if (isStopped) return;
      this.isPreparing = pending.answers > MANY;
      if (first) this.restart();
      if (pending.answers + (texts ? pending.texts : 0) > 0) this.follow(runIds, texts);
    } catch (error) {
      if (!isStopped) this.fail(error);
    }
  }

  private follow(runIds: string[], texts: boolean): void {
    const stop = this.port.index(
      { runIds, texts },
      (progress) => {
        this.indexing = progress.done < progress.total ? progress : null;
      },
      (error) => {
        this.indexing = null;
        if (error) this.on.error(error);
        if (!this.isPreparing) return;
        this.isPreparing = false;
        this.restart();
      },
    );
    this.release = () => {
      this.indexing = null;
      stop();
    };
  }

  private fail(error: unknown): void {
    const fact = WhetstoneError.from(error);
    if (fact.kind === 'invalid-input' || fact.kind === 'unsupported') {
      this.fault = fact.facts;
      this.total = null;
      return;
    }
    if (this.pages.size === 0) [this.total, this.failed] = [null, true];
    this.on.error(error);
  }

  /** The answers that the list is made of. */
  private get matching(): Selected {
    const { runIds, query, sort, promptId, equalTo } = this;
    // it is listed whatever the query says
    if (this.only !== null)
      return { runIds, query: everyAnswer, sort: null, promptId: null, equalTo: null, ids: [this.only] };
    return { runIds, query, sort: sort && { ...sort }, promptId, equalTo, ids: null };
  }

  /** Moves the cursor to an entry; `extend` selects the answers from where it was. */
  go(place: number, extend = false): void {
    if (!this.total) return;
    const to = Math.min(this.total - 1, Math.max(0, place));
    if (extend) {
      const [low, high] = [Math.min(this.anchor, to), Math.max(this.anchor, to)];
      for (let at = low; at <= high; at += 1) this.selection.add(this.sampleAt(at)?.id);
    } else this.anchor = to;
    this.cursor = to;
  }

  isSelected(index: number): boolean {
    return this.selection.has(this.sampleAt(index)?.id);
  }

  /** The selected answers, or all that match if none is selected. */
  get selected(): Selected {
    const { ids, isAll } = this.selection;
    return { ...this.matching, ids: isAll || ids.size === 0 ? null : [...ids] };
  }
}
