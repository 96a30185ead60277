import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../preload/wire/query.ts';
import type { RowMap } from '../../preload/contract/map.ts';
import type { Facet } from '../../preload/contract/rows.ts';
import { areaOf, boundsOf, faultOf, noBounds } from '../../renderer/charts/cloud/region.ts';
import { OTHER, STEPS, stylesOf } from '../../renderer/charts/cloud/styles.ts';
import {
  coloursOf,
  drawnText,
  styleIndexes,
  usualColour,
  withRegion,
} from '../../renderer/features/datasets/map/map-text.ts';

const whole = { x: [-5, 5], y: [-2, 2] } as const;
const values = (column: string, ...names: string[]): Facet => ({
  column,
  kind: 'values',
  empty: 0,
  values: names.map((value) => ({ value, rows: 1 })),
  others: { values: 0, rows: 0 },
});
const mapOf = (given: Partial<RowMap>): RowMap => ({
  names: ['map'],
  name: 'map',
  rows: 3,
  matching: 3,
  unplaced: 0,
  ...whole,
  points: {
    row: Float64Array.of(0, 1, 2),
    x: new Float64Array(3),
    y: new Float64Array(3),
    value: Float64Array.of(0, 9, Number.NaN),
    matches: Float64Array.of(1, 1, 1),
  },
  colour: null,
  ...given,
});

describe('a region of the map', () => {
  it('is a query that parses, in place of an earlier region', () => {
    const bounds = boundsOf({ x: [-0.123456, 2], y: [1e-7, 1.5] });
    const query = withRegion('wrong', 'map', bounds);
    expect(query).toBe('wrong map.x:-0.1235..2 map.y:1e-7..1.5');
    expect(parseQuery(query)).toMatchObject({
      of: [{}, { kind: 'range', column: 'map.x', low: -0.1235 }, { low: 1e-7, high: 1.5 }],
    });
    expect(withRegion(query, 'map', { x: ['', '1'], y: ['', ''] })).toBe('wrong map.x:..1');
    expect(withRegion(query, 'map', noBounds)).toBe('wrong');
    expect(withRegion('', 'my: map', { x: ['1', ''], y: ['', ''] })).toBe('"my: map.x":1..');
    expect(parseQuery('"my: map.x":1..')).toMatchObject({ kind: 'range', column: 'my: map.x', low: 1 });
  });

  it('is open where a bound is empty, and none while one is wrong', () => {
    expect(areaOf({ x: ['', '1'], y: ['-1', ''] }, whole)).toEqual({ x: [-5, 1], y: [-1, 2] });
    expect(areaOf(noBounds, whole)).toBeNull();
    expect(faultOf({ x: ['1,5', ''], y: ['', ''] })).toContain('“1,5”');
    expect(faultOf({ x: ['2', '1'], y: ['', ''] })).toContain('smaller');
    expect(areaOf({ x: ['2', '1'], y: ['', ''] }, whole)).toBeNull();
  });
});

describe('the colour of the map', () => {
  it('is first the clusters, then right and wrong where there are both, then another column of values', () => {
    const mark = values('mark', 'right', 'wrong');
    expect(usualColour([mark, values('cluster', '0')])).toBe('cluster');
    expect(usualColour([values('source', 'a', 'b'), mark])).toBe('mark');
    expect(usualColour([values('mark', 'unmarked'), values('level', '1', '2')])).toBe('level');
    expect(usualColour([])).toBe('');
    expect(coloursOf([mark, values('map.x'), { column: 'text', kind: 'text', empty: 0 }], ['map'])).toEqual([
      'mark',
    ]);
  });

  it('gives seven values a style of their own, and a scale its steps from the lowest to the highest', () => {
    const counts = { rows: 0, matching: 0 };
    const others = { ...counts, values: 0 };
    const byValue = { kind: 'values', column: 'c', groups: [], others, empty: counts } as const;
    expect([...styleIndexes(mapOf({ colour: byValue }))]).toEqual([0, OTHER, OTHER]);
    const byNumber = { kind: 'numbers', column: 'n', low: 0, high: 9, empty: counts } as const;
    expect([...styleIndexes(mapOf({ colour: byNumber }))]).toEqual([0, STEPS - 1, STEPS]);
    for (const colour of [null, byValue, byNumber]) {
      const styles = stylesOf(colour, (name) => name);
      for (const style of styleIndexes(mapOf({ colour }))) expect(styles[style]).toBeDefined();
    }
  });
});

it('says of how many rows the points are, and which of them match', () => {
  expect(drawnText(mapOf({}))).toBe('3 rows');
  expect(drawnText(mapOf({ rows: 100_000, matching: 50_000, unplaced: 1 }))).toBe(
    '3 of 100,000 rows, drawn at random; 3 of the 50,000 that match in full colour; 1 row without a place',
  );
});
