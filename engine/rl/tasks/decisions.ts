/** What people decided between two answers, as pairs and graded answers to learn from. */
import type { Preference } from '../../schema/preference.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Graded, Pair } from './task-data.ts';

/** Chosen and rejected; undefined where a person decided neither (both bad, skipped). */
export const decided = ({ pairId, promptId, prompt, a, b, verdict }: Preference): Pair | undefined => {
  if (verdict === 'both-bad' || verdict === 'skip') return undefined;
  const [chosen, rejected] = verdict === 'b' ? [b, a] : [a, b];
  return { pairId, promptId, prompt, chosen, rejected, agreement: verdict === 'tie' ? 0.5 : 1 };
};

/** Both answers of a decided pair as answers that are wanted and unwanted; a tie says neither. */
export const wanted = (pair: Preference): Graded[] => {
  const found = decided(pair);
  if (!found || found.agreement === 0.5) return [];
  const { promptId, prompt, chosen, rejected } = found;
  return [
    { promptId, prompt, answer: chosen, right: true },
    { promptId, prompt, answer: rejected, right: false },
  ];
};

/** Answers whose lengths differ by no more than this share of the longer one count as equally long. */
const SIMILAR_LENGTH = 0.1;
type Filter = Extract<RunSpec['task'], { kind: 'labels' }>['filter'];
/** Which decisions of a label set are learned from. */
export const filters: { readonly [F in Filter]: (pair: Preference) => boolean } = {
  all: () => true,
  'differ-in-correctness': ({ correctA, correctB }) =>
    correctA !== null && correctB !== null && correctA !== correctB,
  'equal-length': ({ a, b }) =>
    Math.abs(a.length - b.length) <= SIMILAR_LENGTH * Math.max(a.length, b.length),
};
