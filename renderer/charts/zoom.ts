import type uPlot from 'uplot';
import type { Line } from './series.ts';

/** The shown part of an x axis. */
export type Span = readonly [from: number, to: number];

/** A part within the whole, with the same width where that is possible; null if it is all of it. */
export function within([from, to]: Span, [first, last]: Span): Span | null {
  const width = Math.max(to - from, (last - first) * 1e-7);
  if (!(width < last - first)) return null;
  const start = Math.min(Math.max(from, first), last - width);
  return [start, start + width];
}

/** The first step that a line may show: the point of a bucket is the last of its steps. */
export function beginning({ steps, low }: Pick<Line, 'steps' | 'low'>): number {
  if (!low || steps.length < 2) return steps[0];
  const start = steps[0] - (steps[1] - steps[0]);
  return steps[0] >= 0 ? Math.max(0, start) : start;
}

/** A part made narrower or wider by a factor around a value that keeps its place. */
export const zoomed = ([from, to]: Span, around: number, factor: number): Span => [
  around - (around - from) * factor,
  around + (to - around) * factor,
];

export const moved = ([from, to]: Span, by: number): Span => [from + by, to + by];

/** The part of the x axis that a chart shows, and the callback that changes it; null: the whole. */
export interface Zoom {
  readonly shown: () => Span;
  readonly whole: () => Span;
  readonly onspan: (span: Span | null) => void;
}

/** One line for the pages with such charts. */
export const zoomHint =
  'drag or Ctrl + wheel to zoom, Shift + drag to move, double-click to reset; or + − ← → 0';

const STEP = 0.8;
/** Part of the width by which an arrow key moves. */
const ARROW = 0.1;

/** The part after a key; undefined for a key that does nothing, null for the whole. */
export function afterKey(key: string, shown: Span): Span | null | undefined {
  const [from, to] = shown;
  const middle = (from + to) / 2;
  if (key === 'ArrowLeft') return moved(shown, -ARROW * (to - from));
  if (key === 'ArrowRight') return moved(shown, ARROW * (to - from));
  if (key === '+' || key === '=') return zoomed(shown, middle, STEP);
  if (key === '-') return zoomed(shown, middle, 1 / STEP);
  return key === '0' || key === 'Home' ? null : undefined;
}

/**
 * Zooms and moves a plot: Ctrl or ⌘ and the wheel zoom around the pointer (as does a pinch), a sideways wheel or
 * Shift and a drag move, the keys + − ← → 0 do the same from the keyboard. Returns a function that ends it.
 */
export function zoomable(host: HTMLElement, plot: uPlot, { shown, whole, onspan }: Zoom): () => void {
  const to = (span: Span): void => onspan(within(span, whole()));
  const perPixel = (): number => (shown()[1] - shown()[0]) / Math.max(1, plot.over.clientWidth);
  const onwheel = (event: WheelEvent): void => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      const at = event.clientX - plot.over.getBoundingClientRect().left;
      to(zoomed(shown(), shown()[0] + at * perPixel(), Math.exp(event.deltaY * 0.002)));
    } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      to(moved(shown(), sideways * perPixel()));
    } else return;
    event.preventDefault();
  };
  let last: number | null = null;
  const ondown = (event: PointerEvent): void => {
    if (!event.shiftKey || event.button !== 0) return;
    last = event.clientX;
    plot.over.setPointerCapture(event.pointerId);
  };
  const onmove = (event: PointerEvent): void => {
    if (last === null) return;
    const by = (last - event.clientX) * perPixel();
    last = event.clientX;
    to(moved(shown(), by));
  };
  const onup = (): void => {
    last = null;
  };
  const onkey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = afterKey(event.key, shown());
    if (span === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (span) to(span);
    else onspan(null);
  };
  host.tabIndex = 0;
  const ending = new AbortController();
  const { signal } = ending;
  plot.over.addEventListener('wheel', onwheel, { passive: false, signal });
  plot.over.addEventListener('pointerdown', ondown, { signal });
  plot.over.addEventListener('pointermove', onmove, { signal });
  plot.over.addEventListener('pointerup', onup, { signal });
  plot.over.addEventListener('pointercancel', onup, { signal });
  host.addEventListener('keydown', onkey, { signal });
  return () => ending.abort();
}
