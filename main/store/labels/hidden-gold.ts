import type { Db } from '../database.ts';
import type { Draw, NextRequest } from './hidden-draw.ts';

/** Most gold items that wait for their places at a time; the others come up like new items. */
const MOST = 1000;

/** Gold items in the queue: at one random place of each stretch of 1 ⁄ share new items. */
export function openGold(db: Db, draw: Draw) {
  const open = db
    .prepare<[object], string>(
      `select g.pair_id from gold_items g where g.set_id = :setId and not exists (
        select 1 from labeler_labels l where l.pair_id = g.pair_id and l.labeler = :labeler)
        order by g.pair_id limit ${MOST}`,
    )
    .pluck();
  const again = db
    .prepare<[string], number>(
      `select max(0, (select coalesce(sum(c.labeled), 0) from labeler_counts c where c.set_id = s.id) - s.labeled)
        from label_sets s where s.id = ?`,
    )
    .pluck();
  return {
    /** True if the new item number `place` is a gold one. */
    isPlace(request: NextRequest, place: number): boolean {
      if (request.options.gold === 0) return false;
      const stretch = 1 / request.options.gold;
      const block = Math.floor(place / stretch);
      // the last item of a stretch may belong to the next one, as 1 ⁄ share need not be whole
      return [block, block - 1].some(
        (each) => place === Math.floor((each + draw(request, 'place of gold', each)) * stretch),
      );
    },

    /** Gold items that the labeler has not decided, in random order; none without a share. */
    left(request: NextRequest): string[] {
      const { setId, labeler, options, after } = request;
      if (options.gold === 0) return [];
      return open
        .all({ setId, labeler })
        .filter((id) => !after.includes(id))
        .map((id) => ({ id, order: draw(request, 'gold', id) }))
        .sort((a, b) => a.order - b.order)
        .map(({ id }) => id);
    },

    /** Labels beyond the first one of each item: where items want one labeler, those of gold. */
    again: (setId: string): number => again.get(setId) ?? 0,
  };
}
