/** Where the episodes of an evaluation go, and what their latents have to do with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlWorldById, controlWorlds, Copies, type Cells } from '../../../engine/control/index.ts';
import { distancesOf, mantelTest } from '../../../engine/evaluate/index.ts';
import { checkSpec } from '../../../engine/index.ts';
import { latentEpisodes, planeOf } from '../../../engine/rl/evaluation/latent-episodes.ts';
import { Travelled, visitsOfCells } from '../../../engine/rl/evaluation/travelled.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { EpisodeEvaluation } from '../../../engine/schema/evaluation.ts';
import { runInto } from '../../support/toy-run.ts';

const cellsOf = (id: string): Cells => {
  const cells = controlWorldById(id, 'world').table?.cells;
  if (!cells) throw new Error(`${id} has no cells`);
  return cells;
};
const [UP, DOWN, LEFT, RIGHT] = [0, 1, 2, 3];

describe('cells of a world', () => {
  const mapped = controlWorlds.filter(({ table }) => table?.cells).map(({ id }) => id);
  it('are known of worlds on grids', () =>
    expect(mapped).toEqual([
      'control/four-rooms',
      'control/large-rooms',
      'control/deep-sea',
      'control/key-door',
    ]));
  it.each(mapped)('%s has one for each state, within its map', (id) => {
    const { columns, rows, open, placeOf } = cellsOf(id);
    const size = controlWorldById(id, 'world').table?.size ?? 0;
    const places = new Set(Array.from({ length: size }, (_none, index) => placeOf(index)));
    expect([...places].sort((a, b) => a - b)).toEqual(open.map((_cell, at) => at));
    expect([...open]).toEqual([...new Set(open)].sort((a, b) => a - b));
    expect(open.every((cell) => cell >= 0 && cell < columns * rows)).toBe(true);
  });
  it('lie where the world observes them', () => {
    const copies = new Copies(controlWorldById('control/large-rooms', 'world'), 1, 1);
    const { columns, rows, open, placeOf } = cellsOf('control/large-rooms');
    expect([columns, rows]).toEqual([53, 53]);
    for (const action of [LEFT, LEFT, DOWN]) copies.step([action]);
    const cell = open[placeOf(copies.indices[0])];
    // the start is the upper right cell within the border
    expect([cell % columns, Math.floor(cell / columns)]).toEqual([49, 2]);
    expect(copies.observations[0]).toBeCloseTo((2 * 49) / 52 - 1, 6);
    expect(copies.observations[1]).toBeCloseTo((2 * 2) / 52 - 1, 6);
  });
});

describe('the way of episodes', () => {
  it('counts visits of all, and keeps the paths of the first ones', () => {
    const world = controlWorldById('control/key-door', 'world');
    const cells = cellsOf('control/key-door');
    const copies = new Copies(world, 20, 1);
    const travelled = new Travelled(cells, copies);
    const start = cells.placeOf(copies.indices[0]);
    for (const action of [UP, RIGHT]) {
      copies.step(new Array<number>(20).fill(action));
      for (let copy = 0; copy < 20; copy++) travelled.step(copy, copies.lastIndices[copy]);
    }
    const { coverage } = travelled;
    // up is a wall; the next cell is one further
    expect(coverage.paths).toEqual(new Array(16).fill([start, start, start + 1]));
    expect([coverage.evaluation[start], coverage.evaluation[start + 1]]).toEqual([40, 20]);
    expect(coverage.evaluation.reduce((sum, n) => sum + n, 0)).toBe(60);
    expect([coverage.columns, coverage.rows]).toEqual([10, 7]);
    expect(coverage.cells).toEqual(cells.open);
    expect(travelled.endOf(19)).toBe(start + 1);
    expect(travelled.cellOf(19)).toEqual([2, 1]);
  });
  it('adds the states of a cell', () => {
    const cells = cellsOf('control/key-door');
    const visits = new Array<number>(2 * cells.open.length).fill(0);
    [visits[0], visits[1], visits[5]] = [3, 4, 7];
    expect(visitsOfCells(cells, visits).slice(0, 4)).toEqual([7, 0, 7, 0]);
  });
});

describe('latents of episodes', () => {
  it('lie in the plane of their principal components', () => {
    const { at, explained } = planeOf([
      [2, 0, 1],
      [0, 1, 0],
      [1, 3, 2],
      [4, 1, 1],
    ]);
    // U·S of NumPy’s singular values of the centred points, the farthest place of each axis positive
    const known = [
      [0.6569732503741911, -0.9354143466934852],
      [-1.5976356529073326, -1.2026755886059093],
      [-1.2601895331146074, 1.737198072430758],
      [2.2008519356477487, 0.40089186286863576],
    ];
    known.forEach((place, k) => place.forEach((value, axis) => expect(at[k][axis]).toBeCloseTo(value, 10)));
    expect(explained[0]).toBeCloseTo(0.6074761569783179, 10);
    expect(explained[1]).toBeCloseTo(0.35483870967741904, 10);
    expect(planeOf([[1, 2]])).toEqual({ at: [[0, 0]], explained: [0, 0] });
  });
  it('are tested against ends and returns, whose order matters', () => {
    const episodes = Array.from({ length: 24 }, (_none, k) => {
      const angle = (2 * Math.PI * k) / 24;
      const cell = [Math.round(10 * Math.cos(angle)), Math.round(10 * Math.sin(angle))] as const;
      return { latent: [Math.cos(angle), Math.sin(angle), 0.3], return: 0, end: k, cell };
    });
    const found = latentEpisodes(episodes, 3);
    expect(found.ends).toEqual(
      mantelTest(
        distancesOf(episodes.map(({ latent }) => latent)),
        distancesOf(episodes.map(({ cell }) => cell)),
        { seed: 3 },
      ),
    );
    expect(found.ends?.r).toBeGreaterThan(0.95);
    expect(found.ends?.p).toBe(0.001);
    // nothing is earned, so nothing can differ
    expect(found.returns).toBeNull();
    const paid = latentEpisodes(
      episodes.map((each) => ({ ...each, return: each.latent[0], end: null, cell: null })),
      3,
    );
    expect(paid.ends).toBeNull();
    expect(paid.returns?.r).toBeGreaterThan(0.5);
  });
});

describe('an evaluation of a run', () => {
  let device: Device;
  let folder: string;
  beforeAll(async () => {
    device = await openDevice({ id: 'cpu', threads: 1 });
    folder = await mkdtemp(join(tmpdir(), 'whetstone-coverage-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const evaluated = async (id: string, world: string, more: object = {}): Promise<EpisodeEvaluation[]> => {
    const spec = checkSpec({
      method: { id, params: { copies: 4, epochs: 1, minibatches: 2 } },
      models: { policy: { kind: 'network', hidden: [8] } },
      task: { kind: 'control', id: world },
      budget: { steps: 4, batch: 40 },
      evaluation: { problems: 20 },
      seed: 4,
      ...more,
    });
    const { seen } = await runInto(device, spec, join(folder, `${id} ${world}`.replaceAll('/', ' ')));
    return seen.flatMap((event) =>
      event.type === 'result' && event.kind === 'episodes' ? [EpisodeEvaluation.parse(event.value)] : [],
    );
  };

  it('says where training and episodes went, and what their latents did', async () => {
    const found = (await evaluated('rle', 'control/four-rooms')).at(-1);
    const { coverage, latents } = found ?? {};
    const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);
    const open = cellsOf('control/four-rooms').open.length;
    expect(coverage?.cells).toHaveLength(open);
    expect(coverage?.evaluation).toHaveLength(open);
    expect(coverage?.training).toHaveLength(open);
    // the starts of four copies, then two batches of 40 steps
    expect(sum(coverage?.training)).toBe(4 + 2 * 40);
    expect(sum(coverage?.evaluation)).toBe(20 + 20 * (found?.length ?? 0));
    expect(coverage?.paths).toHaveLength(16);
    expect(latents?.episodes).toHaveLength(20);
    latents?.episodes.forEach(({ latent, end }, k) => {
      expect(Math.hypot(...latent)).toBeCloseTo(1, 5);
      if (k < 16) expect(end).toBe(coverage?.paths[k].at(-1));
    });
    expect(new Set(latents?.episodes.map(({ latent }) => latent.join())).size).toBe(20);
    expect(latents?.ends?.n).toBe(20);
  });
  it('has no map in other worlds, and no latents of policies that read none', async () => {
    const [pole] = await evaluated('rle', 'control/cart-pole');
    expect(pole.coverage).toBeUndefined();
    expect(pole.latents?.episodes.every(({ end }) => end === null)).toBe(true);
    expect([pole.latents?.ends, pole.latents?.returns?.n]).toEqual([null, 20]);
    const [plain] = await evaluated('control-ppo', 'control/deep-sea');
    expect(plain.coverage?.rows).toBe(11);
    expect(plain.latents).toBeUndefined();
  });
  it('stays small in the largest world, whatever the size of latents', async () => {
    const numbersIn = (value: unknown): number =>
      typeof value === 'number'
        ? 1
        : typeof value === 'object' && value !== null
          ? Object.values(value).reduce((sum: number, each) => sum + numbersIn(each), 0)
          : 0;
    const budget = { steps: 0, batch: 40 };
    for (const id of ['rle', 'noisy-ppo']) {
      const [found] = await evaluated(id, 'control/large-rooms', { budget, evaluation: { problems: 70 } });
      expect(found.coverage?.training).toBeUndefined();
      expect(found.latents?.episodes.length).toBeLessThanOrEqual(64);
      expect(found.latents?.episodes.length).toBeGreaterThan(2);
      expect(numbersIn(found)).toBeGreaterThan(5000);
      expect(numbersIn(found)).toBeLessThan(20_000);
    }
  });
});
