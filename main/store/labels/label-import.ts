import { itemKey, textHash } from '../../../engine/row-tools.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import { found, type StoreContext } from '../context.ts';
import type { Db } from '../database.ts';
import { answersShown, optionsFrom, stepsShown, storedValue, type ItemRow } from './label-items.ts';
import { endImport, importKey, stageLabels } from './import-steps.ts';
import type { Sliced } from '../slices.ts';
import type { StoredImport } from '../../../preload/contract/label-import.ts';
import { uuid } from '../uuid.ts';

/** A label of a file, with hashes in place of its texts. */
export interface HashedLabel {
  readonly line: number;
  readonly id: string | null;
  readonly key: string;
  /** Hashes of the answers in the order of the file. */
  readonly hashes: readonly string[];
  /** The verdict on the answers in that order; null if the decision is a value. */
  readonly verdict: Verdict | null;
  readonly value: unknown;
  readonly labeler: string;
  readonly at: number | null;
  readonly rationale: string;
}

/** A label to be stored. */
export interface Addition {
  readonly line: number;
  readonly pairId: string;
  readonly verdict: Verdict;
  readonly value: string | null;
  readonly labeler: string;
  readonly at: number | null;
  readonly rationale: string;
}

/** A label that is not stored, and the reason. */
export interface Refused {
  readonly line: number;
  readonly reason: string;
}

export interface ImportPlan {
  readonly additions: readonly Addition[];
  /** Labels that the set has: of the same labeler, with the same content or time. */
  readonly already: number;
  readonly unmatched: readonly Refused[];
  /** Labels of a labeler who decided otherwise about the same item, in the file or in the set. */
  readonly contradictory: readonly Refused[];
  readonly invalid: readonly Refused[];
}

type Row = ItemRow & { id: string; prompt: string };
interface Item {
  readonly row: Row;
  readonly key: string;
  readonly first: string;
}
type Decided = { verdict: Verdict; value: string | null; at: number };

/** The items of a set by id and by content. */
function itemsOf(db: Db, setId: string): { byId: Map<string, Item>; byKey: Map<string, Item> } {
  const byId = new Map<string, Item>();
  const byKey = new Map<string, Item>();
  const rows = db
    .prepare<[string], Row>(
      'select id, prompt, a, b, left_is, answers from pairs where set_id = ? order by position',
    )
    .iterate(setId);
  for (const row of rows) {
    const texts = row.answers === null ? [row.a, row.b] : answersShown(row);
    const hashes = texts.map(textHash);
    // the texts are not needed again, but for the checks of values
    const kept = row.answers === null ? { ...row, a: '', b: '', prompt: '' } : { ...row, prompt: '' };
    const item = { row: kept, key: itemKey(row.prompt, hashes), first: hashes[0] };
    byId.set(row.id, item);
    if (!byKey.has(item.key)) byKey.set(item.key, item);
  }
  return { byId, byKey };
}

const swapped: Readonly<Partial<Record<Verdict, Verdict>>> = { a: 'b', b: 'a' };
const verdictFor = ({ verdict, hashes }: HashedLabel, { first }: Item): Verdict =>
  verdict === null ? 'a' : hashes[0] === first ? verdict : (swapped[verdict] ?? verdict);

const contentOf = ({ verdict, value }: Pick<Addition, 'verdict' | 'value'>): string => `${verdict}/${value}`;

/** Lines of labels of one labeler about one item that contradict one another. */
function contradicting(additions: readonly Addition[]): ReadonlySet<number> {
  const groups = Map.groupBy(additions, ({ pairId, labeler }) => `${pairId}/${labeler}`);
  const bad = [...groups.values()].filter((group) => new Set(group.map(contentOf)).size > 1);
  return new Set(bad.flat().map(({ line }) => line));
}

const firstOfEach = (additions: readonly Addition[]): Addition[] =>
  [
    ...new Map(
      additions.toReversed().map((each) => [`${each.pairId}/${each.labeler}`, each] as const),
    ).values(),
  ].toReversed();

/** Prepared statements of imports. */
const importStatements = (db: Db) => ({
  current: db.prepare<[string, string], Decided>(
    'select e.verdict, e.value, e.at from labeler_labels l join label_events e on e.sequence = l.sequence ' +
      'where l.pair_id = ? and l.labeler = ?',
  ),
  earlier: db.prepare<[string, string, number], Decided>(
    // labels of an import that was removed may be imported again
    `select verdict, value, at from label_events e where pair_id = ? and labeler = ? and at = ? and event <> 'undo'
      and (import_id is null or not exists (select 1 from label_events u where u.undoes = e.sequence))`,
  ),
  insert: db.prepare("insert into label_imports values (?, ?, ?, ?, ?, 'staged')"),
  setState: db.prepare<[string, string]>('update label_imports set state = ? where id = ?'),
  labelsOf: db
    .prepare<[string, string], number>(
      `select (select count(*) from label_events e where e.import_id = i.id and e.event <> 'undo'
          and not exists (select 1 from label_events u where u.undoes = e.sequence))
        from label_imports i where i.id = ? and i.set_id = ? and i.state = 'stored'`,
    )
    .pluck(),
});

/** Labels of files of other tools, as events of a set. */
export const labelImportQueries = ({ db, making }: StoreContext) => {
  const setOf = (id: string) =>
    found(
      db
        .prepare<[string], { mode: string; options: string }>(
          'select mode, options from label_sets where id = ? and visible = 1',
        )
        .get(id),
      'label set',
      id,
    );
  const { current, earlier, insert, setState, labelsOf } = importStatements(db);

  return {
    /**
     * Matches labels to the items of a set: by id and texts, else by prompt and answers in either order.
     * Stores nothing. Throws `not-found`.
     */
    plan(setId: string, labels: readonly HashedLabel[]): ImportPlan {
      const { mode, options } = setOf(setId);
      const { byId, byKey } = itemsOf(db, setId);
      const placed: Addition[] = [];
      const unmatched: Refused[] = [];
      const invalid: Refused[] = [];
      for (const label of labels) {
        const { line, id, key, labeler, at, rationale } = label;
        const named = id === null ? undefined : byId.get(id);
        const item = named?.key === key ? named : byKey.get(key);
        if (!item) {
          unmatched.push({ line, reason: 'no item of the set has this prompt and these answers' });
          continue;
        }
        try {
          const value = valueFor(label, item, mode, options);
          const verdict = verdictFor(label, item);
          placed.push({ line, pairId: item.row.id, verdict, value, labeler, at, rationale });
        } catch (error) {
          invalid.push({ line, reason: WhetstoneError.from(error).message });
        }
      }
      return { ...sorted(placed), unmatched, invalid };
    },

    /**
     * Stores planned labels as events of one import, all or none: they are staged, then stored in parts. A crash
     * while they are staged leaves none; a later one is made good when the workspace is opened again. `source`:
     * the name of the file. Throws `not-found`.
     */
    *store(setId: string, additions: readonly Addition[], source: string): Sliced<string> {
      setOf(setId);
      const id = uuid();
      const now = Date.now();
      making.add(importKey(id));
      try {
        insert.run(id, setId, now, source, additions.length);
        try {
          yield* stageLabels(db, id, additions, now);
        } catch (error) {
          db.prepare('delete from label_imports where id = ?').run(id);
          throw error;
        }
        setState.run('storing', id);
        yield* endImport(db, id, 'storing');
        return id;
      } finally {
        making.delete(importKey(id));
      }
    },

    /** The imports of a set, newest first, with the number of labels that still count. */
    list(setId: string): StoredImport[] {
      setOf(setId);
      return db
        .prepare<[string], StoredImport>(
          `select i.id, i.at, i.source, i.labels, (select count(*) from label_events e where e.import_id = i.id
              and e.event <> 'undo' and not exists (select 1 from label_events u where u.undoes = e.sequence)) "left"
            from label_imports i where i.set_id = ? and i.state in ('storing', 'stored') order by i.at desc, i.id desc`,
        )
        .all(setId);
    },

    /**
     * Takes all labels of an import back, each by an event of its own; decisions that were made by hand since
     * stay. A crash in between is made good when the workspace is opened again. Throws `not-found`.
     */
    *remove(setId: string, id: string): Sliced<{ removed: number }> {
      setOf(setId);
      const removed = found(labelsOf.get(id, setId), 'import of labels', id);
      setState.run('removing', id);
      making.add(importKey(id));
      try {
        yield* endImport(db, id, 'removing');
      } finally {
        making.delete(importKey(id));
      }
      return { removed };
    },
  };

  function sorted(placed: readonly Addition[]): Pick<ImportPlan, 'additions' | 'already' | 'contradictory'> {
    const isKnown = (each: Addition): boolean => {
      const { pairId, labeler, at } = each;
      const same = (decided: Decided | undefined): boolean =>
        decided !== undefined && contentOf(decided) === contentOf(each);
      return same(current.get(pairId, labeler)) || (at !== null && same(earlier.get(pairId, labeler, at)));
    };
    const news = placed.filter((each) => !isKnown(each));
    const conflicts = contradicting(news);
    const isContradictory = ({ line, pairId, labeler }: Addition): boolean =>
      conflicts.has(line) || current.get(pairId, labeler) !== undefined;
    const additions = firstOfEach(news.filter((each) => !isContradictory(each)));
    const contradictory = news
      .filter(isContradictory)
      .map(({ line, labeler }) => ({ line, reason: `“${labeler}” decided otherwise about the same item` }));
    return {
      additions,
      contradictory,
      already: placed.length - additions.length - contradictory.length,
    };
  }
};

/** JSON of a label's value. Throws `invalid-input` if it does not fit the mode. */
function valueFor(label: HashedLabel, { row }: Item, mode: string, options: string): string | null {
  if (label.verdict !== null) return null;
  const given = label.value as Record<string, unknown>;
  const value =
    mode === 'correctness' && given.steps === undefined ? { ...stepsShown(row), ...given } : given;
  return storedValue('answered', value, { mode, options: optionsFrom(options), row });
}
