import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { entryOf } from '../../engine/common/entry.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { FoundLog, LogImportProgress, LogImportResult } from '../../preload/contract/logs.ts';
import { logTools } from '../../preload/wire/log-tools.ts';
import type { StoreClient } from '../store/client.ts';
import { storeError } from '../store/database.ts';
import { imported, type ImportedRun } from '../store/imported/runs.ts';
import type { LogFacts } from './columns.ts';
import { findLogs, type FoundSource } from './find.ts';
import type { LogAnswer, LogMessage, LogWork } from './protocol.ts';

const entry = entryOf(import.meta.url, './worker.ts', './logs-worker.js');

/** The runs that a file or folder holds. Throws `not-found`, `invalid-input` where there are none. */
export const listLogs = async (path: string): Promise<FoundLog[]> =>
  (await findLogs(path)).map(({ key, tool, name, files, bytes }) => ({
    key,
    tool,
    name,
    path: files[0],
    files: files.length,
    bytes,
  }));

export interface LogImport {
  readonly path: string;
  readonly name?: string;
  readonly keys?: readonly string[];
}

/** The chosen runs of a path. Throws `not-found` for a key that none has. */
async function chosen({ path, keys }: LogImport): Promise<FoundSource[]> {
  const all = await findLogs(path);
  if (!keys) return all;
  const absent = keys.find((key) => !all.some((source) => source.key === key));
  if (absent !== undefined)
    throw new WhetstoneError('not-found', `There is no run '${absent}' here any more.`, {
      where: resolve(path),
      hint: 'Look for the runs again.',
    });
  return all.filter(({ key }) => keys.includes(key));
}

/** Messages of the thread that reads, and answers to it. */
class Reading {
  readonly #worker: Worker;
  readonly #where: string;
  readonly #waiting: LogMessage[] = [];
  #fault: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(work: LogWork, where: string) {
    this.#where = where;
    this.#worker = new Worker(entry, { workerData: work });
    this.#worker.on('message', (message: LogMessage) => {
      this.#waiting.push(message);
      this.#wake();
    });
    this.#worker.on('error', (error) => this.fail(error));
    this.#worker.on('exit', () =>
      this.fail(new WhetstoneError('internal', 'The import ended without a result.', { where })),
    );
  }

  fail(error: Error): void {
    this.#fault ??= error;
    this.#wake();
  }

  answer(answer: LogAnswer): void {
    this.#worker.postMessage(answer);
  }

  /** The next message; null at the end. Throws what the thread throws, and `cancelled`. */
  async next(signal: AbortSignal): Promise<Exclude<LogMessage, { state: 'failed' | 'done' }> | null> {
    for (;;) {
      if (signal.aborted)
        throw new WhetstoneError('cancelled', 'The import was cancelled. Nothing was stored.', {
          where: this.#where,
        });
      const message = this.#waiting.shift();
      if (message?.state === 'failed') throw WhetstoneError.from(message.error);
      if (message?.state === 'done') return null;
      if (message) return message;
      if (this.#fault) throw this.#fault;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  wake(): void {
    this.#wake();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Facts of each run while the logs are read. */
class Import {
  readonly #store: StoreClient;
  readonly #sources: readonly FoundSource[];
  readonly #given: LogImport;
  readonly #ids = new Map<number, string>();
  readonly #hashes = new Map<number, string>();
  readonly runs: ImportedRun[] = [];
  readonly leftOut: LogImportResult['leftOut'] = [];
  #before = 0;
  #points = 0;

  constructor(store: StoreClient, sources: readonly FoundSource[], given: LogImport) {
    [this.#store, this.#sources, this.#given] = [store, sources, given];
  }

  get ids(): string[] {
    return [...this.#ids.values()];
  }

  /** True if a run is to be read: neither the workspace nor another run of this import has its content. */
  async begin(run: number, hash: string): Promise<boolean> {
    const known = await this.#store.importedRuns.find(hash);
    const twin = [...this.#hashes].find(([, other]) => other === hash)?.[0];
    if (known ?? twin !== undefined) {
      this.#leave(run, `imported already, as '${known?.name ?? this.#sources[twin ?? 0].name}'`);
      return false;
    }
    this.#hashes.set(run, hash);
    this.#ids.set(run, await this.#store.importedRuns.stage(logTools[this.#sources[run].tool]));
    return true;
  }

  async add(
    { run, bytes, points }: Extract<LogMessage, { state: 'reading' }>,
    report: (progress: LogImportProgress) => void,
  ): Promise<void> {
    const id = this.#ids.get(run);
    if (id !== undefined && points.length > 0) await this.#store.importedRuns.append(id, points);
    this.#points += points.reduce((sum, { steps }) => sum + steps.length, 0);
    report({
      state: 'reading',
      name: this.#sources[run].name,
      run: run + 1,
      runs: this.#sources.length,
      bytes: this.#before + Math.min(bytes, this.#sources[run].bytes),
      totalBytes: this.#sources.reduce((sum, source) => sum + source.bytes, 0),
      points: this.#points,
    });
  }

  end(run: number, facts: LogFacts): void {
    const { tool, files } = this.#sources[run];
    this.#before += this.#sources[run].bytes;
    if (facts.points === 0)
      return this.#leave(run, facts.damage ?? `it holds no numbers${skippedText(facts)}`);
    const { lastStep, totalSteps, startedAt, endedAt, notFinite, points, repeated, skipped, damage } = facts;
    const origin = { tool, path: files[0], hash: this.#hashes.get(run) ?? '', points, repeated, damage };
    this.runs.push({
      id: this.#ids.get(run) ?? '',
      name: this.#nameOf(run, facts.name),
      ...{ lastStep, totalSteps, startedAt, endedAt, notFinite },
      origin: { ...origin, skipped: [...skipped], renamed: { ...facts.renamed } },
      config: Object.keys(facts.config).length > 0 ? facts.config : null,
    });
  }

  #nameOf(run: number, own: string): string {
    const [given, found] = [this.#given.name ?? '', own || this.#sources[run].name];
    const name = given === '' ? found : this.#sources.length === 1 ? given : `${given} ${found}`;
    return name.slice(0, 200);
  }

  #leave(run: number, reason: string): void {
    const { name, files } = this.#sources[run];
    this.leftOut.push({ name, path: files[0], reason });
  }
}

const skippedText = ({ skipped }: LogFacts): string =>
  skipped.length === 0 ? '' : `, only ${skipped.map(({ what, count }) => `${what} (${count})`).join(', ')}`;

/** The error of an import that would store no run. */
function nothingNew(work: Import, path: string): WhetstoneError {
  const before = work.leftOut.find(({ reason }) => reason.startsWith('imported already'));
  const name = /'(.*)'/.exec(before?.reason ?? '')?.[1];
  if (name !== undefined && work.leftOut.length === 1) return imported(name, path);
  const reasons = work.leftOut.slice(0, 3).map((each) => `${each.name}: ${each.reason}`);
  return new WhetstoneError(
    before ? 'conflict' : 'invalid-input',
    before ? 'These logs were imported already.' : 'Nothing can be imported from here.',
    { where: path, hint: `${reasons.join('; ')}.` },
  );
}

/**
 * Imports the runs of a log file or folder: all or none of them. Throws the errors of finding and reading (with
 * file and place), `conflict` if the workspace has all of them, `disk-full`, `cancelled`.
 */
export async function importLogs(
  store: StoreClient,
  given: LogImport,
  signal: AbortSignal,
  report: (progress: LogImportProgress) => void,
): Promise<LogImportResult> {
  const path = resolve(given.path);
  const sources = await chosen(given);
  const work = new Import(store, sources, given);
  const reading = new Reading({ sources }, path);
  const onAbort = (): void => reading.wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (let message = await reading.next(signal); message; message = await reading.next(signal)) {
      if (message.state === 'hashed')
        reading.answer((await work.begin(message.run, message.hash)) ? 'read' : 'skip');
      else if (message.state === 'read') work.end(message.run, message.facts);
      else {
        await work.add(message, report);
        reading.answer('handled');
      }
    }
    if (work.runs.length === 0) throw nothingNew(work, path);
    await store.importedRuns.finish(work.runs);
  } catch (error) {
    await store.importedRuns.discard(work.ids);
    throw storeError(error, path);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await reading.close();
  }
  // those without a number are not kept
  const kept = new Set(work.runs.map(({ id }) => id));
  await store.importedRuns.discard(work.ids.filter((id) => !kept.has(id)));
  const runs = await Promise.all(work.runs.map(({ id }) => store.runs.get(id)));
  const result = { runs, leftOut: work.leftOut };
  report({ state: 'done', result });
  return result;
}
