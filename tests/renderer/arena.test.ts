import { describe, expect, it } from 'vitest';
import {
  referenceOf,
  regretLines,
  scoreText,
  shareText,
  stateText,
} from '../../renderer/features/plans/arena.ts';
import type { Arena, ArenaCandidate } from '../../preload/contract/plans.ts';

const candidate = (own: Partial<ArenaCandidate> = {}): ArenaCandidate => ({
  id: 'one',
  code: null,
  origin: null,
  mode: 'free',
  isLive: false,
  isLeading: false,
  updates: 20,
  scores: [0.25, 0.5],
  interval: [0.4, 0.6],
  runId: null,
  ...own,
});
const arena = (own: Partial<Arena> = {}): Arena => ({
  id: 'race',
  rule: 'In turn',
  metric: 'pass_at_1',
  range: [0, 1],
  budgets: 8,
  candidates: [],
  pulls: [0.25, 0.5, null].map((value) => ({ candidate: 'one', value })),
  oracle: null,
  ...own,
});
const drawn = (given: Arena) => regretLines(given).regret.map(({ values }) => [...values]);

describe('an arena on the screen', () => {
  it('sums the regret against the oracle, else against the best value so far', () => {
    // (.75 − .25), + (.75 − .5), + (.75 − 0): a run without a value counts as the worst
    expect(drawn(arena({ oracle: 0.75 }))).toEqual([[0.5, 0.75, 1.5]]);
    expect(drawn(arena())).toEqual([[0.25, 0.25, 0.75]]);
    // lower is better: (.5 − .25), + (.25 − .25), + (1 − .25)
    const low = arena({ range: [1, 0], pulls: [0.5, 0.25].map((value) => ({ candidate: 'one', value })) });
    expect([referenceOf(low), drawn(low)]).toEqual([{ value: 0.25, isOracle: false }, [[0.25, 0.25]]]);
    expect(drawn(arena({ pulls: [] }))).toEqual([]);
  });

  it('tells share, score and state of a candidate', () => {
    expect(shareText(candidate(), arena())).toBe('2 of 3 budgets, 67 %');
    expect(scoreText(candidate(), arena())).toBe('.50 [.40, .60]');
    expect(scoreText(candidate({ scores: [] }), arena())).toBe('–');
    expect(stateText(candidate({ mode: 'paused', isLeading: true }), true)).toBe('stopped, leading');
    expect(stateText(candidate({ mode: 'pinned', isLive: true }), true)).toBe('running, pinned');
    expect(stateText(candidate(), true)).toBe('waiting');
    expect(stateText(candidate(), false)).toBe('done');
    expect(stateText(candidate({ scores: [] }), true)).toBe('not begun');
  });
});
