import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { DecisionDetails } from '../../../engine/schema/labeling/index.ts';
import type { Choice, PairShown, Progress } from '../../../preload/contract/labels.ts';
import { Draft } from './draft.svelte.ts';
import { Front, ownScreen, type Screen } from './front.svelte.ts';
import { KeyQueue, type Readiness } from './key-queue.svelte.ts';
import { reordered } from './reordering.ts';

export type LabelPort = Pick<
  WhetstoneClient['labels'],
  'queue' | 'decide' | 'undo' | 'redo' | 'recent' | 'progress' | 'pair' | 'reference'
>;

/** A decision made on this screen. */
export interface Mark {
  readonly pairId: string;
  readonly choice: Choice;
  readonly writing: boolean;
}

/**
 * Pairs fetched at first, which is also the least number held: a repeating key fires 30 times a second, and a
 * fetch may take one second. Later fetches are small, so that reading one delays no frame.
 */
const HELD = 32;
const REFILL = 8;
const MARKS = 5;
/** After a decision this slow, the user has read the notice on the screen, so it is cleared. */
const CALM_MS = 1000;

interface Decided {
  readonly choice: Choice;
  readonly value: unknown;
  readonly details: DecisionDetails;
  readonly seconds: number;
}

/**
 * State of labeling one set: the shown pair, the queue and pending writes. Keys act in the order in which they
 * were pressed. A verdict key decides the pair on the screen; if that pair is not painted yet, or still being
 * fetched, the key waits for it, so each key decides one pair that was on the screen. The next pair is shown
 * before the decision is on disk; a failed write shows its pair again, with the decision and the error, and
 * drops the waiting keys. Writes are sequential, so that an undo reverts the newest decision.
 */
export class Labeling {
  queue = $state.raw<readonly PairShown[]>([]);
  marks = $state.raw<readonly Mark[]>([]);
  progress = $state.raw<Progress | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  loading = $state(true);
  /** True if a key was held down since the last slow decision; its repetitions are ignored. */
  held = $state(false);
  readonly keys = new KeyQueue();
  /** Details of the decision to be made about the pair on the screen. */
  draft = $state.raw(new Draft());
  /** True if the critique field of the pair on the screen is open. */
  writesCritique = $state(false);
  /** True if answers are cut to the length of the shorter one until they are decided. */
  lengthBlind = $state(false);
  readonly labeler: string;
  readonly front: Front;
  /** True if the last item that is held is being written: hidden repeats may follow it. */
  private isAsking = $state(false);
  private readonly mine: { readonly setId: string; readonly labeler: string };
  private readonly port: LabelPort;
  private readonly screen: Screen;
  private shownAt: number;
  private writes: Promise<void> = Promise.resolve();
  private writing: readonly string[] = [];
  /** Drafts of pairs before which another one was put. */
  private readonly interrupted = new WeakMap<PairShown, Draft>();
  /** Pairs that are shown again but were decided with cut answers only. */
  private readonly stillCut = new WeakSet<PairShown>();
  private refilling: Promise<void> | null = null;
  private exhausted = false;

  constructor(setId: string, port: LabelPort, screen: Screen = ownScreen, labeler = 'me') {
    this.mine = { setId, labeler };
    this.labeler = labeler;
    this.port = port;
    this.screen = screen;
    this.front = new Front(screen);
    this.shownAt = screen.now();
  }

  /** The pair on the screen. A getter, not $derived: calls that end after the screen was left read it. */
  get current(): PairShown | null {
    return this.queue[0] ?? null;
  }

  get finished(): boolean {
    return !this.loading && !this.isAsking && this.queue.length === 0 && this.error === null;
  }

  /** The pairs that are laid out. */
  get staged(): readonly PairShown[] {
    return this.front.staged(this.queue);
  }

  async start(): Promise<void> {
    try {
      const [recent, progress] = await Promise.all([
        this.port.recent({ ...this.mine, count: MARKS }),
        this.port.progress(this.mine),
      ]);
      this.marks = recent
        .slice(0, MARKS)
        .sort((a, b) => a.at - b.at)
        .map(({ pairId, choice }) => ({ pairId, choice, writing: false }));
      this.progress = progress;
      await this.refill();
    } catch (error) {
      this.fail(error);
    } finally {
      this.loading = false;
      this.wait();
      this.keys.advance();
    }
  }

  /**
   * Decides the pair on the screen, or the pair that the keys before this one leave there. Resolves when the
   * decision is on disk or has failed, or when the key was dropped. `strength` as in `DecisionDetails`.
   */
  press(choice: Choice, strength?: number): Promise<void> {
    return this.keys.add({
      readiness: () => this.canDecide(),
      begin: () => ({ done: this.decide(choice, strength) }),
    });
  }

  /** Changes the details of the pair on the screen, in the order of the keys. */
  annotate(change: (draft: Draft) => void): void {
    void this.keys.add({ readiness: () => this.canDecide(), begin: () => change(this.draft) });
  }

  /**
   * Changes the value of the pair on the screen; decides it if the value is then complete. Resolves like
   * `press`.
   */
  answer(change: (value: unknown, pair: PairShown) => { value: unknown; complete: boolean }): Promise<void> {
    return this.keys.add({
      readiness: () => this.canDecide(),
      begin: () => {
        if (!this.current) return;
        const { value, complete } = change(this.draft.value, this.current);
        this.draft.value = value;
        if (complete) return { done: this.decide('answered') };
      },
    });
  }

  /** Shows the reference answer of the pair on the screen; the decision records it. */
  reveal(): Promise<void> {
    return this.keys.add({
      readiness: () => this.canDecide(),
      begin: () => ({ begun: this.fetchReference() }),
    });
  }

  private async fetchReference(): Promise<void> {
    const { draft, current } = this;
    if (!current) return;
    try {
      const { reference } = await this.port.reference({ pairId: current.pairId });
      draft.reveal(reference);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Runs an action of the screen, such as showing differences, after the keys before it. */
  inOrder(run: () => void): void {
    void this.keys.add({ readiness: () => 'now', begin: run });
  }

  /** Runs an action on the pair on the screen, after the keys before it. */
  whenShown(run: () => void): void {
    void this.keys.add({ readiness: () => this.canDecide(), begin: run });
  }

  /** True if the answers of a pair are cut to the length of the shorter one. */
  isCut(pair: PairShown): boolean {
    return this.lengthBlind && (!pair.before || this.stillCut.has(pair));
  }

  openCritique(): void {
    this.writesCritique = this.current !== null;
  }

  closeCritique(): void {
    this.writesCritique = false;
  }

  /** Drops the keys that wait; decisions already made are still written. */
  drop(): void {
    this.keys.clear();
  }

  private canDecide(): Readiness {
    if (this.current) return this.front.isReady ? 'now' : 'wait';
    return this.loading || this.refilling || this.writing.length > 0 ? 'wait' : 'never';
  }

  private decide(choice: Choice, strength?: number): Promise<void> {
    const pair = this.current;
    if (!pair) return Promise.resolve();
    const details = this.draft.details(choice, { strength, lengthBlind: this.isCut(pair) });
    const decision = { choice, value: this.draft.value, details };
    const ms = Math.max(0, this.screen.now() - this.shownAt);
    const seconds = ms / 1000;
    if (ms >= CALM_MS) this.held = false;
    this.error = null;
    this.writing = [...this.writing, pair.pairId];
    this.marks = [
      ...this.marks.filter(({ pairId }) => pairId !== pair.pairId),
      { pairId: pair.pairId, choice, writing: true },
    ].slice(-MARKS);
    this.show(this.queue.slice(1));
    this.isAsking = this.queue.length === 0;
    const written = this.writes.then(() => this.write(pair, { ...decision, seconds }));
    this.writes = written;
    void this.refill();
    return written;
  }

  private async write(pair: PairShown, { choice, ...rest }: Decided): Promise<void> {
    try {
      const { pairId } = pair;
      this.progress = await this.port.decide({ pairId, verdict: choice, labeler: this.labeler, ...rest });
      this.marks = this.marks.map((mark) =>
        mark.pairId === pair.pairId ? { ...mark, writing: false } : mark,
      );
    } catch (error) {
      this.marks = this.marks.filter(({ pairId }) => pairId !== pair.pairId);
      this.fail(error);
      this.putBack(pair, { choice, ...rest });
    } finally {
      this.writing = this.writing.filter((each) => each !== pair.pairId);
    }
    if (this.queue.length === 0) {
      this.exhausted = false;
      await this.refill();
    }
    this.isAsking = false;
    this.keys.advance();
  }

  /** Shows a pair again with the decision that was not written. */
  private putBack(pair: PairShown, { choice, value, details }: Decided): void {
    const again = { ...pair, before: { choice, details, ...(value !== undefined && { value }) } };
    if (details.lengthBlind) this.stillCut.add(again);
    this.putFirst(again);
  }

  /** Undoes the newest decision and shows its pair again, after the keys before it and pending writes. */
  undo(): Promise<void> {
    return this.keys.add({
      readiness: () => (this.loading || this.writing.length > 0 ? 'wait' : 'now'),
      begin: () => ({ begun: this.undoNewest() }),
    });
  }

  private async undoNewest(): Promise<void> {
    try {
      const pair = await this.port.undo(this.mine);
      if (!pair) return;
      this.error = null;
      this.marks = this.marks.filter(({ pairId }) => pairId !== pair.pairId);
      this.putFirst(pair);
      this.progress = await this.port.progress(this.mine);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Repeats the decision undone last, after the keys before it. */
  redo(): Promise<void> {
    return this.keys.add({
      readiness: () => (this.loading || this.writing.length > 0 ? 'wait' : 'now'),
      begin: () => ({ begun: this.redoLast() }),
    });
  }

  private async redoLast(): Promise<void> {
    try {
      const again = await this.port.redo(this.mine);
      if (!again) return;
      const { pairId, choice } = again;
      this.error = null;
      this.marks = [...this.marks, { pairId, choice, writing: false }].slice(-MARKS);
      this.show(this.queue.filter((pair) => pair.pairId !== pairId));
      this.progress = await this.port.progress(this.mine);
      await this.refill();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Shows a decided pair again, after the keys before it; a new decision on it is a correction. */
  reopen(mark: Pick<Mark, 'pairId'>): Promise<void> {
    return this.keys.add({
      readiness: () => (this.loading || this.writing.includes(mark.pairId) ? 'wait' : 'now'),
      begin: () => ({ begun: this.showAgain(mark) }),
    });
  }

  private async showAgain({ pairId }: Pick<Mark, 'pairId'>): Promise<void> {
    try {
      this.putFirst(await this.port.pair({ pairId, labeler: this.labeler }));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Shows an error and drops the keys that wait: they were pressed without knowing of it. */
  private fail(error: unknown): void {
    this.error = WhetstoneError.from(error);
    this.keys.clear();
  }

  /** Shows a pair; the draft of the one on the screen is kept until that is shown again. */
  private putFirst(pair: PairShown): void {
    if (this.current) this.interrupted.set(this.current, this.draft);
    this.show([pair, ...this.queue.filter(({ pairId }) => pairId !== pair.pairId)]);
  }

  private show(queue: readonly PairShown[]): void {
    const { current } = this;
    const isOther = queue[0]?.pairId !== current?.pairId;
    this.queue = queue;
    if (!isOther) return;
    this.front.leave(current);
    const [first] = queue;
    this.draft = (first && this.interrupted.get(first)) ?? new Draft(first?.before);
    this.writesCritique = false;
    this.wait();
  }

  /** Keeps decisions waiting until the pair at the front has been painted. */
  private wait(): void {
    this.shownAt = this.screen.now();
    this.front.await(this.current, () => this.keys.advance());
  }

  /** Fetches again after the number of labelers per item changed. */
  async fetchAgain(): Promise<void> {
    this.exhausted = false;
    await this.start();
  }

  private async refill(): Promise<void> {
    if (this.exhausted || this.queue.length >= HELD) return;
    this.refilling ??= this.fetch().finally(() => {
      this.refilling = null;
      this.keys.advance();
    });
    await this.refilling;
  }

  /** Fetches again the items that were not shown yet: the queue was ordered anew. */
  async reorder(): Promise<void> {
    await this.refilling;
    if (this.loading || this.refilling || this.queue.length <= 2) return;
    this.refilling = this.refetch().finally(() => {
      this.refilling = null;
      this.keys.advance();
    });
    await this.refilling;
  }

  private async refetch(): Promise<void> {
    const { queue: before } = this;
    const isKept = (pair: PairShown, at: number): boolean =>
      at < 2 || pair.before !== undefined || this.interrupted.has(pair);
    const after = [...before.filter(isKept).map(({ pairId }) => pairId), ...this.writing];
    try {
      const pairs = await this.port.queue({ ...this.mine, after, count: HELD });
      this.exhausted = pairs.length < HELD;
      this.show(reordered({ before, now: this.queue, writing: this.writing }, pairs, isKept));
    } catch (error) {
      this.fail(error);
    }
  }

  private async fetch(): Promise<void> {
    const held = [...this.queue.map(({ pairId }) => pairId), ...this.writing];
    try {
      const count = this.queue.length > REFILL ? REFILL : HELD;
      const pairs = await this.port.queue({ ...this.mine, after: held, count });
      const known = [...this.queue.map(({ pairId }) => pairId), ...this.writing];
      const fresh = pairs.filter(({ pairId }) => !known.includes(pairId));
      this.exhausted = pairs.length < count;
      this.show([...this.queue, ...fresh]);
    } catch (error) {
      this.fail(error);
    }
  }
}
