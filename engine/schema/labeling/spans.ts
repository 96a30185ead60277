import * as z from 'zod';
import { inOrder, overlap, splitsCharacter } from '../../common/text-ranges.ts';
import type { LabelMode } from './mode.ts';

/**
 * A marked part `[start, end)` of an answer. Offsets count UTF-16 code units of the raw text, as JavaScript,
 * Label Studio and the Language Server Protocol do; Python counts code points, so texts with characters above
 * U+FFFF need a conversion there.
 */
export const Span = z.strictObject({
  start: z.int().min(0),
  end: z.int().min(1),
  label: z.string().trim().min(1).max(60),
  comment: z.string().trim().max(4000).optional(),
});
export type Span = z.infer<typeof Span>;

const Spans = z.strictObject({ spans: z.array(Span).max(2000) });

/** The reason why a span is invalid; null if it is valid. `labels`: the labels of the set. */
function fault({ start, end, label }: Span, text: string, labels: readonly string[]): string | null {
  if (end <= start) return 'the span is empty';
  if (end > text.length) return `the span ends after the answer (${text.length} UTF-16 code units)`;
  if (splitsCharacter(text, start) || splitsCharacter(text, end)) return 'the span cuts a character in two';
  return labels.includes(label) ? null : `the set has no label “${label}”`;
}

/** The spans of a stored value, in order. */
export const spansOf = (value: unknown): Span[] => inOrder(Spans.parse(value).spans);

export const spans: LabelMode = {
  id: 'spans',
  title: 'Spans',
  summary: 'Mark parts of an answer with labels, such as wrong or unsupported.',
  answers: { least: 1, most: 1 },
  value: (_count, { spanLabels }, [answer = '']) =>
    Spans.superRefine(({ spans: marked }, { addIssue }) => {
      marked.forEach((span, at) => {
        const isRepeated = marked.slice(0, at).some((other) => overlap(other, span));
        const message = isRepeated
          ? `it overlaps another span with the label “${span.label}”`
          : fault(span, answer, spanLabels);
        if (message !== null) addIssue({ code: 'custom', message, path: ['spans', at] });
      });
    }).transform((value) => ({ spans: inOrder(value.spans) })),
  pairs: () => [],
};
