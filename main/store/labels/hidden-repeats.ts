import type { SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { Db } from '../database.ts';
import type { Draw, NextRequest } from './hidden-draw.ts';
import { uuid } from '../uuid.ts';

/** A repeat that waits to be decided; `place` counts the new items before it. */
type Waiting = { id: string; place: number };
type Counts = { made: number; decided: number; sided: number; lefts: number };
const noCounts: Counts = { made: 0, decided: 0, sided: 0, lefts: 0 };

/** New items for each repeat: of 1 ⁄ share items in all, one is the repeat. */
const stretchOf = (share: number): number => (1 - share) / share;
/** Repeats that a labeler of so many new items gets: one in each full stretch. */
const planned = (items: number, { repeats, repeatAfter }: SetOptions): number =>
  repeats === 0 ? 0 : Math.max(0, Math.floor((items - repeatAfter) / stretchOf(repeats)));

const repeatStatements = (db: Db) => ({
  counts: db.prepare<[string, string], Counts>(
    'select made, decided, sided, lefts from repeat_counts where set_id = ? and labeler = ?',
  ),
  ofSet: db
    .prepare<[string], number>('select coalesce(sum(decided), 0) from repeat_counts where set_id = ?')
    .pluck(),
  /**
   * Only while the labeler's decision that they repeat holds; one that was given again, after an undo, is repeated
   * no sooner than another one.
   */
  waiting: db.prepare<[object], Waiting>(
    `select r.id, max(r.place, :repeatAfter - (select count(*) from (select 1 from labeler_labels n
          where n.set_id = :setId and n.labeler = :labeler and n.sequence > l.sequence limit :repeatAfter))
        + (select c.labeled from labeler_counts c where c.set_id = :setId and c.labeler = :labeler)) place
      from repeats r join labeler_labels l on l.pair_id = r.pair_id and l.labeler = r.labeler
      where r.set_id = :setId and r.labeler = :labeler and r.sequence is null
      and r.id not in (select value from json_each(:after)) order by 2, r.id`,
  ),
  newestPlace: db
    .prepare<[string, string], number | null>(
      'select max(place) from repeats where set_id = ? and labeler = ?',
    )
    .pluck(),
  /** Items that the labeler has decided, was not asked again and did not skip, of the oldest `oldest`. */
  repeatable: db
    .prepare<[object], string>(
      `select l.pair_id from (select pair_id, verdict from labeler_labels
          where set_id = :setId and labeler = :labeler order by sequence limit :oldest) l
        where l.verdict <> 'skip' and not exists (
          select 1 from repeats r where r.pair_id = l.pair_id and r.labeler = :labeler)`,
    )
    .pluck(),
  anyId: db
    .prepare<[string, number], string>('select id from pairs where set_id = ? and position >= ? limit 1')
    .pluck(),
  pairs: db.prepare<[string], number>('select pairs from label_sets where id = ?').pluck(),
  insert: db.prepare(
    'insert into repeats (id, pair_id, set_id, labeler, place, left_is) values (?, ?, ?, ?, ?, ?)',
  ),
});

/** Makes a repeat of an item that was decided at least `repeatAfter` items before the new item `place`. */
function openMaking(statements: ReturnType<typeof repeatStatements>, draw: Draw) {
  /** An id that tells as little of its time as the other ids of the set. */
  const newId = (request: NextRequest, about: string): string => {
    const at = Math.floor(draw(request, 'id', about) * (statements.pairs.get(request.setId) ?? 1));
    return (statements.anyId.get(request.setId, at) ?? about).slice(0, 13) + uuid().slice(13);
  };
  return (request: NextRequest, place: number): string | null => {
    const { setId, labeler, options } = request;
    const oldest = place - options.repeatAfter;
    const items = oldest > 0 ? statements.repeatable.all({ setId, labeler, oldest }) : [];
    if (items.length === 0) return null;
    const pairId = items[Math.floor(draw(request, 'repeat', place, items.length) * items.length)];
    const id = newId(request, pairId);
    const side = draw(request, 'side of a repeat', pairId) < 0.5 ? 'a' : 'b';
    statements.insert.run(id, pairId, setId, labeler, place, side);
    return id;
  };
}

/**
 * Repeats in the queue: one at a random place of each stretch of new items. Their ids and the side of each
 * answer are their own, and stored when they are first shown.
 */
export function openRepeats(db: Db, draw: Draw) {
  const statements = repeatStatements(db);
  const make = openMaking(statements, draw);
  return {
    waiting: ({ setId, labeler, options: { repeatAfter }, after }: NextRequest): Waiting[] =>
      statements.waiting.all({ setId, labeler, repeatAfter, after: JSON.stringify(after) }),

    /** The repeat to show before the new item number `place`, taken from `waiting` or new; null if none is due. */
    due(request: NextRequest, place: number, waiting: Waiting[]): string | null {
      const { setId, labeler, options } = request;
      if (options.repeats === 0) return null;
      if (waiting.length > 0 && waiting[0].place <= place) return waiting.shift()?.id ?? null;
      const stretch = stretchOf(options.repeats);
      const block = Math.floor((place - options.repeatAfter) / stretch);
      if (block < 0) return null;
      const start = options.repeatAfter + block * stretch;
      if (place < Math.floor(start + draw(request, 'place of a repeat', block) * stretch)) return null;
      const newest = statements.newestPlace.get(setId, labeler) ?? -1;
      return newest >= start ? null : make(request, place);
    },

    /** Repeats that are left when no new item is: those that wait, then those still planned. */
    *last(request: NextRequest, place: number, waiting: readonly Waiting[]): Generator<string> {
      const { setId, labeler, options } = request;
      if (options.repeats === 0) return;
      yield* waiting.map(({ id }) => id);
      while ((statements.counts.get(setId, labeler)?.made ?? 0) < planned(place, options)) {
        const id = make(request, place);
        if (id === null) return;
        yield id;
      }
    },

    /** Counts of a labeler's repeats; `expected`: those made, or planned for so many new items. */
    counts(setId: string, labeler: string, options: SetOptions, items: number) {
      const counts = statements.counts.get(setId, labeler) ?? noCounts;
      const shown = options.repeats > 0 ? counts.made : counts.decided;
      return { ...counts, expected: Math.max(planned(items, options), shown) };
    },

    /** Decided repeats of all labelers. */
    ofSet: (setId: string): number => statements.ofSet.get(setId) ?? 0,
  };
}
