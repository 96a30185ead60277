import type { Span } from '../../schema/labeling/index.ts';
import { jsonArray } from './encodings/json.ts';
import { further, referenceColumn } from './ranked.ts';
import type { AnswerItem, RecordOf, Writer, Written } from './writer.ts';

const common = {
  extension: '.json',
  encoding: jsonArray,
};

/** Writes answers with marked spans, and leaves the others out. */
const marked =
  (record: (item: AnswerItem, spans: readonly Span[]) => RecordOf) =>
  (item: AnswerItem): Written => {
    if (item.judged.kind !== 'spans') return { leftOut: 'answers without spans' };
    if (item.answer === '') return { leftOut: 'empty answers' };
    return [record(item, item.judged.spans)];
  };

/** Tasks with the results of the Labels control over a Text, offsets in UTF-16 code units as Label Studio counts. */
export const labelStudioSpans: Writer = {
  ...common,
  id: 'label-studio-spans',
  title: 'Label Studio, spans',
  cannotHold: 'Nothing is left out; comments are text areas of their regions.',
  fromAnswer: {
    modes: ['spans'],
    write: marked(({ itemId, prompt, answer, reference, about }, spans) => ({
      data: { prompt, text: answer, itemId, ...referenceColumn(reference), ...further(about) },
      annotations: [{ result: spans.flatMap((span, at) => regions(span, `${itemId}-${at}`, answer)) }],
    })),
  },
};

const regions = ({ start, end, label, comment }: Span, id: string, answer: string): RecordOf[] => {
  const region = { id, to_name: 'text' };
  const place = { start, end, text: answer.slice(start, end) };
  return [
    { ...region, type: 'labels', from_name: 'label', value: { ...place, labels: [label] } },
    ...(comment === undefined
      ? []
      : [{ ...region, type: 'textarea', from_name: 'comment', value: { ...place, text: [comment] } }]),
  ];
};

/** Number of code points before an offset in UTF-16 code units. */
const codePoints = (text: string, end: number): number => [...text.slice(0, end)].length;

/** Records with responses to a SpanQuestion of Argilla 2, whose offsets count code points, as Python does. */
export const argillaSpans: Writer = {
  ...common,
  id: 'argilla-spans',
  title: 'Argilla records, spans',
  cannotHold: 'Comments on spans are kept in the metadata only.',
  fromAnswer: {
    modes: ['spans'],
    write: marked(({ itemId, prompt, answer, reference, about }, spans) => ({
      id: itemId,
      fields: { prompt, answer },
      metadata: {
        ...referenceColumn(reference),
        ...about,
        ...(spans.some(({ comment }) => comment !== undefined) && {
          comments: spans.map(({ comment }) => comment ?? ''),
        }),
      },
      responses: {
        spans: [
          {
            value: spans.map(({ start, end, label }) => ({
              start: codePoints(answer, start),
              end: codePoints(answer, end),
              label,
            })),
          },
        ],
      },
    })),
  },
};
