import { userInfo } from 'node:os';
import { promptIdOf } from '../../engine/index.ts';
import type { CurationProgress, curation, RowChange } from '../../preload/contract/curation.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Services } from '../services/services.ts';
import { changeRows, takeStep, type Progress } from '../services/curation.ts';
import { follow } from './stream.ts';

const newest = <T>(_older: T, newer: T): T => newer;

/** A feed of work that its closing cancels. */
const feedOf = (
  signal: AbortSignal,
  work: (signal: AbortSignal, push: Progress) => Promise<CurationProgress>,
): AsyncIterable<CurationProgress> =>
  follow<CurationProgress>(signal, newest, (push, end) => {
    const controller = new AbortController();
    work(controller.signal, push).then(
      (done) => {
        push(done);
        end();
      },
      (error: unknown) => end(error),
    );
    return () => controller.abort();
  });

/** An edit of the prompt needs the id of the new one. */
const withPromptId = (change: RowChange) =>
  change.kind === 'edit' && change.column.toLowerCase() === 'prompt'
    ? { ...change, promptId: promptIdOf(String(change.value ?? '')) }
    : change;

/** The author's name, or that of the account. */
const nameOf = (author: string): string => author || userInfo().username;

export const curationHandlers = (services: Services): Handlers<typeof curation> => ({
  change: ({ id, target, change, author }, signal) =>
    feedOf(signal, (stop, push) =>
      changeRows(
        services.store,
        { id, target, change: withPromptId(change), author: nameOf(author) },
        stop,
        push,
      ),
    ),
  undo: ({ id, author }, signal) =>
    feedOf(signal, (stop, push) =>
      takeStep(services.store, { id, which: 'undo', author: nameOf(author) }, stop, push),
    ),
  redo: ({ id, author }, signal) =>
    feedOf(signal, (stop, push) =>
      takeStep(services.store, { id, which: 'redo', author: nameOf(author) }, stop, push),
    ),
  async add({ id, row, author }) {
    await services.store.curation.settle(id);
    const added = { ...row, promptId: promptIdOf(row.prompt) };
    return { row: await services.store.curation.add(id, added, nameOf(author)) };
  },
  history: ({ id, before }) => services.store.curation.history(id, before ?? null),
  row: ({ id, row }) => services.store.curation.row(id, row),
});
