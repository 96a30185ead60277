import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importDataset } from '../../main/import/index.ts';
import { openStore } from '../../main/store/client.ts';

/**
 * Figures of an import. `mbPerSecond`: megabytes of the file per second, from the call to the stored dataset;
 * the full-text index is filled afterwards. `peakMb`: peak resident size less the resident size before.
 */
export interface ImportFigures {
  readonly mb: number;
  readonly rows: number;
  readonly seconds: number;
  readonly mbPerSecond: number;
  readonly peakMb: number;
  /** Processor time of all threads, in seconds. */
  readonly cpuSeconds: number;
}

const MB = 1_000_000;
const words =
  'robe bolts cloth takes half that much white fiber total answer because number each week sum pay'.split(
    ' ',
  );

/** A pseudo-random text of some words; the same for the same seed. */
const textOf = (seed: number, length: number): string => {
  let state = seed >>> 0;
  const chosen: string[] = [];
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    chosen.push(words[state % words.length]);
  }
  return chosen.join(' ');
};

/** Writes JSON lines of about 1 kB, four answers to each prompt, up to `mb` megabytes. */
const makeFile = async (path: string, mb: number): Promise<void> => {
  const file = createWriteStream(path);
  let bytes = 0;
  for (let row = 0; bytes < mb * MB;) {
    let part = '';
    while (part.length < MB && bytes + part.length < mb * MB) {
      const prompt = `Question ${row >> 2}: ${textOf(row >> 2, 40)}?`;
      const quoted = row % 4 === 0 ? '“' : '"'; // a quarter of the lines is not ASCII
      const answer = `${quoted}${textOf(row + 7, 110)} is answer ${row}.`;
      part += `${JSON.stringify({ prompt, answer, correct: row % 4 === 0, source: `model-${row % 4}`, id: row })}\n`;
      row++;
    }
    bytes += Buffer.byteLength(part);
    if (!file.write(part)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
};

/** Imports a generated file of JSON lines into a new workspace, from the file to stored rows. */
export async function measureImport({ mb }: { readonly mb: number }): Promise<ImportFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-import-'));
  try {
    const path = join(folder, 'rows.jsonl');
    await makeFile(path, mb);
    const store = await openStore({ folder, create: true });
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const cpu = process.cpuUsage();
    const start = performance.now();
    const options = { path, name: 'bench', keepGoodLines: false };
    const { rows } = await importDataset(
      store.client,
      options,
      new AbortController().signal,
      () => undefined,
    );
    const seconds = (performance.now() - start) / 1000;
    clearInterval(timer);
    const { user, system } = process.cpuUsage(cpu);
    await store.close();
    const megabytes = statSync(path).size / MB;
    const figures = {
      mb: megabytes,
      rows,
      seconds,
      mbPerSecond: megabytes / seconds,
      peakMb: (peak - before) / MB,
      cpuSeconds: (user + system) / 1e6,
    };
    const { mbPerSecond, peakMb, cpuSeconds } = figures;
    console.error(`${megabytes.toFixed(0)} MB, ${rows} rows in ${seconds.toFixed(1)} s`);
    console.error(`${mbPerSecond.toFixed(1)} MB/s, ${peakMb.toFixed(0)} MB of memory`);
    console.error(`${cpuSeconds.toFixed(1)} s of processor time`);
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
