import type { Db } from '../database.ts';
import { selectPairs, type PairRow } from './label-log.ts';

/** What a labeler asks the queue of a set for. */
export interface QueueQuery {
  readonly setId: string;
  readonly labeler: string;
  /** Labelers that each item wants. */
  readonly overlap: number;
  /** Items that the labeler already holds. */
  readonly after: readonly string[];
  readonly count: number;
}

const notHeld = 'u.id not in (select value from json_each(:after))';
/** Which items `u` still want this labeler, except those that it holds. */
const wanted =
  `u.labelers < :overlap and ${notHeld} ` +
  'and not exists (select 1 from labeler_labels l where l.pair_id = u.id and l.labeler = :labeler)';

/**
 * Returns a function that finds the next items of a set's queue: with several labelers an item, those that
 * another one has labeled, so that labelers share items whatever the order; then those with a place in the
 * set's order, then the others by their positions, which are random. It reads only indexes until the items are known: rows hold
 * long texts.
 */
export function openQueue(db: Db): (query: QueueQuery) => PairRow[] {
  const begun = db.prepare<[object], { id: string }>(`
    select u.id from pairs u indexed by pairs_by_labelers
    where u.set_id = :setId and u.labelers > 0 and ${wanted} order by u.position limit :count`);
  const ordered = db.prepare<[object], { id: string }>(`
    select u.id from queue_places q
      join pairs u indexed by pairs_by_labelers on u.set_id = q.set_id and u.position = q.position
    where q.set_id = :setId and ${wanted} order by q.place limit :count`);
  const unlabeled = db.prepare<[object], { id: string }>(`
    select u.id from pairs u indexed by pairs_to_label
    where u.set_id = :setId and u.verdict is null and ${notHeld} order by u.position limit :count`);
  const others = db.prepare<[object], { id: string }>(`
    select u.id from pairs u indexed by pairs_by_labelers
    where u.set_id = :setId and ${wanted} order by u.position limit :count`);
  const rowOf = db.prepare<[string], PairRow>(`${selectPairs} where p.id = ?`);
  return ({ setId, labeler, overlap, after, count }) => {
    const found: string[] = [];
    const take = (from: typeof ordered): void => {
      if (found.length === count) return;
      const held = JSON.stringify([...after, ...found]);
      const rows = from.all({ setId, labeler, overlap, after: held, count: count - found.length });
      found.push(...rows.map(({ id }) => id));
    };
    if (overlap > 1) take(begun);
    take(ordered);
    take(overlap === 1 ? unlabeled : others);
    return found.flatMap((id) => rowOf.get(id) ?? []);
  };
}
