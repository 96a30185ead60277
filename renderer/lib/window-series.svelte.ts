import type { Series } from '../../preload/contract/runs.ts';

/** First and last step that a chart shows. */
export type StepWindow = readonly [from: number, to: number];

/** Share of a window's width that is read beyond each of its ends, so that a moved chart has points at once. */
const MARGIN = 0.25;
/**
 * Points per pixel. The levels of curves are powers of two, so between half as many and as many arrive: at least
 * one per pixel, and one per two pixels of many lines, which cover each other.
 */
const [PER_PIXEL, PER_PIXEL_OF_MANY] = [2, 1];
const MANY = 16;

/** Points to ask for, for charts of a width in pixels; in coarse steps, so that few widths read anew. */
export const pointsFor = (width: number, lines = 1): number =>
  Math.min(
    4000,
    Math.max(1024, (lines > MANY ? PER_PIXEL_OF_MANY : PER_PIXEL) * 256 * Math.ceil(width / 256)),
  );

/** Curves of a part of the steps, at the resolution of that part. */
export interface WindowDetail {
  /** The steps that were read. */
  readonly read: StepWindow;
  readonly series: readonly Series[];
}

type Fetch = (from: number, to: number, points: number) => Promise<readonly Series[]>;

/**
 * Reads curves for the window of a zoomed chart. One request at a time: while it runs, only the newest window
 * waits, so that fast zooming leaves no backlog of stale ones.
 */
export class WindowSeries {
  detail = $state.raw<WindowDetail | null>(null);
  /** True if a window is being read. */
  isReading = $state(false);
  private waiting: (() => Promise<void>) | null = null;
  private turn = 0;
  private readonly failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** Forgets the detail, of another set of curves, say. */
  clear(): void {
    this.turn += 1;
    this.waiting = null;
    this.detail = null;
  }

  /** Asks for a window; `points` is the number for the window alone. */
  ask([from, to]: StepWindow, points: number, fetch: Fetch): void {
    const turn = this.turn;
    const margin = MARGIN * (to - from);
    const read: StepWindow = [Math.floor(from - margin), Math.ceil(to + margin)];
    this.waiting = async () => {
      const series = await fetch(read[0], read[1], Math.round(points * (1 + 2 * MARGIN)));
      if (turn === this.turn) this.detail = { read, series };
    };
    if (!this.isReading) void this.run();
  }

  private async run(): Promise<void> {
    this.isReading = true;
    try {
      for (let next = this.take(); next; next = this.take()) await next();
    } catch (error) {
      this.waiting = null;
      this.failed(error);
    } finally {
      this.isReading = false;
    }
  }

  private take(): (() => Promise<void>) | null {
    const next = this.waiting;
    this.waiting = null;
    return next;
  }
}

/** True if a detail can be drawn in a window. */
export const covers = (detail: WindowDetail | null, window: StepWindow | null): detail is WindowDetail =>
  detail !== null && window !== null && detail.read[0] <= window[0] && detail.read[1] >= window[1];
