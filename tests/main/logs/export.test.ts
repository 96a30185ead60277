import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, it } from 'vitest';
import { exportCurves, importLogs } from '../../../main/logs/index.ts';
import type { StoreClient } from '../../../main/store/client.ts';
import { curveFormats, type CurveFormat } from '../../../preload/wire/log-tools.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { importedFacts, importedForTest, pointsOf } from '../../support/log-cases.ts';
import { readLogs, type Curves } from '../../support/read-logs.ts';
import { workspaceForTest } from '../../support/workspace.ts';

const go = new AbortController().signal;
const quiet = () => undefined;

/** Curves of a run, without those of an empty series. */
async function curvesOf(store: StoreClient, runId: string): Promise<Curves> {
  const names = await store.metrics.names([runId]);
  const all = await store.metrics.series({ runIds: [runId], names, from: 0, to: null, points: 20_000 });
  return Object.fromEntries(
    all.map(({ name, steps, values }) => [name, Array.from(steps, (step, i) => [step, values[i]])]),
  );
}
const rounded = (curves: Curves): Curves =>
  Object.fromEntries(
    Object.entries(curves).map(([name, points]) => [
      name,
      points.map(([step, value]) => [step, Math.fround(value)]),
    ]),
  );

/** Reads what a format wrote, of one run. */
const readers: { readonly [F in CurveFormat]: (path: string) => Promise<Curves> } = {
  tensorboard: (path) => readAgain(path),
  wandb: (path) => readAgain(path),
  csv: (path) => Promise.resolve(ofTable(cellsOf(path))),
  'csv-wide': (path) => {
    const curves: Curves = {};
    for (const { step, ...cells } of cellsOf(path))
      for (const [name, value] of Object.entries(cells).filter(([name]) => !/^run(_id)?$/.test(name)))
        if (value !== '') (curves[name] ??= []).push([Number(step), Number(value)]);
    return Promise.resolve(curves);
  },
  parquet: async (path) =>
    ofTable((await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })) as Cells[]),
};
type Cells = Record<string, string | number>;
const cellsOf = (path: string): Cells[] => parse(readFileSync(path), { columns: true });
function ofTable(rows: readonly Cells[]): Curves {
  const curves: Curves = {};
  for (const { metric, step, value } of rows) (curves[metric] ??= []).push([Number(step), Number(value)]);
  return curves;
}
const readAgain = async (path: string): Promise<Curves> => (await readLogs(path))[0].curves;

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, 0, -0, 5e-324, 1e308, 0.1, 2 ** 53),
);
/** A metric at some steps, in the order of a log: steps may repeat and go back. */
const metric = fc.array(fc.tuple(fc.nat({ max: 3000 }), number), { minLength: 1, maxLength: 60 });
const names = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom('loss', 'reward/mean', 'a,b', 'a "quoted" one', 'eval/loss', '量/損失'),
    fc.string({ minLength: 1, maxLength: 12 }).map((name) => `m ${name.replaceAll(/[\r\n\0]/g, '')}`),
  ),
  { minLength: 1, maxLength: 4 },
);

describe.each(curveFormats.map(({ id }) => id))('curves as %s', (format) => {
  it('come back as they are shown: every metric, step and value', async () => {
    const { store } = await workspaceForTest();
    await fc.assert(
      fc.asyncProperty(
        names.chain((all) => fc.tuple(...all.map((name) => fc.tuple(fc.constant(name), metric)))),
        async (metrics) => {
          const points = metrics.map(([name, all]) => ({
            name,
            steps: Float64Array.from(all, ([step]) => step),
            at: Float64Array.from(all, (_one, i) => 1_700_000_000_000 + 250 * i),
            values: Float64Array.from(all, ([, value]) => value),
          }));
          const id = await importedForTest(store, points);
          const path = join(temporaryFolder(), 'curves');
          await exportCurves(store, { runIds: [id], format, path }, go, quiet);
          const shown = await curvesOf(store, id);
          expect(await readers[format](path)).toEqual(format === 'tensorboard' ? rounded(shown) : shown);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('of several runs, two of the same name, are kept apart', async () => {
    const { store } = await workspaceForTest();
    const ids = [
      await importedForTest(store, [pointsOf('loss', [1, 2])]),
      await importedForTest(store, [pointsOf('loss', [3])]),
    ];
    const path = join(temporaryFolder(), 'curves');
    const result = await exportCurves(store, { runIds: [...ids, ids[0]], format, path }, go, quiet);
    expect(result).toMatchObject({ path, runs: 2, points: 3 });
    if (format === 'tensorboard') expect(readdirSync(path)).toEqual(['imported', 'imported-2']);
    if (format === 'wandb') expect(readdirSync(path)).toHaveLength(2);
    if (format === 'csv') expect(new Set(cellsOf(path).map((row) => row.run_id))).toEqual(new Set(ids));
  });

  it('are not written if the export is cancelled, and leave nothing behind', async () => {
    const { store } = await workspaceForTest();
    const id = await importedForTest(store, [
      pointsOf(
        'loss',
        Array.from({ length: 5000 }, (_none, i) => i),
      ),
    ]);
    const folder = temporaryFolder();
    const stop = new AbortController();
    stop.abort();
    const task = exportCurves(store, { runIds: [id], format, path: join(folder, 'x') }, stop.signal, quiet);
    expect((await rejected(task)).kind).toBe('cancelled');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an export of curves', () => {
  it('keeps the times of points where the tool keeps any, and an unknown one is empty', async () => {
    const { store } = await workspaceForTest();
    const points = { ...pointsOf('loss', [1, 2]), at: Float64Array.of(1_700_000_000_250, Number.NaN) };
    const id = await importedForTest(store, [points]);
    const path = join(temporaryFolder(), 'curves.csv');
    await exportCurves(store, { runIds: [id], format: 'csv', path }, go, quiet);
    expect(cellsOf(path).map(({ time }) => time)).toEqual(['2023-11-14T22:13:20.250Z', '']);
  });

  it('of Weights & Biases has name, configuration and tags of the run', async () => {
    const { store } = await workspaceForTest();
    const id = await importedForTest(store, undefined, { name: 'a, b' });
    const path = join(temporaryFolder(), 'curves');
    await exportCurves(store, { runIds: [id], format: 'wandb', path }, go, quiet);
    const other = (await workspaceForTest()).store;
    const { runs } = await importLogs(other, { path }, go, quiet);
    expect(runs[0].name).toBe('a, b');
    expect(await other.importedRuns.config(runs[0].id)).toEqual({ learning_rate: 0.1 });
  });

  it('reads many points in windows of steps, and loses none at their edges', async () => {
    const { store } = await workspaceForTest();
    const id = await store.importedRuns.stage('verl');
    const values = Array.from({ length: 250_001 }, (_none, i) => i);
    await store.importedRuns.append(id, [pointsOf('loss', values), pointsOf('late', [7], 250_000)]);
    await store.importedRuns.finish([importedFacts(id)]);
    const path = join(temporaryFolder(), 'curves.csv');
    const { points } = await exportCurves(store, { runIds: [id], format: 'csv', path }, go, quiet);
    expect(points).toBe(250_002);
    const steps = cellsOf(path)
      .filter(({ metric }) => metric === 'loss')
      .map(({ step }) => Number(step));
    expect(steps).toEqual(values);
  });

  it('reads few points at a time where most of them are at a few steps', async () => {
    const { store } = await workspaceForTest();
    const id = await store.importedRuns.stage('verl');
    const dense = Array.from({ length: 3 }, (_none, k) =>
      pointsOf(
        `m${k}`,
        Array.from({ length: 60_000 }, () => k),
      ),
    );
    await store.importedRuns.append(id, [...dense, pointsOf('late', [7], 100_000_000)]);
    await store.importedRuns.finish([importedFacts(id)]);
    const { series, to } = await store.metrics.window(id, 0, 100_000_000);
    expect(series.reduce((sum, { steps }) => sum + steps.length, 0)).toBeLessThanOrEqual(100_000);
    expect(to).toBeLessThan(60_000);
    const path = join(temporaryFolder(), 'curves.parquet');
    const { points } = await exportCurves(store, { runIds: [id], format: 'parquet', path }, go, quiet);
    expect(points).toBe(180_001);
  });

  it('never replaces a folder that has something in it, and takes an empty one', async () => {
    const { store } = await workspaceForTest();
    const id = await importedForTest(store);
    const path = join(temporaryFolder(), 'taken');
    mkdirSync(path);
    await exportCurves(store, { runIds: [id], format: 'tensorboard', path }, go, quiet);
    const again = exportCurves(store, { runIds: [id], format: 'tensorboard', path }, go, quiet);
    expect(await rejected(again)).toMatchObject({ kind: 'conflict', where: path });
    expect(existsSync(join(path, 'imported'))).toBe(true);
  });

  it('is refused for runs without curves, and for a folder that does not exist', async () => {
    const { store } = await workspaceForTest();
    const id = await importedForTest(store, []);
    const path = join(temporaryFolder(), 'x.csv');
    expect(
      await rejected(exportCurves(store, { runIds: [id], format: 'csv', path }, go, quiet)),
    ).toMatchObject({
      kind: 'invalid-input',
    });
    writeFileSync(path, 'before');
    const other = await importedForTest(store);
    const nowhere = join(temporaryFolder(), 'no', 'x.csv');
    const lost = exportCurves(store, { runIds: [other], format: 'csv', path: nowhere }, go, quiet);
    expect((await rejected(lost)).kind).toBe('not-found');
    expect(readFileSync(path, 'utf8')).toBe('before');
  });
});
