/** The pairs behind a mark are those that the inspection counted. */
import { describe, expect, test } from 'vitest';
import { inspectPairs } from '../../../engine/evaluate/index.ts';
import {
  answersInBar,
  columnsOf,
  disagreementAt,
  inspectedPairs,
  inspectedSlices,
  marginAt,
  matchingPairs,
  orderedPairs,
  sidesAt,
  type ScoredRow,
} from '../../../engine/evaluate/pairs/index.ts';
import type { NumberFilter } from '../../../engine/schema/inspected-pair.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import { stream } from '../../../engine/random/random.ts';
import { caught } from '../../support/errors.ts';

const verdicts: readonly Verdict[] = ['a', 'b', 'a', 'b', 'tie', 'both-bad', 'skip'];

/** Pairs with every verdict, equal scores, scores on bin edges, and answers that are in several pairs. */
const planted = (probable: boolean): ScoredRow[] => {
  const draw = stream(7, 'planted pairs');
  return Array.from({ length: 400 }, (_none, i): ScoredRow => {
    const answer = (name: string, at: number) => {
      const text = `${name}${at % 3}`;
      const rounded = Math.round(Math.sin((i >> 2) * 7 + (at % 3) * 3 + name.length) * 8) / 8;
      const score = probable ? (rounded + 1.25) / 2.5 : rounded;
      return { text, score, tokens: 1 + (((at % 3) + (i >> 2)) % 9), correct: [true, false, null][at % 3] };
    };
    return {
      pairId: `pair-${i}`,
      promptId: `p${i >> 2}`,
      prompt: `question ${i >> 2}`,
      a: answer('a', i),
      b: answer('bb', draw.int(3)),
      verdict: verdicts[draw.int(verdicts.length)],
    };
  });
};

describe.each([false, true])('pairs with scores that are probabilities: %s', (probable) => {
  const rows = planted(probable);
  const inspection = inspectPairs(rows, { probable });
  const pairs = [...inspectedPairs(rows, { probable })];
  const columns = columnsOf(pairs);
  const decided = pairs.flatMap(({ verdict }, at) => (verdict === 'a' || verdict === 'b' ? [at] : []));
  const slice = (_by: string, name: string) =>
    decided.filter((at) => inspectedSlices.find((each) => each.name === name)?.holds(sidesAt(columns, at)));
  const behind = (filter: NumberFilter) => matchingPairs(columns, inspection, filter, slice);

  test('are as many behind each bar of margins as it counts', () => {
    expect(inspection.margins.map((_bin, bin) => behind({ mark: { kind: 'margins', bin } }).length)).toEqual(
      inspection.margins.map(({ n }) => n),
    );
  });

  test('are as many behind each bin of reliability as it counts', () => {
    const counts = inspection.reliability.map(
      (_bin, bin) => behind({ mark: { kind: 'reliability', bin } }).length,
    );
    expect(counts).toEqual(inspection.reliability.map(({ n }) => n));
    expect(counts.length).toBeGreaterThan(1);
  });

  test('hold as many distinct answers behind each bar of scores as it counts, undecided pairs included', () => {
    const counts = inspection.scores.map((_bar, bin) =>
      answersInBar(columns, inspection, bin, behind({ mark: { kind: 'scores', bin } })),
    );
    expect(counts).toEqual(
      inspection.scores.map(({ correct, wrong, unmarked }) => correct + wrong + unmarked),
    );
  });

  test('are as many behind each slice as it counts', () => {
    for (const { name, n } of inspection.slices)
      expect(behind({ mark: { kind: 'slice', by: 'inspected', name } })).toHaveLength(n);
    expect(inspection.slices).toHaveLength(inspectedSlices.length);
  });

  test('are all decided ones without a mark, and the outcomes divide them', () => {
    const outcomes = (['right', 'wrong', 'equal'] as const).map((outcome) => behind({ outcome }).length);
    expect(behind({})).toHaveLength(inspection.pairs);
    expect(outcomes.reduce((sum, n) => sum + n, 0)).toBe(inspection.pairs);
    expect(Math.min(...outcomes)).toBeGreaterThan(0);
    expect((outcomes[0] + outcomes[2] / 2) / inspection.pairs).toBeCloseTo(inspection.accuracy, 12);
  });

  test('are ordered by each criterion, without loss', () => {
    const all = behind({});
    const margins = (order: 'hardest' | 'surest-error') =>
      [...orderedPairs(columns, all, order)].map((at) => marginAt(columns, at));
    const hardest = margins('hardest').map(Math.abs);
    expect(hardest).toEqual(hardest.toSorted((a, b) => a - b));
    const surest = margins('surest-error');
    expect(surest).toEqual(surest.toSorted((a, b) => a - b));
    expect([...orderedPairs(columns, all, 'longest-ratio')].sort((a, b) => a - b)).toEqual([...all]);
    expect(orderedPairs(columns, all, 'stored')).toEqual(all);
  });

  test('of an unknown bin are refused', () => {
    expect(caught(() => behind({ mark: { kind: 'margins', bin: 99 } })).kind).toBe('not-found');
  });
});

describe('disagreement with a label', () => {
  const one = (odds: number, own: Partial<ScoredRow> = {}) =>
    columnsOf([
      ...inspectedPairs([
        {
          pairId: 'x',
          promptId: 'p',
          prompt: 'q',
          verdict: 'a',
          a: { text: 'a', score: odds, tokens: 1, correct: null },
          b: { text: 'b', score: 0, tokens: 1, correct: null },
          ...own,
        },
      ]),
    ]);

  test('is −log of the model’s probability for a label that is certain', () => {
    expect(disagreementAt(one(Math.log(3)), 0)).toBeCloseTo(-Math.log(0.75), 12);
    expect(disagreementAt(one(-Math.log(3)), 0)).toBeCloseTo(-Math.log(0.25), 12);
  });

  test('is 0 where the model’s probability is the label’s certainty', () => {
    expect(disagreementAt(one(Math.log(4), { weight: 0.8 }), 0)).toBeCloseTo(0, 12);
  });

  test('grows with the strength of the preference, and is finite for any score', () => {
    const plain = disagreementAt(one(-1), 0);
    expect(disagreementAt(one(-1, { strength: 3 }), 0)).toBeCloseTo(1.5 * plain, 12);
    expect(disagreementAt(one(-1e6), 0)).toBeLessThan(30);
    expect(disagreementAt(one(1, { verdict: 'tie' }), 0)).toBe(0);
  });
});
