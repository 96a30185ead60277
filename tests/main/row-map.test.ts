import { describe, expect, it } from 'vitest';
import { storedCells, type Cell } from '../../main/store/rows/computed-cells.ts';
import { atOnce } from '../../main/store/slices.ts';
import type { RowMap } from '../../preload/contract/map.ts';
import { mostPoints } from '../../preload/contract/map.ts';
import { by, opened as openedStore } from '../support/curated.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

/** The store's modules with a map on which row r lies at (r, −r), but for rows that have no place. */
function mapped(count = 12, without: readonly number[] = []) {
  const store = openedStore(count);
  const { computed, rows } = store.modules;
  const add = (name: string, ...cells: readonly (readonly Cell[])[]) => {
    const definition = { by: 'map' } as const;
    const since = atOnce(computed.prepare('d', name, definition));
    return atOnce(
      computed.add('d', { name, definition, query: '', author: 'me', since }, storedCells(...cells)),
    );
  };
  const places = Array.from({ length: count }, (_none, row) => (without.includes(row) ? null : row));
  const added = add(
    'map',
    places,
    places.map((row) => (row === null ? null : -row)),
  );
  const map = (query = '', colour: string | null = null, name: string | null = null) =>
    atOnce(rows.map({ id: 'd', query, colour, name }));
  return { ...store, add, added, map };
}
const { signal } = new AbortController();
const groupsOf = ({ colour }: RowMap) =>
  colour?.kind === 'values' ? colour.groups.map(({ value, rows }) => [value, rows]) : colour;

describe('a map of rows', () => {
  it('is one step with two columns, which queries compare, and undo takes away', () => {
    const { added, numbers, step, map } = mapped(12, [4]);
    expect(added).toMatchObject({ event: { field: 'map', rows: 11 }, outdated: 0 });
    expect(numbers('map.x:2..5 map.y<-2')).toEqual([3, 5]);
    expect(numbers('-has:map.y')).toEqual([4]);
    expect(map()).toMatchObject({ names: ['map'], name: 'map', rows: 11, unplaced: 1, x: [0, 11] });
    step('undo');
    expect(map()).toMatchObject({ names: [], name: null, rows: 0, unplaced: 12, x: null });
    expect(() => numbers('map.x>0')).toThrow("no column 'map.x'");
    step('redo');
    expect(numbers('map.y<=-10')).toEqual([10, 11]);
  });

  it('marks the rows that match, and leaves excluded ones out unless the query names them', () => {
    const { map, curation } = mapped();
    const { points, matching } = map('row:3..4');
    expect(matching).toBe(2);
    expect([...points.row].filter((_row, at) => points.matches[at] === 1)).toEqual([3, 4]);
    expect([...points.y].slice(0, 3)).toEqual([-0, -1, -2]);
    curation.mark('d', { event: 'exclude', value: null }, [3, 5], by);
    expect(map()).toMatchObject({ rows: 10, unplaced: 0 });
    expect(map('row:3..4')).toMatchObject({ rows: 10, matching: 1 });
    expect(map('is:excluded')).toMatchObject({ rows: 12, matching: 2 });
  });

  it('draws a limited number of many rows at random, and keeps the few that match', () => {
    const count = 3 * mostPoints;
    const { map } = mapped(count);
    const all = map();
    expect(all.rows).toBe(count);
    expect(all.points.row).toHaveLength(mostPoints);
    const [low, high] = [0, 1].map(
      (half) => all.points.row.filter((row) => Math.floor((2 * row) / count) === half).length,
    );
    // four standard deviations of a draw
    expect(Math.abs(low - high)).toBeLessThan(4 * Math.sqrt(mostPoints));
    const few = map('row:100..199');
    expect(few.points.row).toHaveLength(mostPoints);
    expect(few.points.matches.reduce((sum, each) => sum + each)).toBe(100);
    const half = map(`row:0..${count / 2 - 1}`);
    expect(half.points.matches.reduce((sum, each) => sum + each)).toBe(mostPoints / 2);
  });
});

describe('the colour of a map', () => {
  it('has the values of a column, the most frequent first, with the middle of their places', () => {
    const { map, add } = mapped(4);
    const { colour, points } = map('', 'mark');
    expect(colour).toMatchObject({ kind: 'values', column: 'mark' });
    expect(groupsOf(map('', 'mark'))).toHaveLength(new Set(points.value).size);
    add('other', [0, 0, 5, 5], [1, 1, 2, 2]);
    expect(map('', 'other.x').colour).toMatchObject({
      groups: [
        { value: '0', rows: 2, matching: 2, x: 0, y: 1 },
        { value: '5', rows: 2, x: 5, y: 2 },
      ],
    });
    expect(map('', null).names).toEqual(['map', 'other']);
    expect(map('', null, 'map').x).toEqual([0, 3]);
  });

  it('is a scale for numbers, and refuses what does not exist', () => {
    const { map } = mapped(40);
    expect(map('', 'map.x')).toMatchObject({ colour: { kind: 'numbers', low: 0, high: 39 } });
    expect(() => map('', 'nothing')).toThrow("no column 'nothing'");
  });
});

it('is computed from the texts of the rows: equal texts have one place, and other ones lie elsewhere', async () => {
  const bench = await servicesForTest({ engine: null });
  const id = await datasetForTest(bench.services.store);
  const edit = { kind: 'edit', column: 'answer', value: 'answer 1' } as const;
  const input = { id, target: { rows: [0, 2] }, change: edit, author: 'me' };
  for await (const progress of bench.api.curation.change(input, signal)) void progress;
  const column = { id, name: 'map', definition: { by: 'map' }, query: 'row:0..8', author: 'me' } as const;
  for await (const progress of bench.api.columns.compute(column, signal))
    if (progress.state === 'done') expect(progress).toMatchObject({ rows: 9, faults: { count: 0 } });
  const { points, rows, unplaced } = await bench.api.rows.map({ id, query: '', name: null, colour: null });
  expect([rows, unplaced]).toEqual([9, 3]);
  const places = Array.from(points.x, (x, at) => `${x.toFixed(9)} ${points.y[at].toFixed(9)}`);
  expect(new Set(places.slice(0, 3)).size).toBe(1);
  expect(new Set(places).size).toBeGreaterThan(3);
  expect(await bench.api.columns.list({ id })).toMatchObject([{ name: 'map.x' }, { name: 'map.y' }]);
  const { rows: shown } = await bench.api.columns.preview({ id, definition: { by: 'map' }, query: '' });
  expect(shown[0].cell).toMatch(/^-?\d.*, -?\d/);
});
