import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SearchCurve } from '../../engine/schema/search.ts';
import { searchCells, searchHead, searchText } from '../../preload/wire/search.ts';
import { figureOf } from '../../renderer/charts/plot/figure.ts';
import { scorersOf, searchMarks, shownStrategies } from '../../renderer/features/runs/search/search.ts';

const stored = readFileSync(join(import.meta.dirname, '../support/stored-results/search.json'), 'utf8');
const curve = SearchCurve.parse((JSON.parse(stored) as { value: unknown }).value);

describe('the table of a search', () => {
  it('has a column per number of answers, and the gain over the majority vote', () => {
    expect(searchHead(curve)).toEqual(['strategy', 'n = 1 (3 tokens)', 'n = 2 (6 tokens)', 'minus majority']);
    expect(curve.strategies.map(searchCells)).toEqual([
      ['majority vote', '.500', '.50 [.00, 1.00]', '–'],
      ['best of n by length', '.500', '.75 [.50, 1.00]', '+.25 [.00, +.50]'],
    ]);
  });

  it('says what the numbers are of, for rules that choose and for searches that grow', () => {
    expect(searchText(curve)).toContain('2 held-out problems by rules that choose among n of 2 answers');
    expect(searchText(curve)).toContain('.250 of the answers name none');
    const beam = { ...curve, strategies: [{ ...curve.strategies[0], id: 'beam' }] };
    expect(searchText(beam)).toContain('of searches with n candidates in each round');
  });
});

describe('the chart of a search', () => {
  it('shows the rules without a scorer, and those by the chosen one', () => {
    expect(scorersOf(curve)).toEqual(['length']);
    expect(shownStrategies(curve, 'length').map(({ id }) => id)).toEqual(['majority', 'best-of-n/length']);
    expect(shownStrategies(curve, undefined).map(({ id }) => id)).toEqual(['majority']);
  });

  it('draws each line over the band of its interval, which has no name', () => {
    const axes = { x: { title: 'tokens' }, y: { title: 'accuracy' } };
    const marks = searchMarks(shownStrategies(curve, 'length'));
    const { data } = figureOf(marks, axes, () => 'rgb(1, 2, 3)');
    expect(data).toHaveLength(4);
    expect(data[2]).toMatchObject({
      fillcolor: 'rgba(1, 2, 3, 0.12)',
      x: [3, 6, 6, 3],
      y: [1, 1, 0.5, 0],
      showlegend: false,
    });
    expect(data[3]).toMatchObject({ name: 'best of n by length', x: [3, 6], y: [0.5, 0.75] });
  });
});
