import { createHmac } from 'node:crypto';
import type { SetOptions } from '../../engine/schema/labeling/index.ts';
import type { Db } from './database.ts';
import { uuid } from './uuid.ts';

/** Returns the next new items of an order, without those in `without`. */
type NextItems<Row> = (without: readonly string[], count: number) => readonly Row[];

interface Request {
  readonly setId: string;
  readonly labeler: string;
  readonly options: SetOptions;
  /** Items that the page holds: new ones, gold ones, repeats. */
  readonly after: readonly string[];
  readonly count: number;
}
type Repeat = { id: string; place: number };
type Counts = { made: number; decided: number };

/** Repeats that a labeler of so many new items gets: one in each full stretch of 1 ⁄ share decisions. */
const planned = (items: number, { repeats, repeatAfter }: SetOptions): number =>
  repeats === 0 ? 0 : Math.max(0, Math.floor((items - repeatAfter) / stretchOf(repeats)));
/** New items for each repeat: of 1 ⁄ share items in all, one is the repeat. */
const stretchOf = (share: number): number => (1 - share) / share;

/** Whether a set shows items that its labelers must not recognize. */
export const hidesItems = ({ repeats, gold }: SetOptions): boolean => repeats > 0 || gold > 0;

const hiddenStatements = (db: Db) => ({
  seed: db.prepare<[string], number>('select seed from label_sets where id = ?').pluck(),
  held: db
    .prepare<[object], number>(
      `select count(*) from json_each(:after) j join pairs p on p.id = j.value and p.set_id = :setId
        where not exists (select 1 from labeler_labels l where l.pair_id = p.id and l.labeler = :labeler)`,
    )
    .pluck(),
  labeled: db
    .prepare<[string, string], number>('select labeled from labeler_counts where set_id = ? and labeler = ?')
    .pluck(),
  counts: db.prepare<[string, string], Counts>(
    'select made, decided from repeat_counts where set_id = ? and labeler = ?',
  ),
  /** Repeats that wait to be decided, in the order of their places. */
  waiting: db.prepare<[object], Repeat>(
    `select id, place from repeats where set_id = :setId and labeler = :labeler and sequence is null
      and id not in (select value from json_each(:after)) order by place, id`,
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
  gold: db
    .prepare<[object], string>(
      `select g.pair_id from gold_items g where g.set_id = :setId and not exists (
        select 1 from labeler_labels l where l.pair_id = g.pair_id and l.labeler = :labeler)`,
    )
    .pluck(),
  goldAgain: db
    .prepare<[string], number>(
      `select coalesce(sum(p.labelers - 1), 0) from gold_items g
        join pairs p on p.id = g.pair_id and p.labelers > 1 where g.set_id = ?`,
    )
    .pluck(),
  repeatsOfSet: db
    .prepare<[string], number>(
      'select coalesce(sum(decided), 0) from repeat_counts where set_id = ? and decided > 0',
    )
    .pluck(),
});

/**
 * Mixes repeats and gold items into the new items of a set, each at a random place of every stretch of
 * 1 ⁄ share items, so that they are spread evenly and cannot be foretold; without enough of them a stretch
 * has none. Repeats have ids of their own and a side drawn anew, both stored when they are first shown.
 */
export function openHiddenItems<Row extends { readonly id: string }>(
  db: Db,
  pairOf: (id: string) => Row | undefined,
) {
  const statements = hiddenStatements(db);
  /** A random number from 0 to 1, always the same for a set, a labeler and a purpose. */
  const draw = (request: Request, ...about: readonly unknown[]): number => {
    const key = String(statements.seed.get(request.setId) ?? 0);
    const bits = createHmac('sha256', key).update(JSON.stringify([request.labeler, ...about]));
    return Number.parseInt(bits.digest('hex').slice(0, 12), 16) / 2 ** 48;
  };
  /** An id that tells as little of its time as the other ids of the set. */
  const newId = (request: Request, about: string): string => {
    const at = Math.floor(draw(request, 'id', about) * (statements.pairs.get(request.setId) ?? 1));
    return (statements.anyId.get(request.setId, at) ?? about).slice(0, 13) + uuid().slice(13);
  };

  /** Stores a repeat of an item that the labeler decided at least `repeatAfter` items before place `place`. */
  const make = (request: Request, place: number): string | null => {
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

  /** The repeat to show before the new item number `place`; null if there is none. */
  const due = (request: Request, place: number, waiting: Repeat[]): string | null => {
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
  };

  const isGoldPlace = (request: Request, place: number): boolean => {
    if (request.options.gold === 0) return false;
    const stretch = 1 / request.options.gold;
    const block = Math.floor(place / stretch);
    // the last item of a stretch may belong to the next one, as 1 ⁄ share need not be whole
    return [block, block - 1].some(
      (each) => place === Math.floor((each + draw(request, 'place of gold', each)) * stretch),
    );
  };

  const goldLeft = (request: Request): string[] => {
    const { setId, labeler, options, after } = request;
    if (options.gold === 0) return [];
    const found = statements.gold.all({ setId, labeler });
    return found
      .filter((id) => !after.includes(id))
      .map((id) => ({ id, order: draw(request, 'gold', id) }))
      .sort((a, b) => a.order - b.order)
      .map(({ id }) => id);
  };

  /** Repeats that are left when no new item is: those that wait, then those still planned. */
  function* last(request: Request, place: number, waiting: Repeat[]): Generator<string> {
    const { setId, labeler, options } = request;
    if (options.repeats === 0) return;
    yield* waiting.map(({ id }) => id);
    for (;;) {
      if ((statements.counts.get(setId, labeler)?.made ?? 0) >= planned(place, options)) return;
      const id = make(request, place);
      if (id === null) return;
      yield id;
    }
  }

  const mix = (request: Request, next: NextItems<Row>): Row[] => {
    const { setId, labeler, after, count } = request;
    const asked = { setId, labeler, after: JSON.stringify(after) };
    const gold = goldLeft(request);
    const items = next([...after, ...gold], count).map(({ id }) => id);
    const waiting = statements.waiting.all(asked);
    const first = (statements.labeled.get(setId, labeler) ?? 0) + (statements.held.get(asked) ?? 0);
    const found: string[] = [];
    let place = first;
    while (found.length < count) {
      const repeat = due(request, place, waiting);
      if (repeat !== null) found.push(repeat);
      else {
        const [rather, otherwise] = isGoldPlace(request, place) ? [gold, items] : [items, gold];
        const id = rather.shift() ?? otherwise.shift();
        if (id === undefined) break;
        found.push(id);
        place += 1;
      }
    }
    for (const id of found.length < count ? last(request, place, waiting) : []) {
      found.push(id);
      if (found.length === count) break;
    }
    return found.map(pairOf).filter((row) => row !== undefined);
  };

  return {
    /** The next items of a labeler. `next`: the new ones in their order. */
    mixed(request: Request, next: NextItems<Row>): readonly Row[] {
      const { after, count, options } = request;
      if (!hidesItems(options)) return next(after, count);
      return db.transaction(() => mix(request, next)).immediate();
    },

    /**
     * What repeats and gold items add to the counts that a labeler sees, where they count like new items, so
     * that the counts do not tell them apart. `items`: new items that the labeler is expected to decide.
     */
    added(setId: string, labeler: string, options: SetOptions, items: number) {
      const { made = 0, decided = 0 } = statements.counts.get(setId, labeler) ?? {};
      if (!hidesItems(options) && made === 0) return { mine: 0, labeled: 0, pairs: 0 };
      const isShared = options.overlap === 1;
      const others = isShared ? (statements.repeatsOfSet.get(setId) ?? 0) - decided : 0;
      const gold = isShared && options.gold > 0 ? (statements.goldAgain.get(setId) ?? 0) : 0;
      const mine = Math.max(planned(items, options), options.repeats > 0 ? made : decided);
      return { mine: decided, labeled: decided + others + gold, pairs: mine + others + gold };
    },
  };
}
