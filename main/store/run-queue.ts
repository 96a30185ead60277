import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Run } from '../../preload/contract/runs.ts';
import type { Db } from './database.ts';

/** SQL of the place behind the last queued run. */
export const lastPlace =
  "(select coalesce(max(q.place), 0) + 1 from runs q where q.state = 'queued' and q.visible = 1)";

/** The queue itself; `restart`: paused because runs were waiting when the workspace was opened. */
export interface QueueSettings {
  readonly paused: 'asked' | 'restart' | null;
  /** Most runs that may run at once on the processor. */
  readonly atOnce: number;
}

// runs of earlier versions have no place: they were queued before all others
const inOrder = "from runs where state = 'queued' and visible = 1 order by place, queued_at, id";

// the device of a specification that this version cannot read may be missing
const device = "iif(json_valid(spec), json_extract(spec, '$.device'), null) device";

/** The order of queued runs, and the state of their queue. */
export const runQueue = (db: Db, get: (id: string) => Run) => {
  const ids = (): string[] =>
    db
      .prepare<[], { id: string }>(`select id ${inOrder}`)
      .all()
      .map(({ id }) => id);

  return {
    /** The first queued run of each device, in their order; of a paused queue, the first ones among `only`. */
    nextQueued(only: readonly string[] | null = null): Run[] {
      const rows = db
        .prepare<[], { id: string; device: string | null }>(`select id, ${device} ${inOrder}`)
        .all();
      const open = rows.filter(({ id }) => only?.includes(id) ?? true);
      return [...Map.groupBy(open, ({ device }) => device).values()].map(([{ id }]) => get(id));
    },

    queueState: (): QueueSettings =>
      db.prepare<[], QueueSettings>('select paused, at_once atOnce from queue').get() ?? {
        paused: null,
        atOnce: 1,
      },

    pauseQueue(paused: QueueSettings['paused']): void {
      db.prepare('update queue set paused = ?').run(paused);
    },

    setAtOnce(atOnce: number): void {
      db.prepare('update queue set at_once = ?').run(atOnce);
    },

    /** The queued runs in the order in which they start. */
    queued: (): Run[] => ids().map(get),

    /**
     * Moves a queued run to place `to` of the queue, 1 first, and returns all queued runs in their new order. A
     * place behind the last one is the last one. Throws `conflict` for a run that does not wait.
     */
    moveQueued: db.transaction((id: string, to: number): Run[] => {
      const run = get(id);
      const others = ids().filter((each) => each !== id);
      if (run.state !== 'queued')
        throw new WhetstoneError(
          'conflict',
          `'${run.name}' is ${run.state}, so it has no place in the queue.`,
          {
            where: id,
          },
        );
      const order = others.toSpliced(Math.max(0, to - 1), 0, id);
      const set = db.prepare('update runs set place = ? where id = ?');
      order.forEach((each, at) => set.run(at + 1, each));
      return order.map(get);
    }),
  };
};
