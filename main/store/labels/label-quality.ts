import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import type { Choice } from '../../../preload/contract/labels.ts';
import type { GoldItem } from '../../../preload/contract/quality.ts';
import { fitting, found, mostRows, type StoreContext } from '../context.ts';
import { staged, type Db } from '../database.ts';
import { optionsFrom, verdictOf } from './label-items.ts';
import type { Sliced } from '../slices.ts';

/** A labeler's current label of an item. `value`: JSON, in modes whose decision is a value. */
export interface LabelFact {
  readonly pairId: string;
  readonly labeler: string;
  readonly verdict: Verdict;
  readonly value: string | null;
  readonly sequence: number;
  readonly at: number;
  readonly seconds: number | null;
  readonly isLeft: boolean;
}
export interface RepeatFact {
  readonly pairId: string;
  readonly labeler: string;
  readonly first: string;
  readonly again: string;
  readonly sequence: number;
}
type LabelRow = Omit<LabelFact, 'isLeft'> & { isLeft: number };
type SetRow = { id: string; name: string; mode: string; options: string };

/** The most probable verdict of a pair, and the probability of each. */
export interface Reliability {
  readonly pairId: string;
  readonly verdict: string;
  readonly posterior: Readonly<Record<string, number>>;
}

/** Pairs in one slice of a change. */
const some = 500;

const goldNeedsPairs = (mode: string, setId: string): WhetstoneError =>
  new WhetstoneError('unsupported', `Gold items need pairs; this set is in the mode “${mode}”.`, {
    where: setId,
    hint: 'Make a label set in the mode “pair”.',
  });

interface Page<T> {
  readonly items: readonly T[];
  readonly next: number | null;
}

/** What is compared of the value of an event: of correctness not the step, which is compared separately. */
const compared = (event: 'e' | 'f'): string =>
  `iif(s.mode = 'correctness', json_extract(${event}.value, '$.correct'), ${event}.value)`;

const pages = (db: Db) => ({
  labelsAfter: db.prepare<[string, number, number], LabelRow>(
    `select l.pair_id pairId, l.labeler, l.verdict, e.value, l.sequence, e.at, e.seconds, l.is_left isLeft
      from labeler_labels l join label_events e on e.sequence = l.sequence
      where l.set_id = ? and l.sequence > ? order by l.sequence limit ?`,
  ),
  repeatsAfter: db.prepare<[string, number, number], RepeatFact>(
    `select r.pair_id pairId, r.labeler, l.verdict || coalesce(${compared('f')}, '') first,
        r.verdict || coalesce(${compared('e')}, '') again, r.sequence
      from repeats r join label_sets s on s.id = r.set_id join labeler_labels l on l.pair_id = r.pair_id and l.labeler = r.labeler
      join label_events f on f.sequence = l.sequence join label_events e on e.sequence = r.sequence
      where r.set_id = ? and r.sequence > ? order by r.sequence limit ?`,
  ),
  goldAfter: db.prepare<[string, number, number], GoldItem>(
    `select g.pair_id pairId, p.position, p.prompt, g.verdict, g.source, g.at, p.labelers
      from gold_items g join pairs p on p.id = g.pair_id
      where g.set_id = ? and p.position > ? order by p.position limit ?`,
  ),
});

/** Facts about the labels of a set for its quality, gold items, and the consensus of labelers. */
export const labelQualityQueries = ({ db }: StoreContext) => {
  const setOf = (id: string): SetRow =>
    found(
      db
        .prepare<[string], SetRow>(
          'select id, name, mode, options from label_sets where id = ? and visible = 1',
        )
        .get(id),
      'label set',
      id,
    );
  const pairSet = (id: string): SetRow => {
    const set = setOf(id);
    if (set.mode !== 'pair') throw goldNeedsPairs(set.mode, id);
    return set;
  };
  const upsertGold = db.prepare(
    'insert into gold_items (pair_id, set_id, verdict, source, at) values (?, ?, ?, ?, ?) ' +
      'on conflict do update set verdict = excluded.verdict, source = excluded.source, at = excluded.at',
  );
  const pairOf = db.prepare<[string, string], { left_is: 'a' | 'b' }>(
    'select left_is from pairs where id = ? and set_id = ?',
  );
  const goldCount = db.prepare<[string], number>('select count(*) from gold_items where set_id = ?').pluck();
  const marked = (id: string): { gold: number } => ({ gold: goldCount.get(id) ?? 0 });
  const pairCount = db.prepare<[string], number>('select pairs from label_sets where id = ?').pluck();
  const pairsOf = (id: string): number => pairCount.get(id) ?? 0;

  const { labelsAfter, repeatsAfter, goldAfter } = pages(db);

  return {
    /** What is asked of the labelers of a set. */
    about(id: string) {
      const { name, mode, options } = setOf(id);
      return { id, name, mode, options: optionsFrom(options) };
    },

    /** A page of the current labels, in the order in which they were given. `next`: null at the end. */
    labels(id: string, after: number): Page<LabelFact> {
      setOf(id);
      const rows = labelsAfter.all(id, after, mostRows);
      return {
        items: rows.map((row) => ({ ...row, isLeft: row.isLeft === 1 })),
        next: rows.length < mostRows ? null : (rows.at(-1)?.sequence ?? null),
      };
    },

    /** A page of the decisions on repeats, with the current labels that they repeat. */
    repeats(id: string, after: number): Page<RepeatFact> {
      setOf(id);
      const items = repeatsAfter.all(id, after, mostRows);
      return { items, next: items.length < mostRows ? null : (items.at(-1)?.sequence ?? null) };
    },

    /** A page of the gold items, in the order of the set, with the number of their labels. */
    gold(id: string, after: number): Page<GoldItem> {
      setOf(id);
      const items = fitting(goldAfter.iterate(id, after, mostRows), ({ prompt }) => prompt.length);
      return { items, next: items.length === 0 ? null : (items.at(-1)?.position ?? null) };
    },

    /** Marks items as gold with their known verdicts: sides as shown, or stored answers. All or none. */
    markGold(
      id: string,
      items: readonly { readonly pairId: string; readonly verdict: Verdict | Choice }[],
      source: string,
    ): { gold: number } {
      pairSet(id);
      const at = Date.now();
      db.transaction(() => {
        for (const { pairId, verdict } of items) {
          const row = found(pairOf.get(pairId, id), 'item of this set', pairId);
          upsertGold.run(pairId, id, verdictOf(verdict, row), source, at);
        }
      })();
      return marked(id);
    },

    /** Marks each pair of a right and a wrong answer as gold, with the right one as the better one. */
    *goldFromMarks(id: string): Sliced<{ gold: number }> {
      pairSet(id);
      const insert = db.prepare(
        `insert into gold_items (pair_id, set_id, verdict, source, at)
          select id, set_id, iif(correct_a = 1, 'a', 'b'), 'marks', ? from pairs
          where set_id = ? and position >= ? and position < ?
            and correct_a is not null and correct_b is not null and correct_a <> correct_b
          on conflict do nothing`,
      );
      const at = Date.now();
      for (let from = 0; from < pairsOf(id); from += some) {
        insert.run(at, id, from, from + some);
        yield;
      }
      return marked(id);
    },

    /** Removes marks of gold, all of them without `pairIds`; labels stay. */
    unmarkGold(id: string, pairIds: readonly string[] | null): { gold: number } {
      setOf(id);
      db.prepare(
        'delete from gold_items where set_id = ? and (? is null or pair_id in (select value from json_each(?)))',
      ).run(id, pairIds === null ? null : 1, JSON.stringify(pairIds ?? []));
      return marked(id);
    },

    /**
     * Stores the probability of each verdict, from labels up to event `until`; pairs that were labeled since
     * keep none. Then derives the set's verdicts again.
     */
    *settle(id: string, reliabilities: readonly Reliability[], until: number): Sliced<void> {
      setOf(id);
      const insert = db.prepare(
        `insert into pair_reliabilities (pair_id, set_id, verdict, posterior) select ?, ?, ?, ?
          where not exists (select 1 from labeler_labels where pair_id = ? and sequence > ?)
          on conflict do update set verdict = excluded.verdict, posterior = excluded.posterior`,
      );
      const clear = db.prepare(
        `delete from pair_reliabilities where pair_id in (
          select pair_id from pair_reliabilities where set_id = ? limit ${some})`,
      );
      while (reliabilities.length === 0 && staged(db, () => clear.run(id).changes) > 0) yield;
      for (let at = 0; at < reliabilities.length; at += some) {
        staged(db, () => {
          for (const { pairId, verdict, posterior } of reliabilities.slice(at, at + some))
            insert.run(pairId, id, verdict, JSON.stringify(posterior), pairId, until);
        });
        yield;
      }
      const update = db.prepare(
        `update pairs set (verdict, verdict_sequence) = (
            select e.verdict, e.sequence from pair_consensus c join label_events e on e.sequence = c.sequence
            where c.pair_id = pairs.id)
          where set_id = ? and position >= ? and position < ? and labelers > 1 and verdict_sequence is not (
            select c.sequence from pair_consensus c where c.pair_id = pairs.id)`,
      );
      for (let at = 0; at < pairsOf(id); at += some) {
        staged(db, () => update.run(id, at, at + some));
        yield;
      }
    },
  };
};
