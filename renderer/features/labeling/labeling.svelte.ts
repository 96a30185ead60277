import { WhetstoneError } from '../../../engine/schema/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { PairShown, Progress, SideVerdict } from '../../../preload/contract/labels.ts';

export type LabelPort = Pick<WhetstoneClient['labels'], 'queue' | 'decide' | 'undo' | 'recent' | 'progress' | 'pair'>;

/** A decision of this screen; `pair` is kept so that it can be reopened without a question to the services. */
export interface Mark { readonly pairId: string; readonly verdict: SideVerdict; readonly writing: boolean; readonly pair?: PairShown }

/** Pairs held ahead of the one on the screen: a key press shows the next one within a frame. */
const AHEAD = 8;
const REFILL_BELOW = 5;
const MARKS = 5;

/**
 * Labeling one set: what is shown, what is queued, what is being written. The next pair is shown before the decision is on disk; a
 * decision that cannot be written brings its pair back with the error. Writes go out one after the other, so that an undo takes back
 * the newest decision and not an older one.
 */
export class Labeling {
  queue = $state.raw<readonly PairShown[]>([]);
  marks = $state.raw<readonly Mark[]>([]);
  progress = $state.raw<Progress | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  loading = $state(true);
  current = $derived<PairShown | null>(this.queue[0] ?? null);
  finished = $derived(!this.loading && this.queue.length === 0 && this.error === null);
  private readonly setId: string;
  private readonly port: LabelPort;
  private readonly now: () => number;
  private shownAt: number;
  private writes: Promise<void> = Promise.resolve();
  private writing: readonly string[] = [];
  private refilling: Promise<void> | null = null;
  private exhausted = false;

  constructor(setId: string, port: LabelPort, now: () => number = () => performance.now()) {
    this.setId = setId;
    this.port = port;
    this.now = now;
    this.shownAt = now();
  }

  async start(): Promise<void> {
    try {
      const [recent, progress] = await Promise.all([this.port.recent({ setId: this.setId, count: MARKS }), this.port.progress({ setId: this.setId })]);
      this.marks = recent.slice(0, MARKS).sort((a, b) => a.at - b.at).map(({ pairId, verdict }) => ({ pairId, verdict, writing: false }));
      this.progress = progress;
      await this.refill();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.loading = false;
      this.shownAt = this.now();
    }
  }

  /** One key, one decision. Resolves when it is on disk (or has come back). */
  press(verdict: SideVerdict): Promise<void> {
    const pair = this.current;
    if (!pair) return Promise.resolve();
    const seconds = Math.max(0, (this.now() - this.shownAt) / 1000);
    this.error = null;
    this.show(this.queue.slice(1));
    this.writing = [...this.writing, pair.pairId];
    this.marks = [...this.marks.filter(({ pairId }) => pairId !== pair.pairId), { pairId: pair.pairId, verdict, writing: true, pair }].slice(-MARKS);
    const written = this.writes.then(() => this.write(pair, verdict, seconds));
    this.writes = written;
    void this.refill();
    return written;
  }

  private async write(pair: PairShown, verdict: SideVerdict, seconds: number): Promise<void> {
    try {
      this.progress = await this.port.decide({ pairId: pair.pairId, verdict, seconds });
      this.marks = this.marks.map((mark) => (mark.pairId === pair.pairId ? { ...mark, writing: false } : mark));
    } catch (error) {
      this.marks = this.marks.filter(({ pairId }) => pairId !== pair.pairId);
      this.error = WhetstoneError.from(error);
      this.putFirst(pair);
    } finally {
      this.writing = this.writing.filter((each) => each !== pair.pairId);
    }
    if (this.queue.length === 0) await this.refill();
  }

  /** Takes back the newest decision: its pair is on the screen again. Waits for decisions that are still being written. */
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
      this.putFirst(mark.pair ?? await this.port.pair({ pairId: mark.pairId }));
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  private putFirst(pair: PairShown): void {
    this.show([pair, ...this.queue.filter(({ pairId }) => pairId !== pair.pairId)]);
  }

  private show(queue: readonly PairShown[]): void {
    if (queue[0]?.pairId !== this.current?.pairId) this.shownAt = this.now();
    this.queue = queue;
  }

  private async refill(): Promise<void> {
    if (this.exhausted || this.queue.length >= REFILL_BELOW) return;
    this.refilling ??= this.fetch().finally(() => { this.refilling = null; });
    await this.refilling;
  }

  private async fetch(): Promise<void> {
    const held = [...this.queue.map(({ pairId }) => pairId), ...this.writing];
    try {
      const pairs = await this.port.queue({ setId: this.setId, after: held, count: AHEAD });
      const known = [...this.queue.map(({ pairId }) => pairId), ...this.writing];
      const fresh = pairs.filter(({ pairId }) => !known.includes(pairId));
      this.exhausted = pairs.length < AHEAD;
      this.show([...this.queue, ...fresh]);
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }
}
