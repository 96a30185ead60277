import { resolve } from 'node:path';
import type { Handlers } from '../../preload/contract/define.ts';
import type { labels } from '../../preload/contract/labels.ts';
import type { Services } from '../services.ts';
import { jsonLines, writeWhole } from '../store/files.ts';

const ok = { ok: true } as const;

export const labelsHandlers = (services: Services): Handlers<typeof labels> => ({
  sets: () => services.store.labelSets.list(),
  createSet: (choice) => services.store.labelSets.create(choice),
  async renameSet({ id, name }) {
    await services.store.labelSets.rename(id, name);
    return ok;
  },
  async removeSet({ id }) {
    await services.store.labelSets.remove(id);
    return ok;
  },
  queue: ({ setId, after, count }) => services.store.labels.queue(setId, after, count),
  pair: ({ pairId }) => services.store.labels.pair(pairId),
  decide: (decision) => services.store.labels.decide(decision),
  undo: ({ setId, labeler }) => services.store.labels.undo(setId, labeler),
  recent: ({ setId, count }) => services.store.labels.recent(setId, count),
  history: ({ pairId }) => services.store.labels.history(pairId),
  progress: ({ setId }) => services.store.labels.progress(setId),
  decideMany: ({ labeler, decisions }) => services.store.labels.decideMany(labeler, decisions),
  pairs: ({ setId, offset, limit }) => services.store.labelSets.pairs(setId, offset, limit),
  async export({ setId, path }) {
    const rows = await services.store.labelSets.labeled(setId);
    const target = resolve(path);
    await writeWhole(target, jsonLines(rows));
    return { path: target, rows: rows.length };
  },
});
