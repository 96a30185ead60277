import type { SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { Db } from '../database.ts';
import { openDraw, type NextRequest } from './hidden-draw.ts';
import { openGold } from './hidden-gold.ts';
import { openRepeats } from './hidden-repeats.ts';

/** Returns the next new items of an order, without those in `without`. */
type NextItems<Row> = (without: readonly string[], count: number) => readonly Row[];

/** True if a set shows items that its labelers must not recognize. */
export const hidesItems = ({ repeats, gold }: SetOptions): boolean => repeats > 0 || gold > 0;

const nothing = { mine: 0, labeled: 0, pairs: 0, sided: 0, lefts: 0 };

/**
 * Mixes repeats and gold items into the new items of a set, each at a random place of every stretch of items,
 * so that they are spread evenly and cannot be foretold; without enough of them a stretch has none.
 */
export function openHiddenItems<Row extends { readonly id: string }>(
  db: Db,
  pairOf: (id: string) => Row | undefined,
) {
  const draw = openDraw(db);
  const repeats = openRepeats(db, draw);
  const gold = openGold(db, draw);
  const labeled = db
    .prepare<[string, string], number>('select labeled from labeler_counts where set_id = ? and labeler = ?')
    .pluck();
  /** Items that the page holds and the labeler has not decided. */
  const held = db
    .prepare<[object], number>(
      `select count(*) from json_each(:after) j join pairs p on p.id = j.value and p.set_id = :setId
        where not exists (select 1 from labeler_labels l where l.pair_id = p.id and l.labeler = :labeler)`,
    )
    .pluck();

  const mix = (request: NextRequest, next: NextItems<Row>): Row[] => {
    const { setId, labeler, after, count } = request;
    const known = gold.left(request);
    const items = next([...after, ...known], count).map(({ id }) => id);
    const waiting = repeats.waiting(request);
    const holds = held.get({ setId, labeler, after: JSON.stringify(after) }) ?? 0;
    let place = (labeled.get(setId, labeler) ?? 0) + holds;
    const found: string[] = [];
    while (found.length < count) {
      const repeat = repeats.due(request, place, waiting);
      if (repeat !== null) found.push(repeat);
      else {
        const [rather, otherwise] = gold.isPlace(request, place) ? [known, items] : [items, known];
        const id = rather.shift() ?? otherwise.shift();
        if (id === undefined) break;
        found.push(id);
        place += 1;
      }
    }
    found.push(...repeats.last(request, place, waiting).take(count - found.length));
    return found.map(pairOf).filter((row) => row !== undefined);
  };

  return {
    /** The next items of a labeler. `next`: the new ones in their order. */
    mixed(request: NextRequest, next: NextItems<Row>): readonly Row[] {
      const { after, count, options } = request;
      if (!hidesItems(options)) return next(after, count);
      return db.transaction(() => mix(request, next)).immediate();
    },

    /**
     * What repeats and gold items add to the counts that a labeler sees, where they count like new items, so
     * that the counts do not tell them apart. `items`: new items that the labeler is expected to decide.
     */
    added(setId: string, labeler: string, options: SetOptions, items: number) {
      const { made, decided, sided, lefts, expected } = repeats.counts(setId, labeler, options, items);
      if (!hidesItems(options) && made === 0) return nothing;
      const isShared = options.overlap === 1;
      const others = isShared ? repeats.ofSet(setId) - decided : 0;
      const again = isShared && options.gold > 0 ? gold.again(setId) : 0;
      const more = others + again;
      return { mine: decided, labeled: decided + more, pairs: expected + more, sided, lefts };
    },
  };
}
