import { resolve } from 'node:path';
import type { Handlers } from '../../preload/contract/define.ts';
import type { labels } from '../../preload/contract/labels.ts';
import { exportFile } from '../export/index.ts';
import { readingOf } from '../use-cases/label-reading.ts';
import { settleConsensus } from '../services/label-consensus.ts';
import type { Services } from '../services/services.ts';
import { jsonLines, writeWhole } from '../store/files.ts';
import type { PairFacts } from '../store/labels/label-sets.ts';
import { noticed } from './noticed.ts';
import { mostDecisions } from '../store/labels/labels.ts';

const ok = { ok: true } as const;

export const labelsHandlers = (services: Services): Handlers<typeof labels> => ({
  sets: ({ before }) => services.store.labelSets.list(before),
  createSet: (choice) => services.store.labelSets.create(choice),
  async renameSet({ id, name }) {
    await services.store.labelSets.rename(id, name);
    return ok;
  },
  async removeSet({ id }) {
    await services.store.labelSets.remove(id);
    return ok;
  },
  set: ({ id }) => services.store.labelSets.get(id),
  async setOptions({ id, options }) {
    const set = await services.store.labelSets.setOptions(id, options);
    if (options.consensus !== undefined) await settleConsensus(services.store, id);
    return set;
  },
  optionUsage: ({ setId }) => services.store.labelUsage.ofSet(setId),
  labelers: ({ setId }) => services.store.labels.labelers(setId),
  queue: ({ setId, after, count, labeler }) => services.store.labels.queue(setId, after, count, labeler),
  pair: ({ pairId, labeler }) => services.store.labels.pair(pairId, labeler),
  decide: (decision) => noticed(services, services.store.labels.decide(decision)),
  undo: ({ setId, labeler }) => noticed(services, services.store.labels.undo(setId, labeler)),
  redo: ({ setId, labeler }) => noticed(services, services.store.labels.redo(setId, labeler)),
  reference: ({ pairId }) => services.store.labels.reference(pairId),
  recent: ({ setId, count, labeler }) => services.store.labels.recent(setId, count, labeler ?? null),
  review: (query) => services.store.labelReview.page(query),
  history: ({ pairId }) => services.store.labels.history(pairId),
  progress: ({ setId, labeler }) => services.store.labels.progress(setId, labeler),
  async decideMany({ labeler, decisions }) {
    const { store } = services;
    const parts = Array.from(
      { length: Math.max(1, Math.ceil(decisions.length / mostDecisions)) },
      (_none, i) => decisions.slice(i * mostDecisions, (i + 1) * mostDecisions),
    );
    // check all before storing any
    for (const part of parts) await store.labels.decideMany(labeler, part, true);
    for (const part of parts.slice(0, -1)) await store.labels.decideMany(labeler, part);
    return await noticed(services, store.labels.decideMany(labeler, parts[parts.length - 1]));
  },
  pairs: ({ setId, offset, limit }) => services.store.labelSets.pairs(setId, offset, limit),
  reading: ({ setId, checkpointIds }) => readingOf(services, setId, checkpointIds),
  async export({ setId, path }) {
    const { mode = 'pair' } = await services.store.labelSets.get(setId);
    if (mode === 'correctness' || mode === 'spans') return exportAnswers(services, setId, path);
    const target = resolve(path);
    let rows = 0;
    await settleConsensus(services.store, setId);
    await writeWhole(
      target,
      labelLines(services, setId, (more) => {
        rows += more;
      }),
    );
    return { path: target, rows };
  },
});

/** Exports the labels of single answers as JSON lines. */
async function exportAnswers({ store }: Services, id: string, path: string) {
  let records = 0;
  const file = { from: { kind: 'label-set', id }, format: 'jsonl', path } as const;
  await exportFile(store, file, new AbortController().signal, (progress) => {
    if (progress.state === 'done') ({ records } = progress.result);
  });
  return { path: resolve(path), rows: records };
}

/** Exports a set's labels as JSON lines, page by page. */
async function* labelLines(
  { store }: Services,
  setId: string,
  count: (rows: number) => void,
): AsyncGenerator<Uint8Array> {
  for (let after: number | null = null; ;) {
    const page: { pairs: PairFacts[]; next: number | null } = await store.labelSets.labeled(setId, after);
    yield* jsonLines(page.pairs, count);
    if (page.next === null) return; // the last page
    after = page.next;
  }
}
