import type { PairItem, RecordOf, Written } from './writer.ts';

/** A decided pair. */
export interface Ranked {
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly reference: string | null;
  readonly about: RecordOf;
}

const undecided = {
  tie: 'ties',
  'both-bad': 'pairs of two bad answers',
  skip: 'skipped pairs',
} as const;

/** Names that readers give a meaning: a column of another meaning gets the prefix `extra.`. */
const meant = new Set(
  [
    'prompt question instruction problem input answer completion response output solution',
    'correct is_correct right label reference ground_truth target expected final_answer tests',
    'test schema json_schema pattern regex source model chosen rejected messages conversations',
    'history system steps completions labels fields responses data annotations',
  ].flatMap((line) => line.split(' ')),
);

/** Further columns under names that no reader takes for others. */
export const further = (columns: RecordOf): RecordOf =>
  Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [meant.has(name) ? `extra.${name}` : name, value]),
  );

/** Writes decided pairs, and leaves the others out. */
export const decided =
  (record: (pair: Ranked) => RecordOf | { readonly leftOut: string }) =>
  ({ prompt, a, b, verdict, reference, about }: PairItem): Written => {
    if (verdict !== 'a' && verdict !== 'b') return { leftOut: undecided[verdict] };
    const [chosen, rejected] = verdict === 'a' ? [a, b] : [b, a];
    if (chosen.trim() === '' || rejected.trim() === '') return { leftOut: 'pairs with an empty answer' };
    if (chosen === rejected) return { leftOut: 'pairs of two equal answers' };
    if (prompt.trim() === '') return { leftOut: 'pairs without a prompt' };
    const written = record({ prompt, chosen, rejected, reference, about: further(about) });
    return 'leftOut' in written && typeof written.leftOut === 'string' && Object.keys(written).length === 1
      ? { leftOut: written.leftOut }
      : [written];
  };

/** The column of a reference, if there is one. */
export const referenceColumn = (reference: string | null): RecordOf =>
  reference === null ? {} : { reference };
