/** Converts labeled decisions to preference pairs and graded answers. */
import type { Preference } from '../../schema/preference.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Graded, Pair } from './task-data.ts';

/**
 * Chosen and rejected answer; undefined for the verdicts "both bad" and "skip". A soft label below ½ prefers the
 * other answer: the loss of a pair is the same either way round.
 */
export const decided = (preference: Preference): Pair | undefined => {
  const { pairId, promptId, prompt, a, b, verdict, weight, strength } = preference;
  if (verdict === 'both-bad' || verdict === 'skip') return undefined;
  const label = verdict === 'tie' ? 0.5 : (preference.agreement ?? 1);
  const [chosen, rejected] = (verdict === 'b') === label >= 0.5 ? [b, a] : [a, b];
  return {
    pairId,
    promptId,
    prompt,
    chosen,
    rejected,
    agreement: Math.max(label, 1 - label),
    ...(weight !== undefined && { weight }),
    ...(strength !== undefined && { strength }),
  };
};

/** Both answers of a decided pair as desirable and undesirable; empty for a tie. */
export const gradedByVerdict = (pair: Preference): Graded[] => {
  const found = decided(pair);
  if (!found || found.agreement === 0.5) return [];
  const { promptId, prompt, chosen, rejected } = found;
  const own = { promptId, prompt, ...(pair.split && { split: pair.split }) };
  return [
    { ...own, answer: chosen, right: true },
    { ...own, answer: rejected, right: false },
  ];
};

/** The weights that a run asks for; without them every pair counts the same. */
export const weighed = (
  pairs: readonly Preference[],
  weigh: Extract<RunSpec['task'], { kind: 'labels' }>['weigh'],
): readonly Preference[] =>
  weigh === 'reliability' ? pairs : pairs.map(({ weight: _weight, ...pair }) => pair);

/** Answers are equally long if their lengths differ by at most this share of the longer one. */
const SIMILAR_LENGTH = 0.1;
type Filter = Extract<RunSpec['task'], { kind: 'labels' }>['filter'];
/** True if the run's filter keeps a decision of a label set. */
export const filters: { readonly [F in Filter]: (pair: Preference) => boolean } = {
  all: () => true,
  'differ-in-correctness': ({ correctA, correctB }) =>
    correctA !== null && correctB !== null && correctA !== correctB,
  'equal-length': ({ a, b }) =>
    Math.abs(a.length - b.length) <= SIMILAR_LENGTH * Math.max(a.length, b.length),
};
