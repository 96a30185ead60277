import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { CellCoverage, LatentEpisodes } from '../../engine/schema/coverage.ts';
import { cellLayers, cellPath, hueOf, shareOf, SHADES } from '../../renderer/charts/shades.ts';
import Coverage from '../../renderer/features/runs/coverage/Coverage.svelte';
import {
  directionOf,
  distances,
  episodesOf,
  evenness,
  exploredIn,
  firstMeasure,
  latentRows,
  latentTexts,
  measured,
  planeText,
  shareVisited,
  visitText,
} from '../../renderer/features/runs/coverage/coverage.ts';

afterEach(() => cleanup());

/** Four open cells in a square, with walls around. */
const coverage: CellCoverage = {
  columns: 4,
  rows: 4,
  cells: [5, 6, 9, 10],
  training: [40, 20, 0, 4],
  evaluation: [5, 4, 3, 3],
  paths: [
    [0, 0, 1, 3],
    [0, 2, 3],
  ],
};
const latents: LatentEpisodes = {
  episodes: [
    { latent: [0.6, 0.8], at: [0.5, 0.5], return: 1, end: 3 },
    { latent: [0.8, 0.6], at: [-0.4, 0], return: 0, end: 3 },
    { latent: [-1, 0], at: [0, -0.9], return: 0, end: 1 },
  ],
  explained: [0.6, 0.15],
  ends: { n: 3, r: 0.41, p: 0.001 },
  returns: { n: 3, r: 0.02, p: 0.31 },
};
const evaluation = { step: 20, episodes: 3, return: 0, returnInterval: null, deviation: 0, length: 3 };
const result = (step: number, more: object, attempt = 1) => ({
  kind: 'episodes',
  step,
  attempt,
  value: { ...evaluation, step, ...more },
});

describe('what was explored', () => {
  it('is that of the newest attempt at each step, where there is a map or latents', () => {
    const found = exploredIn([
      result(20, { coverage }, 1),
      result(10, { latents }, 1),
      result(20, { coverage: { ...coverage, columns: 7 } }, 2),
      result(30, {}),
      { kind: 'replay', step: 5, attempt: 1, value: { coverage } },
    ]);
    expect(found.map(({ step }) => step)).toEqual([10, 20]);
    expect(found[1].coverage?.columns).toBe(7);
  });
  it('is measured by the share of visited cells, and by the evenness of visits', () => {
    expect(shareVisited([40, 20, 0, 4])).toBe(0.75);
    expect(evenness([3, 3, 3, 3])).toBeCloseTo(1, 12);
    expect(evenness([9, 0, 0, 0])).toBe(0);
    // shares ½, ¼, ¼ of three of four cells
    expect(evenness([2, 1, 1, 0])).toBeCloseTo((1.5 * Math.LN2) / Math.log(4), 12);
    expect([evenness([]), evenness([0, 0])]).toEqual([0, 0]);
    expect(visitText([2, 1, 1, 0], 'training')).toBe(
      'Training so far visited 75 % of 4 cells. The evenness of the visits is .750: 1 if all cells are visited ' +
        'alike, 0 if only one is.',
    );
    expect(visitText([1, 0], 'evaluation')).toContain(
      'The episodes of the evaluation visited 50 % of 2 cells',
    );
  });
  it('names its episodes, with or without latents', () => {
    const both = episodesOf({ step: 1, coverage, latents });
    expect(both.map(({ name }) => name)).toEqual([
      'Episode 1, return 1, ends at column 2, row 2',
      'Episode 2, return 0, ends at column 2, row 2',
      'Episode 3, return 0, ends at column 2, row 1',
    ]);
    expect(both.map(({ direction }) => direction)).toEqual([expect.closeTo(45), 180, 270]);
    expect(both[2].path).toEqual([]);
    const plain = episodesOf({ step: 1, coverage });
    expect(plain.map(({ name }) => name)).toEqual([
      'Episode 1, ends at column 2, row 2',
      'Episode 2, ends at column 2, row 2',
    ]);
    expect(plain[0].direction).toBeNull();
  });
});

describe('latents', () => {
  it('have a direction from 0 to 360 degrees', () => {
    expect(directionOf([1, 0])).toBe(0);
    expect(directionOf([0, 2])).toBe(90);
    expect(directionOf([0, -2])).toBe(270);
  });
  it('are compared by returns, or where these are alike by the distance of ends from the start', () => {
    const explored = { step: 1, coverage, latents };
    expect(distances(explored)).toEqual([Math.SQRT2, Math.SQRT2, 1]);
    expect(firstMeasure(explored)).toBe('return');
    expect(measured(explored, 'return')).toEqual([1, 0, 0]);
    const poor = { ...latents, episodes: latents.episodes.map((each) => ({ ...each, return: 0 })) };
    expect(firstMeasure({ ...explored, latents: poor })).toBe('distance');
    expect(measured({ ...explored, latents: poor }, 'distance')).toEqual(distances(explored));
    // without one start for all, there is no distance from it
    const scattered = { ...coverage, paths: [[0], [1]] };
    expect(distances({ ...explored, coverage: scattered })).toBeNull();
    expect(firstMeasure({ step: 1, latents: poor })).toBe('return');
  });
  it('are told of in plain sentences', () => {
    expect(latentTexts(latents, true)).toEqual([
      'Episodes with similar latents end in similar places: r = .41, p = .001.',
      'How similar latents are says little about what episodes earn: r = .02, p = .310.',
    ]);
    const opposed = { ...latents, ends: { n: 3, r: -0.4, p: 0.99 }, returns: { n: 3, r: 0.12, p: 0.05 } };
    expect(latentTexts(opposed, true)).toEqual([
      'How similar latents are says little about where episodes end: r = −.40, p = .990.',
      'Episodes with similar latents earn slightly more similar returns: r = .12, p = .050.',
    ]);
    const alike = {
      ...latents,
      episodes: latents.episodes.map((each) => ({ ...each, return: 2 })),
      ends: null,
      returns: null,
    };
    expect(latentTexts(alike, true)).toEqual([
      'All episodes end in the same place.',
      'All 3 episodes earn 2, so that returns do not tell latents apart.',
    ]);
    expect(latentTexts(alike, false)).toHaveLength(1);
    expect(planeText(latents)).toContain('components, which hold 75 % of the variance of 2 numbers.');
  });
  it('have rows with places, returns and ends', () => {
    expect(latentRows({ step: 1, coverage, latents })[2]).toEqual([
      '3',
      '.000',
      '−.900',
      '270',
      '0',
      '2',
      '1',
    ]);
    expect(latentRows({ step: 1, latents })[0].slice(-2)).toEqual(['–', '–']);
  });
});

describe('a map of cells', () => {
  it('shades visited cells from the fewest to the most visits', () => {
    const plain = cellLayers(coverage, [40, 20, 0, 4], false);
    expect([plain.low, plain.high]).toEqual([4, 40]);
    expect(plain.unvisited).toBe('M1,2h1v1h-1z');
    expect(plain.walls.match(/M/g)).toHaveLength(12);
    expect(plain.shaded[0]).toBe('M2,2h1v1h-1z');
    expect(plain.shaded[SHADES - 1]).toBe('M1,1h1v1h-1z');
    const places = (log: boolean) =>
      cellLayers(coverage, [40, 20, 0, 4], log).shaded.findIndex((drawn) => drawn === 'M2,1h1v1h-1z');
    expect(places(false)).toBe(Math.round((16 / 36) * (SHADES - 1)));
    expect(places(true)).toBe(Math.round((Math.log(5) / Math.log(10)) * (SHADES - 1)));
  });
  it('shades all alike where all have as many', () => {
    expect(shareOf(3, 3, 3)).toBe(1);
    expect(cellLayers(coverage, [0, 0, 0, 0], true)).toMatchObject({ low: 0, high: 0 });
  });
  it('draws paths side by side within their cells, without their waits', () => {
    const [first, second] = [0, 1].map((nth) => cellPath(coverage, [0, 0, 1, 3], nth));
    expect(first.map((point) => point.map(Math.floor))).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
    expect(second.map((point) => point.map(Math.floor))).toEqual(first.map((point) => point.map(Math.floor)));
    expect(second[0]).not.toEqual(first[0]);
    expect(hueOf(44.6)).toContain(' 45)');
  });
});

describe('the panel', () => {
  const show = (...results: ReturnType<typeof result>[]) => render(Coverage, { results });
  it('shows nothing of a run without a map or latents', () => {
    show(result(10, {}));
    expect(screen.queryByRole('region', { name: 'Exploration' })).toBeNull();
  });
  it('tells of the newest evaluation, and of the one that is chosen', async () => {
    show(
      result(10, { coverage: { ...coverage, training: [1, 0, 0, 0] } }),
      result(20, { coverage, latents }),
    );
    const panel = within(screen.getByRole('region', { name: 'Exploration' }));
    expect(panel.getByRole('status').textContent).toContain('Training so far visited 75 % of 4 cells');
    expect(panel.getByRole('status').textContent).toContain('end in similar places: r = .41, p = .001');
    await fireEvent.change(panel.getByRole('combobox', { name: /At the evaluation/ }), {
      target: { value: '10' },
    });
    expect(panel.getByRole('status').textContent).toContain('visited 25 % of 4 cells');
  });
  it('shows visits of the evaluation where training has none, or by choice', async () => {
    show(result(20, { coverage, latents }));
    const source = screen.getByRole('combobox', { name: /Visits of/ });
    await fireEvent.change(source, { target: { value: 'evaluation' } });
    expect(screen.getByRole('status').textContent).toContain('The episodes of the evaluation visited 100 %');
    cleanup();
    show(result(0, { coverage: { ...coverage, training: undefined } }));
    expect(screen.getByRole('status').textContent).toContain('The episodes of the evaluation visited 100 %');
    expect(screen.queryByRole('combobox', { name: /Visits of/ })).toBeNull();
  });
  it('draws the chosen path on the map, and marks its latent', async () => {
    const { container } = show(result(20, { coverage, latents }));
    const map = () => screen.getByRole('img', { name: /^Visits of cells/ });
    expect(map().getAttribute('aria-label')).toBe(
      'Visits of cells: 3 of 4 cells have visits, at most 40; 2 paths',
    );
    // the first episode lies below the second one until it is chosen
    expect([...map().querySelectorAll('.path > text')].map((each) => each.textContent)).toEqual(['1', '2']);
    await fireEvent.change(screen.getByRole('combobox', { name: 'Show' }), { target: { value: '0' } });
    expect([...map().querySelectorAll('.path > text')].map((each) => each.textContent)).toEqual(['2', '1']);
    expect(map().getAttribute('aria-label')).toMatch(/; Episode 1, return 1, ends at column 2, row 2$/);
    expect(map().querySelectorAll('.aside')).toHaveLength(1);
    expect(container.querySelectorAll('.chosen')).toHaveLength(1);
    // an episode whose path is not kept has its end marked
    await fireEvent.change(screen.getByRole('combobox', { name: 'Show' }), { target: { value: '2' } });
    expect([...map().querySelectorAll('.path > text')].map((each) => each.textContent)).toEqual([
      '1',
      '2',
      '3',
    ]);
    // none at all, so that the visits lie open
    await fireEvent.change(screen.getByRole('combobox', { name: 'Show' }), { target: { value: 'none' } });
    expect(map().querySelectorAll('.path')).toHaveLength(0);
    expect(map().getAttribute('aria-label')).toMatch(/; 0 paths$/);
    await fireEvent.click(container.querySelectorAll('.point')[2]);
    expect(map().querySelectorAll('.path')).toHaveLength(3);
    // a press on the same point takes the choice back
    await fireEvent.click(container.querySelectorAll('.point')[2]);
    expect(map().getAttribute('aria-label')).toMatch(/; 2 paths$/);
  });
  it('has tables of cells and of latents, whose rows choose an episode', async () => {
    show(result(20, { coverage, latents }));
    await fireEvent.click(screen.getByRole('button', { name: 'Table of Visits of cells' }));
    const cells = within(screen.getByRole('region', { name: 'Data of Visits of cells' }));
    expect(
      cells
        .getAllByRole('row')
        .map((row) => [...row.children].map((cell) => cell.textContent.trim()).join(' ')),
    ).toEqual(['column row visits', '1 1 40', '2 1 20', '2 2 4', '1 2 0']);
    await fireEvent.click(screen.getByRole('button', { name: 'Table of Which latents succeed' }));
    const rows = within(screen.getByRole('region', { name: 'Data of Which latents succeed' }));
    await fireEvent.click(rows.getByRole('button', { name: '2' }));
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Show' }).value).toBe('1');
  });
  it('compares latents without a map by their returns', () => {
    show(result(20, { latents: { ...latents, ends: null } }));
    expect(screen.queryByRole('img', { name: /^Visits/ })).toBeNull();
    expect(screen.getByRole('img', { name: /^Which latents/ }).getAttribute('aria-label')).toBe(
      'Which latents succeed: 3 episodes by two components of their latents, from 0 to 1 return, most in episode 1',
    );
    expect(screen.queryByRole('combobox', { name: /Latents by/ })).toBeNull();
  });
});
