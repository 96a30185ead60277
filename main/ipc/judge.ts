import { newItemOrders, orderOf } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { judge, JudgeChanges, JudgeSettings, JudgeStatus } from '../../preload/contract/judge.ts';
import { sourceOf } from '../judging/sources.ts';
import { needsJudge } from '../judging/work.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

const newest = (_older: JudgeStatus, newer: JudgeStatus): JudgeStatus => newer;

/**
 * The settings after some changes: another order begins with its default parameters. Throws `not-found` for an
 * unknown order or model, `invalid-input` for parameters that do not fit the order.
 */
async function checkedChanges(
  { store }: Services,
  before: JudgeSettings,
  changes: JudgeChanges,
): Promise<JudgeChanges> {
  const { order: id = before.order, model = before.model } = changes;
  const params = changes.params ?? (id === before.order ? before.params : {});
  const order = orderOf(newItemOrders, id);
  const parsed = order.params.safeParse(params);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new WhetstoneError('invalid-input', `“${order.title}”: ${issue.message}.`, {
      where: ['params', ...issue.path].join('.'),
    });
  }
  await sourceOf({ store }, model);
  return { ...changes, order: id, params: parsed.data };
}

export const judgeHandlers = (services: Services): Handlers<typeof judge> => ({
  orders: () =>
    newItemOrders.map(({ id, title, summary, info }) => ({
      id,
      title,
      summary,
      needsJudge: needsJudge(id),
      params: info.params,
    })),
  status: ({ setId }) => services.judges.of(setId).status(),
  live: ({ setId }, signal) =>
    follow<JudgeStatus>(signal, newest, (push, end) => {
      const judge = services.judges.of(setId);
      const unwatch = judge.watch(push);
      judge.status().then(push, end);
      return unwatch;
    }),
  async choose({ setId, settings }) {
    const { store, judges } = services;
    const before = await store.labelJudge.settings(setId);
    await store.labelJudge.setSettings(setId, await checkedChanges(services, before, settings));
    judges.of(setId).restart();
    return await judges.of(setId).status();
  },
  fit: ({ setId }, signal) =>
    follow<JudgeStatus>(signal, newest, (push, end) => {
      const judge = services.judges.of(setId);
      const closed = new AbortController();
      const unwatch = judge.watch(push);
      const fit = async (): Promise<void> => {
        push(await judge.status());
        await judge.fit(closed.signal);
        push(await judge.status());
      };
      fit().then(() => end(), end);
      return () => {
        closed.abort();
        unwatch();
      };
    }),
  async cancel({ setId }) {
    await services.store.labelSets.get(setId);
    services.judges.of(setId).cancel();
    return { ok: true };
  },
  disagreements: async (query) => {
    await services.store.labelSets.get(query.setId);
    return await services.store.disagreements.next(query);
  },
});
