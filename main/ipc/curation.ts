import { userInfo } from 'node:os';
import { promptIdOf } from '../../engine/index.ts';
import type { CurationProgress, curation, RowChange } from '../../preload/contract/curation.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Services } from '../services/services.ts';
import { changeRows, takeStep, type Progress } from '../services/curation.ts';
import { follow } from './stream.ts';

const newest = <T>(_older: T, newer: T): T => newer;

type Work = (signal: AbortSignal, push: Progress) => Promise<CurationProgress>;

/** The running changes of datasets. */
class Running {
  readonly #all = new Set<{ readonly id: string; readonly ended: Promise<void> }>();

  /** A feed of a change of a dataset, which its closing cancels. */
  feed(id: string, signal: AbortSignal, work: Work): AsyncIterable<CurationProgress> {
    return follow<CurationProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      const ended = work(controller.signal, push).then(
        (done) => {
          push(done);
          end();
        },
        (error: unknown) => end(error),
      );
      const change = { id, ended };
      this.#all.add(change);
      void ended.then(() => this.#all.delete(change));
      return () => controller.abort();
    });
  }

  /** Resolves when no change of the dataset is running. */
  async settled(id: string): Promise<void> {
    await Promise.all([...this.#all].filter((each) => each.id === id).map(({ ended }) => ended));
  }
}

/** An edit of the prompt needs the id of the new one. */
const withPromptId = (change: RowChange) =>
  change.kind === 'edit' && change.column.toLowerCase() === 'prompt'
    ? { ...change, promptId: promptIdOf(String(change.value ?? '')) }
    : change;

/** The author's name, or that of the account. */
const nameOf = (author: string): string => author || userInfo().username;

export const curationHandlers = (services: Pick<Services, 'store'>): Handlers<typeof curation> => {
  const running = new Running();
  return {
    change: ({ id, target, change, author }, signal) =>
      running.feed(id, signal, (stop, push) =>
        changeRows(
          services.store,
          { id, target, change: withPromptId(change), author: nameOf(author) },
          stop,
          push,
        ),
      ),
    undo: ({ id, author }, signal) =>
      running.feed(id, signal, (stop, push) =>
        takeStep(services.store, { id, which: 'undo', author: nameOf(author) }, stop, push),
      ),
    redo: ({ id, author }, signal) =>
      running.feed(id, signal, (stop, push) =>
        takeStep(services.store, { id, which: 'redo', author: nameOf(author) }, stop, push),
      ),
    async settle({ id }) {
      await services.store.datasets.get(id);
      await running.settled(id);
      return { ok: true };
    },
    async add({ id, row, author }) {
      await services.store.curation.settle(id);
      const added = { ...row, promptId: promptIdOf(row.prompt) };
      return { row: await services.store.curation.add(id, added, nameOf(author)) };
    },
    history: ({ id, before }) => services.store.curation.history(id, before ?? null),
    row: ({ id, row }) => services.store.curation.row(id, row),
  };
};
