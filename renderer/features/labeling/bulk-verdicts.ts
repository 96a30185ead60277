import type { ModeId, SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { Choice } from '../../../preload/contract/labels.ts';
import type { BulkItem } from '../../../preload/contract/label-bulk.ts';
import { choiceNames } from './keys.ts';
import { judgementOf } from './judging.ts';
import { markingOf } from './marking.ts';

/** A decision that many items can get alike, and its keys. */
export interface BulkVerdict {
  readonly keys: readonly string[];
  readonly name: string;
  readonly choice: Choice;
  readonly value?: unknown;
}

const skip: BulkVerdict = { keys: ['s'], name: 'skip', choice: 'skip' };
const answered = (key: string, name: string, value: unknown): BulkVerdict => ({
  keys: [key],
  name,
  choice: 'answered',
  value,
});

const sided: readonly BulkVerdict[] = [
  { keys: ['1', 'ArrowLeft'], name: 'left is better', choice: 'left' },
  { keys: ['2', 'ArrowRight'], name: 'right is better', choice: 'right' },
  { keys: ['t'], name: 'tie', choice: 'tie' },
  { keys: ['b'], name: 'both bad', choice: 'both-bad' },
];

/** The decisions of a mode in bulk. Rankings and rewrites differ from item to item, so they can only be skipped. */
export function bulkVerdicts(mode: ModeId, { attributes, scale }: SetOptions): readonly BulkVerdict[] {
  const byMode: Readonly<Record<ModeId, () => readonly BulkVerdict[]>> = {
    pair: () => sided,
    correctness: () => [
      answered('1', 'correct', { correct: true }),
      answered('2', 'incorrect', { correct: false }),
    ],
    rating: () =>
      Array.from({ length: scale }, (_none, at) =>
        answered(
          `${at + 1}`,
          `${at + 1} on all`,
          Object.fromEntries(attributes.map((name) => [name, at + 1])),
        ),
      ),
    spans: () => [answered('1', 'nothing to mark', { spans: [] })],
    ranking: () => [],
    rewrite: () => [],
  };
  return [...byMode[mode](), skip];
}

/** The labeler's decision on an item, in words; empty without one. */
export function decisionOf({ choice, value }: Pick<BulkItem, 'choice' | 'value'>): string {
  if (choice === null) return '';
  const judgement = judgementOf(value);
  if (judgement) return judgement.correct ? 'correct' : 'incorrect';
  if (typeof value === 'object' && value !== null && 'spans' in value)
    return `${markingOf(value).spans.length} marked`;
  return choiceNames[choice];
}
