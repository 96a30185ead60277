import { WhetstoneError } from '../../common/errors.ts';
import { stepRanges } from '../../common/answer-steps.ts';
import { Verdict } from '../../schema/preference.ts';
import {
  argillaShape,
  BadRecord,
  Fields,
  labelStudioShape,
  layoutOf,
  ownLabelsShape,
  type Layout,
  type RecordOf,
  type ShapedRow,
} from '../shapes/index.ts';
import { openSource } from '../sources/index.ts';
import { argillaLabels, labelStudioLabels, nameOf, timeOf } from './annotations.ts';
import type { FileLabel, LabelFacts, UnplacedLabel } from './file-label.ts';

/** A line without a label that can be read, and the reason. */
export interface UnreadLine {
  readonly line: number;
  readonly reason: string;
}

export type LabelsRead = {
  readonly labels: readonly FileLabel[];
  readonly unread: readonly UnreadLine[];
  readonly line: number;
};

/** Records that decide the layout. */
const VOTERS = 50;
/** Longest record, in characters. */
const RECORD = 4_000_000;

type Found = { readonly line: number } & ({ readonly value: unknown } | { readonly reason: string });

/**
 * Reads the labels of a file: Label Studio's pairwise export, Argilla's records, our own exports, and every
 * layout of preferences or marked answers that datasets are read from. `takes`: decisions on pairs, or on
 * single answers. Yields batches. Throws `invalid-input` for a file of no known layout, `cancelled`, and the
 * errors of opening it.
 */
export async function* readLabels(
  path: string,
  takes: 'pairs' | 'answers',
  signal?: AbortSignal,
): AsyncGenerator<LabelsRead> {
  await using source = await openSource(path);
  let layout: Layout | null = null;
  let waiting: Found[] = [];
  const read = (found: readonly Found[]): LabelsRead => batch(found, layout, takes);
  for await (const some of source.records({ recordCharacters: RECORD })) {
    if (signal?.aborted) throw new WhetstoneError('cancelled', 'The import was cancelled.', { where: path });
    waiting = [...waiting, ...some];
    if (layout === null && waiting.length < VOTERS) continue;
    layout ??= layoutIn(waiting, path);
    yield read(waiting);
    waiting = [];
  }
  if (waiting.length === 0) return;
  layout ??= layoutIn(waiting, path);
  yield read(waiting);
}

function layoutIn(found: readonly Found[], path: string): Layout {
  const records = found.flatMap((one) => ('value' in one ? [one.value as RecordOf] : []));
  const layout = records.length === 0 ? null : layoutOf(records.slice(0, VOTERS));
  if (layout) return layout;
  const reason = found.find((one) => 'reason' in one);
  throw new WhetstoneError(
    'invalid-input',
    reason ? `Line ${reason.line} ${reason.reason}.` : 'The columns are not those of any kind of labels.',
    {
      where: path,
      hint: 'Give a JSON export of Label Studio or Argilla, or lines with "prompt", "chosen" and "rejected".',
    },
  );
}

function batch(found: readonly Found[], layout: Layout | null, takes: 'pairs' | 'answers'): LabelsRead {
  const labels: FileLabel[] = [];
  const unread: UnreadLine[] = [];
  for (const one of found) {
    try {
      if ('reason' in one) throw new BadRecord(one.reason);
      if (!layout) continue;
      const some = labelsOf(one.value as RecordOf, layout, takes);
      if (some.length === 0) throw new BadRecord('has no label');
      for (const label of some) labels.push({ ...label, line: one.line });
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      unread.push({ line: one.line, reason: error.message });
    }
  }
  return { labels, unread, line: found.at(-1)?.line ?? 0 };
}

function labelsOf(record: RecordOf, { shape, marks }: Layout, takes: 'pairs' | 'answers'): UnplacedLabel[] {
  if (takes === 'pairs' && shape === labelStudioShape) return labelStudioLabels(record);
  if (takes === 'pairs' && shape === argillaShape) return argillaLabels(record);
  const about = {
    labeler: nameOf(record.labeler ?? record.annotator ?? record['extra.labeler']),
    at: timeOf(record.labeledAt ?? record.created_at),
    rationale: typeof record.rationale === 'string' ? record.rationale.slice(0, 4000) : '',
  };
  if (shape === ownLabelsShape && takes === 'pairs') return [{ ...ownLabel(record), ...about }];
  const rows = shape.rows(new Fields(record, marks));
  if (takes === 'answers') return rows.flatMap((row) => answerLabel(row, record, about));
  const [rights, wrongs] = [true, false].map((mark) => rows.filter(({ correct }) => correct === mark));
  return rights.flatMap(({ prompt, answer }) =>
    wrongs.map((wrong) => ({
      id: null,
      prompt,
      texts: [answer, wrong.answer] as const,
      verdict: 'a' as const,
      ...about,
    })),
  );
}

/** A line of our own export of pairs. */
function ownLabel({ pairId, prompt, a, b, verdict }: RecordOf) {
  const known = Verdict.safeParse(verdict);
  if (!known.success) throw new BadRecord('has in "verdict" none of a, b, tie, both-bad and skip');
  return {
    id: String(pairId),
    prompt: String(prompt),
    texts: [String(a), String(b)] as const,
    verdict: known.data,
  };
}

/** The judgement of one answer: its spans, or its mark with the first wrong step. */
function answerLabel(
  { prompt, answer, correct, extra = {} }: ShapedRow,
  record: RecordOf,
  about: Omit<LabelFacts, 'id' | 'prompt'>,
): UnplacedLabel[] {
  const label = {
    id: typeof record.itemId === 'string' ? record.itemId : null,
    prompt,
    texts: [answer] as const,
    ...about,
  };
  const { spans } = record;
  if (Array.isArray(spans)) return [{ ...label, value: { spans } }];
  if (correct === null) return [];
  return [
    {
      ...label,
      value: { correct, ...firstWrong(correct, record, extra), ...stepsOf(answer, record, extra) },
    },
  ];
}

/** The first wrong step, of our own export or of steps with marks. */
const firstWrong = (correct: boolean, record: RecordOf, extra: RecordOf): object => {
  const marks = Array.isArray(extra.stepLabels) ? extra.stepLabels.indexOf(false) : -1;
  const first = typeof record.firstWrong === 'number' ? record.firstWrong : marks;
  return !correct && first >= 0 ? { firstWrong: first } : {};
};

const stepsOf = (answer: string, record: RecordOf, extra: RecordOf): object => {
  const steps = (extra.steps ?? record.steps) as unknown;
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'string')) return {};
  const separator = [record.separator, record.step_separator, '\n\n', '\n'].find(
    (each) => typeof each === 'string' && steps.join(each) === answer,
  );
  return typeof separator === 'string' ? { steps: stepRanges({ steps, separator }) } : {};
};
