import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CurveExportProgress, CurveExportResult } from '../../preload/contract/logs.ts';
import { curveFormats, type CurveFormat } from '../../preload/wire/log-tools.ts';
import type { StoreClient } from '../store/client.ts';
import { storeError } from '../store/database.ts';
import { writeWhole } from '../store/files.ts';
import type { MetricExtent } from '../store/metrics.ts';
import { uuid } from '../store/uuid.ts';
import { curveWriters } from './writers/index.ts';
import type { Chunks, RunCurves } from './writers/writer.ts';

/** About the number of points of all metrics of a run that are read at once. */
const WINDOW_POINTS = 80_000;

export interface CurveExport {
  readonly runIds: readonly string[];
  readonly format: CurveFormat;
  readonly path: string;
}

/** Counts what is written, and stops a cancelled export. */
class Tally {
  points = 0;
  readonly total: number;
  readonly #signal: AbortSignal;
  readonly #report: (progress: CurveExportProgress) => void;
  readonly #path: string;

  constructor(
    { total, path }: { readonly total: number; readonly path: string },
    signal: AbortSignal,
    report: (progress: CurveExportProgress) => void,
  ) {
    [this.total, this.#path, this.#signal, this.#report] = [total, path, signal, report];
  }

  add(points: number): void {
    if (this.#signal.aborted)
      throw new WhetstoneError('cancelled', 'The export was cancelled. Nothing was written.', {
        where: this.#path,
      });
    this.points += points;
    this.#report({ state: 'writing', points: this.points, totalPoints: this.total });
  }
}

/** Windows of steps of one run; their width is guessed as if points were spread evenly. */
async function* windowsOf(store: StoreClient, runId: string, extent: MetricExtent, tally: Tally) {
  const { first, last, points } = extent;
  const width = Math.max(1, Math.ceil(((last - first + 1) * WINDOW_POINTS) / points));
  for (let from = first; from <= last;) {
    const { series, to } = await store.metrics.window(runId, from, Math.min(last, from + width - 1));
    tally.add(series.reduce((sum, { steps }) => sum + steps.length, 0));
    if (series.length > 0) yield series;
    from = to + 1;
  }
}

/** A name that file systems take, and that no run before has. */
function fileNameOf(name: string, taken: Set<string>): string {
  const plain =
    name
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
      .slice(0, 80) || 'run';
  let free = plain;
  for (let i = 2; taken.has(free.toLowerCase()); i += 1) free = `${plain}-${i}`;
  taken.add(free.toLowerCase());
  return free;
}

/** Throws `conflict` if a folder exists and is not empty. */
async function requireFree(path: string): Promise<void> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    if (error.code === 'ENOTDIR') return ['a file'];
    throw storeError(error, path);
  });
  if (entries !== null && entries.length > 0)
    throw new WhetstoneError('conflict', 'There is something at this path already.', {
      where: path,
      hint: 'Choose a new folder.',
    });
}

/** Writes files into a new folder, whole or not at all. */
async function writeFolder(
  path: string,
  files: readonly { readonly path: string; readonly chunks: Chunks }[],
): Promise<void> {
  const temporary = `${path}.writing-${uuid()}`;
  try {
    for (const file of files) {
      await mkdir(dirname(join(temporary, file.path)), { recursive: true });
      await writeWhole(join(temporary, file.path), file.chunks);
    }
    await requireFree(path);
    // systems differ in whether an empty folder is replaced
    await rmdir(path).catch(() => undefined);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw storeError(error, path);
  }
}

/**
 * Writes all curves of runs, whole or not at all. Throws `not-found`, `invalid-input` for runs without points,
 * `conflict` if a folder is in the way, `disk-full`, `cancelled`.
 */
export async function exportCurves(
  store: StoreClient,
  { runIds, format, path: given }: CurveExport,
  signal: AbortSignal,
  report: (progress: CurveExportProgress) => void,
): Promise<CurveExportResult> {
  const path = resolve(given);
  const ids = [...new Set(runIds)];
  const all = await Promise.all(
    ids.map(async (id) => ({ run: await store.runs.get(id), extent: await store.metrics.extent(id) })),
  );
  const total = all.reduce((sum, { extent }) => sum + (extent?.points ?? 0), 0);
  if (total === 0)
    throw new WhetstoneError('invalid-input', 'There is nothing to export: the runs have no curves.', {
      where: path,
    });
  const tally = new Tally({ total, path }, signal, report);
  const taken = new Set<string>();
  const curves = await Promise.all(
    all.map(async ({ run, extent }): Promise<RunCurves> => ({
      run,
      fileName: fileNameOf(run.name || run.method, taken),
      config: run.imported ? await store.importedRuns.config(run.id) : run.spec,
      windows: () => (extent ? windowsOf(store, run.id, extent, tally) : none()),
    })),
  );
  const writer = curveWriters[format];
  if (writer.file) await writeWhole(path, writer.file(curves, await store.metrics.names(ids)));
  else {
    await requireFree(path);
    await writeFolder(
      path,
      curves.flatMap((each) => writer.ofRun?.(each) ?? []),
    );
  }
  const { cannotHold } = curveFormats.find(({ id }) => id === format) ?? { cannotHold: '' };
  const result = { path, runs: curves.length, points: tally.points, cannotHold };
  report({ state: 'done', result });
  return result;
}

/** The windows of a run without points. */
async function* none(): AsyncGenerator<never> {
  // nothing
}
