import type { Span } from '../../../engine/schema/labeling/index.ts';
import { overlap, splitsCharacter } from '../../../engine/common/text-ranges.ts';

/** Spans of an answer with the selection from `anchor` to `caret`, in UTF-16 code units of the raw text. */
export interface Marking {
  readonly spans: readonly Span[];
  readonly anchor: number;
  readonly caret: number;
}
export type Unit = 'word' | 'sentence';

/** A movement of the caret. `extend`: the anchor stays. */
export interface Movement {
  readonly unit: Unit;
  readonly step: 1 | -1;
  readonly extend: boolean;
}

const listOf = (value: unknown): readonly Span[] =>
  typeof value === 'object' && value !== null && 'spans' in value
    ? (value as { spans: readonly Span[] }).spans
    : [];

/** The marking of a value in progress, or of a stored one. */
export const markingOf = (value: unknown): Marking => {
  const at = value as Partial<Marking> | undefined;
  return { spans: listOf(value), anchor: at?.anchor ?? 0, caret: at?.caret ?? 0 };
};

interface Stops {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}
const segmenters: Readonly<Record<Unit, Intl.Segmenter>> = {
  word: new Intl.Segmenter('en', { granularity: 'word' }),
  sentence: new Intl.Segmenter('en', { granularity: 'sentence' }),
};

/** Beginnings and ends of the words or sentences of a text, without the white space around them. */
function stopsIn(text: string, unit: Unit): Stops {
  const found = [...segmenters[unit].segment(text)].filter(
    ({ segment, isWordLike }) => (unit === 'word' ? isWordLike === true : true) && segment.trim() !== '',
  );
  return {
    starts: found.map(({ index, segment }) => index + segment.length - segment.trimStart().length),
    ends: found.map(({ index, segment }) => index + segment.trimEnd().length),
  };
}

const newest: Record<Unit, { text: string; stops: Stops } | null> = { word: null, sentence: null };
/** The stops of a text; those of the text asked for last are kept, since each key asks for them. */
const stopsOf = (text: string, unit: Unit): Stops => {
  const known = newest[unit];
  if (known?.text === text) return known.stops;
  const stops = stopsIn(text, unit);
  newest[unit] = { text, stops };
  return stops;
};

/**
 * Moves the caret. Alone it goes from beginning to beginning; extending a selection, its far side takes whole
 * words or sentences.
 */
export function move(before: Marking, text: string, { unit, step, extend }: Movement): Marking {
  const { anchor, caret } = before;
  const { starts, ends } = stopsOf(text, unit);
  const isAfter = caret > anchor || (caret === anchor && step > 0);
  const stops = extend && isAfter ? ends : starts;
  const next =
    step > 0 ? (stops.find((at) => at > caret) ?? text.length) : (stops.findLast((at) => at < caret) ?? 0);
  if (!extend) return { ...before, anchor: next, caret: next };
  // a shrinking selection ends at its anchor before it grows on the other side
  const crosses = caret !== anchor && Math.sign(next - anchor) === -Math.sign(caret - anchor);
  return { ...before, caret: crosses ? anchor : next };
}

/** Moves an offset out of the middle of a character. */
const whole = (text: string, at: number): number => (splitsCharacter(text, at) ? at + 1 : at);

/** Selects a range, for the mouse. */
export const select = (before: Marking, text: string, anchor: number, caret: number): Marking => ({
  ...before,
  anchor: whole(text, Math.min(anchor, text.length)),
  caret: whole(text, Math.min(caret, text.length)),
});

export const selectionOf = ({ anchor, caret }: Marking): readonly [number, number] => [
  Math.min(anchor, caret),
  Math.max(anchor, caret),
];

/** The selected range without white space at its ends; without a selection, the word at the caret. */
function rangeToMark(marking: Marking, text: string): readonly [number, number] {
  const [from, to] = selectionOf(marking);
  if (from === to) {
    const { starts, ends } = stopsOf(text, 'word');
    const at = ends.findIndex((end) => end > from);
    return at >= 0 && starts[at] <= from ? [starts[at], ends[at]] : [from, from];
  }
  const selected = text.slice(from, to);
  const start = from + selected.length - selected.trimStart().length;
  return [start, Math.max(start, from + selected.trimEnd().length)];
}

/** Marks the selection with a label; spans of the same label that it touches become one with it. */
export function assign(before: Marking, text: string, label: string): Marking {
  const [start, end] = rangeToMark(before, text);
  if (start === end) return before;
  const added: Span = { start, end, label };
  const touched = before.spans.filter((span) => overlap(span, added));
  const comment = touched.find((span) => span.comment !== undefined)?.comment;
  const union: Span = {
    start: Math.min(start, ...touched.map((span) => span.start)),
    end: Math.max(end, ...touched.map((span) => span.end)),
    label,
    ...(comment !== undefined && { comment }),
  };
  const spans = [...before.spans.filter((span) => !touched.includes(span)), union];
  return {
    spans: spans.toSorted((a, b) => a.start - b.start || a.end - b.end),
    anchor: union.start,
    caret: union.end,
  };
}

/** The shortest span that holds the caret or shares text with the selection. */
export function spanAt(marking: Marking): Span | undefined {
  const [from, to] = selectionOf(marking);
  const held = marking.spans.filter(({ start, end }) =>
    from === to ? start <= from && from <= end : start < to && from < end,
  );
  return held.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
}

/** Removes the span at the caret. */
export function removeAt(before: Marking): Marking {
  const span = spanAt(before);
  return span ? { ...before, spans: before.spans.filter((each) => each !== span) } : before;
}

/** Selects the next span after the selection (−1: the previous one), around the ends. */
export function nextSpan(before: Marking, step: 1 | -1): Marking {
  const [from] = selectionOf(before);
  const { spans } = before;
  const found =
    step > 0
      ? (spans.find(({ start }) => start > from) ?? spans.at(0))
      : (spans.findLast(({ start }) => start < from) ?? spans.at(-1));
  return found ? { ...before, anchor: found.start, caret: found.end } : before;
}

/** Sets the comment on a span; an empty one removes it. */
export const comment = (before: Marking, span: Span, text: string): Marking => {
  const { start, end, label } = span;
  const changed: Span = { start, end, label, ...(text.trim() !== '' && { comment: text.trim() }) };
  return { ...before, spans: before.spans.map((each) => (each === span ? changed : each)) };
};

/** A part of the text whose marks are the same throughout. */
export interface Segment {
  readonly start: number;
  readonly text: string;
  readonly labels: readonly string[];
  /** Labels of the spans that end with it. */
  readonly ending: readonly string[];
  readonly selected: boolean;
  /** The caret is before it. */
  readonly caret: boolean;
}

/** Divides a text at the ends of spans and selection; without a marking, only at the spans. */
export function segmentsOf(
  text: string,
  spans: readonly Span[],
  marking: Marking | null = null,
): readonly Segment[] {
  const [from, to] = marking ? selectionOf(marking) : [-1, -1];
  const cuts = new Set([0, from, to, ...spans.flatMap(({ start, end }) => [start, end])]);
  const starts = [...cuts].filter((at) => at >= 0 && at < text.length).sort((a, b) => a - b);
  const segments = starts.map((start, at): Segment => {
    const end = starts.at(at + 1) ?? text.length;
    const held = spans.filter((span) => span.start < end && span.end > start);
    return {
      start,
      text: text.slice(start, end),
      labels: held.map(({ label }) => label),
      ending: held.filter((span) => span.end === end).map(({ label }) => label),
      selected: start >= from && end <= to,
      caret: marking?.caret === start,
    };
  });
  if (marking?.caret !== text.length) return segments;
  const last: Segment = {
    start: text.length,
    text: '',
    labels: [],
    ending: [],
    selected: false,
    caret: true,
  };
  return [...segments, last];
}
