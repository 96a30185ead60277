import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { PairShown, Progress } from '../../../preload/contract/labels.ts';
import { choiceOf, verdictOf, type Choice } from './sides.ts';

export type LabelPort = Pick<
  WhetstoneClient['labels'],
  'queue' | 'decide' | 'undo' | 'recent' | 'progress' | 'pair'
>;

/** A decision made on this screen; `pair` is kept so that reopening needs no request. */
export interface Mark {
  readonly pairId: string;
  readonly choice: Choice;
  readonly writing: boolean;
  readonly pair?: PairShown;
}

/**
 * Number of pairs fetched at a time, and of pairs prefetched: a repeating key fires 30 times a second, and a
 * fetch may take one second.
 */
const FETCHED = 32;
const REFILL_BELOW = 32;
const MARKS = 5;
/** After a decision this slow, the user has read the notices on the screen, so they are cleared. */
const CALM_MS = 1000;

/** Calls back after the current content has been painted, after the next frame. */
const afterPaint = (done: () => void): void => void requestAnimationFrame(() => setTimeout(done, 0));

/** Clock and paint callback of the page. */
export interface Screen {
  readonly now: () => number;
  readonly afterPaint: (done: () => void) => void;
}
const ownScreen: Screen = { now: () => performance.now(), afterPaint };

/**
 * State of labeling one set: the shown pair, the queue and pending writes. A key decides the pair on the
 * screen. Keys pressed before the pair was painted, or without a pair, are ignored and counted in `missed`.
 * The next pair is shown before the decision is on disk; a failed write shows its pair again, with the error.
 * Writes are sequential, so that an undo reverts the newest decision.
 */
export class Labeling {
  queue = $state.raw<readonly PairShown[]>([]);
  marks = $state.raw<readonly Mark[]>([]);
  progress = $state.raw<Progress | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  loading = $state(true);
  /** Ignored key presses since the last slow decision. */
  missed = $state(0);
  /** Whether a key was held down since then; its repetitions are ignored. */
  held = $state(false);
  current = $derived<PairShown | null>(this.queue[0] ?? null);
  finished = $derived(!this.loading && this.queue.length === 0 && this.error === null);
  private readonly setId: string;
  private readonly port: LabelPort;
  private readonly screen: Screen;
  private shownAt: number;
  /** Number of changes of the pair at the front, and the latest of them that was painted. */
  private turn = 0;
  private paintedTurn = 0;
  private writes: Promise<void> = Promise.resolve();
  private writing: readonly string[] = [];
  private refilling: Promise<void> | null = null;
  private exhausted = false;

  constructor(setId: string, port: LabelPort, screen: Screen = ownScreen) {
    this.setId = setId;
    this.port = port;
    this.screen = screen;
    this.shownAt = screen.now();
  }

  async start(): Promise<void> {
    try {
      const [recent, progress] = await Promise.all([
        this.port.recent({ setId: this.setId, count: MARKS }),
        this.port.progress({ setId: this.setId }),
      ]);
      this.marks = recent
        .slice(0, MARKS)
        .sort((a, b) => a.at - b.at)
        .map(({ pairId, verdict, leftIs }) => ({
          pairId,
          choice: choiceOf(verdict, { leftIs }),
          writing: false,
        }));
      this.progress = progress;
      await this.refill();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.loading = false;
      this.wait();
    }
  }

  /**
   * Decides the pair on the screen. Resolves when the decision is on disk or has failed, or at once if the
   * key was ignored.
   */
  press(choice: Choice): Promise<void> {
    const pair = this.current;
    if (!pair || this.paintedTurn !== this.turn) {
      this.missed += 1;
      return Promise.resolve();
    }
    const ms = Math.max(0, this.screen.now() - this.shownAt);
    const seconds = ms / 1000;
    if (ms >= CALM_MS) [this.missed, this.held] = [0, false];
    this.error = null;
    this.show(this.queue.slice(1));
    this.writing = [...this.writing, pair.pairId];
    this.marks = [
      ...this.marks.filter(({ pairId }) => pairId !== pair.pairId),
      { pairId: pair.pairId, choice, writing: true, pair },
    ].slice(-MARKS);
    const written = this.writes.then(() => this.write(pair, choice, seconds));
    this.writes = written;
    void this.refill();
    return written;
  }

  private async write(pair: PairShown, choice: Choice, seconds: number): Promise<void> {
    try {
      const verdict = verdictOf(choice, pair);
      this.progress = await this.port.decide({ pairId: pair.pairId, verdict, seconds });
      this.marks = this.marks.map((mark) =>
        mark.pairId === pair.pairId ? { ...mark, writing: false } : mark,
      );
    } catch (error) {
      this.marks = this.marks.filter(({ pairId }) => pairId !== pair.pairId);
      this.error = WhetstoneError.from(error);
      this.putFirst(pair);
    } finally {
      this.writing = this.writing.filter((each) => each !== pair.pairId);
    }
    if (this.queue.length === 0) await this.refill();
  }

  /** Undoes the newest decision and shows its pair again. Waits for pending writes. */
  undo(): Promise<void> {
    const undone = this.writes.then(async () => {
      try {
        const pair = await this.port.undo({ setId: this.setId });
        if (!pair) return;
        this.error = null;
        this.marks = this.marks.filter(({ pairId }) => pairId !== pair.pairId);
        this.putFirst(pair);
        this.progress = await this.port.progress({ setId: this.setId });
      } catch (error) {
        this.error = WhetstoneError.from(error);
      }
    });
    this.writes = undone;
    return undone;
  }

  /** Shows a decided pair again; a new decision on it is a correction. */
  async reopen(mark: Mark): Promise<void> {
    try {
      this.putFirst(mark.pair ?? (await this.port.pair({ pairId: mark.pairId })));
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  private putFirst(pair: PairShown): void {
    this.show([pair, ...this.queue.filter(({ pairId }) => pairId !== pair.pairId)]);
  }

  private show(queue: readonly PairShown[]): void {
    const isOther = queue[0]?.pairId !== this.current?.pairId;
    this.queue = queue;
    if (isOther) this.wait();
  }

  /** Blocks decisions until the pair at the front has been painted. */
  private wait(): void {
    const turn = ++this.turn;
    this.shownAt = this.screen.now();
    if (this.current)
      this.screen.afterPaint(() => {
        this.paintedTurn = turn;
      });
  }

  private async refill(): Promise<void> {
    if (this.exhausted || this.queue.length >= REFILL_BELOW) return;
    this.refilling ??= this.fetch().finally(() => {
      this.refilling = null;
    });
    await this.refilling;
  }

  private async fetch(): Promise<void> {
    const held = [...this.queue.map(({ pairId }) => pairId), ...this.writing];
    try {
      const pairs = await this.port.queue({ setId: this.setId, after: held, count: FETCHED });
      const known = [...this.queue.map(({ pairId }) => pairId), ...this.writing];
      const fresh = pairs.filter(({ pairId }) => !known.includes(pairId));
      this.exhausted = pairs.length < FETCHED;
      this.show([...this.queue, ...fresh]);
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
