import { WhetstoneError } from '../../engine/common/errors.ts';
import type {
  CurationEvent,
  CurationProgress,
  RowChange,
  RowTarget,
} from '../../preload/contract/curation.ts';
import type { StoreClient } from '../store/client.ts';
import type { Edit } from '../store/curation/steps.ts';
import type { Selection } from '../store/curation/index.ts';

export type Progress = (progress: CurationProgress) => void;

export interface ChangeInput {
  readonly id: string;
  readonly target: RowTarget;
  /** An edit of a prompt has the id of the new one. */
  readonly change: RowChange & { readonly promptId?: string };
  readonly author: string;
}

/** Rows changed by one call of the store, between which progress is reported. */
const some = 1000;

const cancelled = (): WhetstoneError =>
  new WhetstoneError('cancelled', 'The change was cancelled, and no part of it was kept.');

/** Reports how far a change is, and how long the rest will take. */
function reporter(total: number, push: Progress): (done: number) => void {
  const start = performance.now();
  return (done) => {
    const seconds = (performance.now() - start) / 1000;
    const secondsLeft = done > 0 && seconds > 0.5 ? (seconds / done) * (total - done) : null;
    push({ state: 'changing', done, total, secondsLeft });
  };
}

/**
 * Changes rows in one step. Tags, flags and exclusions are stored at once; cells some at a time, so that
 * labels can be stored meanwhile. Throws `cancelled` if the signal aborts, and takes the change back.
 */
export async function changeRows(
  store: StoreClient,
  { id, target, change, author }: ChangeInput,
  signal: AbortSignal,
  push: Progress,
): Promise<CurationProgress> {
  const query = 'query' in target ? target.query : null;
  await store.curation.settle(id);
  const selection = 'query' in target ? await store.curation.select(id, target.query) : target.rows;
  if (signal.aborted) throw cancelled();
  const by = { author, query };
  if (change.kind !== 'edit' && change.kind !== 'note') {
    const value = 'value' in change ? change.value : null;
    const event = await store.curation.mark(id, { event: change.kind, value }, selection, by);
    return { state: 'done', event };
  }
  const [rows, total] =
    'words' in selection ? [rowsIn(selection), selection.count] : [selection, selection.length];
  const report = reporter(total, push);
  const edit: Edit = change.kind === 'note' ? { note: change.value === '' ? null : change.value } : change;
  const started = await store.curation.begin(id, eventOf(change), by);
  return await unlessCancelled(store, started, async () => {
    let done = 0;
    for (const part of partsOf(rows)) {
      if (signal.aborted) throw cancelled();
      await store.curation.editRows(id, started, part, edit);
      done += part.length;
      report(done);
    }
    if (signal.aborted) throw cancelled();
    return { state: 'done', event: await store.curation.finish(started) };
  });
}

/** An edit of one row. */
export interface RowEdit {
  readonly row: number;
  readonly edit: Edit;
}
interface Edits {
  readonly id: string;
  readonly edits: readonly RowEdit[];
  readonly event: { readonly event: 'edit'; readonly field: string; readonly value: string };
  readonly by: { readonly author: string; readonly query: string | null };
}

/**
 * Edits rows, each in its own way, in one step. Throws `cancelled` if the signal aborts, and takes the change
 * back.
 */
export async function editCells(
  store: StoreClient,
  { id, edits, event, by }: Edits,
  signal: AbortSignal,
  push: (progress: Extract<CurationProgress, { state: 'changing' }>) => void,
): Promise<CurationEvent | null> {
  const report = reporter(edits.length, (progress) => {
    if (progress.state === 'changing') push(progress);
  });
  const started = await store.curation.begin(id, event, by);
  return await unlessCancelled(store, started, async () => {
    for (let from = 0; from < edits.length; from += some) {
      if (signal.aborted) throw cancelled();
      await store.curation.editEach(id, started, edits.slice(from, from + some));
      report(Math.min(edits.length, from + some));
    }
    if (signal.aborted) throw cancelled();
    return await store.curation.finish(started);
  });
}

const eventOf = (change: RowChange & { kind: 'edit' | 'note' }) =>
  change.kind === 'note'
    ? { event: 'note' as const, field: null, value: change.value }
    : {
        event: 'edit' as const,
        field: change.column,
        value: change.value === null ? null : String(change.value).slice(0, 1000),
      };

/** Undoes the last step of a dataset, or repeats the one undone last. Throws `not-found` without one. */
export async function takeStep(
  store: StoreClient,
  { id, which, author }: { readonly id: string; readonly which: 'undo' | 'redo'; readonly author: string },
  signal: AbortSignal,
  push: Progress,
): Promise<CurationProgress> {
  await store.curation.settle(id);
  const { event, cells, rows } = await store.curation.startStep(id, which, author);
  if (cells === 0) return { state: 'done', event: await store.curation.event(event) };
  const report = reporter(rows, push);
  return await unlessCancelled(store, event, async () => {
    let done = 0;
    for (let last: number | null = -1; last !== null;) {
      if (signal.aborted) throw cancelled();
      last = await store.curation.repeat(id, event, last);
      done = Math.min(rows, done + some);
      report(done);
    }
    return { state: 'done', event: await store.curation.finish(event) };
  });
}

/** Takes an unfinished event back if its work fails or is cancelled. */
async function unlessCancelled<T>(store: StoreClient, event: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await store.curation.abandon(event);
    throw error;
  }
}

function* rowsIn({ words }: Selection): Generator<number> {
  for (const [at, all] of words.entries())
    for (let word = all; word !== 0; word &= word - 1) yield at * 32 + 31 - Math.clz32(word & -word);
}

function* partsOf(rows: Iterable<number>): Generator<number[]> {
  let part: number[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < some) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
