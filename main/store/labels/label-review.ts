import type { Verdict } from '../../../engine/schema/preference.ts';
import type { Choice, ReviewFilter, Reviewed } from '../../../preload/contract/labels.ts';
import { fitting, found, type StoreContext } from '../context.ts';
import { answersShown, choiceOf, detailsFrom, optionsFrom, type ItemRow } from './label-items.ts';

type Row = ItemRow & {
  pair_id: string;
  position: number;
  prompt: string;
  sequence: number;
  verdict: Verdict;
  at: number;
  seconds: number | null;
  labeler: string;
  details: string | null;
  value: string | null;
  probability: number | null;
  again: Verdict | null;
  gold: Verdict | null;
  settled: Verdict | null;
  adjudicator: string | null;
};

export interface ReviewQuery {
  readonly setId: string;
  /** The labeler who reads the decisions; those on items that this labeler has still to decide are hidden. */
  readonly as?: string;
  readonly filter: ReviewFilter;
  /** Sequence of the last decision of the previous page; null for the first page. */
  readonly before: number | null;
  readonly limit: number;
}

const has = (list: 'reasons' | 'flags', name: string): string =>
  `exists (select 1 from json_each(e.details, '$.${list}') where value = :${name})`;

const byChoice: Readonly<Record<Choice, string>> = {
  left: "p.answers is null and l.verdict in ('a', 'b') and l.is_left = 1",
  right: "p.answers is null and l.verdict in ('a', 'b') and l.is_left = 0",
  answered: "p.answers is not null and l.verdict = 'a'",
  tie: "l.verdict = 'tie'",
  'both-bad': "l.verdict = 'both-bad'",
  skip: "l.verdict = 'skip'",
};

const repeatThat = (condition: string): string =>
  `exists (select 1 from repeats r join label_events d on d.sequence = r.sequence
    where r.pair_id = l.pair_id and r.labeler = l.labeler and ${condition})`;
const goldThat = (condition: string): string =>
  `exists (select 1 from gold_items g where g.pair_id = l.pair_id and ${condition})`;

const byAbout: Readonly<Record<NonNullable<ReviewFilter['about']>, string>> = {
  disputed: 'p.disputed = 1',
  shared: 'p.labelers > 1',
  adjudicated: 'exists (select 1 from adjudications j where j.pair_id = l.pair_id)',
  overruled: "l.verdict <> 'skip' and p.verdict_sequence <> l.sequence and p.verdict <> l.verdict",
  repeated: repeatThat('1'),
  changed: repeatThat("r.verdict || coalesce(d.value, '') <> l.verdict || coalesce(e.value, '')"),
  gold: goldThat('1'),
  'gold-missed': `l.verdict <> 'skip' and ${goldThat('g.verdict <> l.verdict')}`,
};

/** SQL conditions of a filter, on labels `l`, events `e` and items `p`. */
function conditions(filter: ReviewFilter): string[] {
  const { choice, strength, reason, flag, labeler, text, from, to, disagrees, about } = filter;
  return [
    choice && byChoice[choice],
    strength !== undefined &&
      `l.verdict in ('a', 'b') and coalesce(json_extract(e.details, '$.strength'), 2) = :strength`,
    reason !== undefined && has('reasons', 'reason'),
    flag !== undefined && has('flags', 'flag'),
    labeler !== undefined && 'l.labeler = :labeler',
    text &&
      "instr(lower(p.prompt || char(10) || p.a || char(10) || p.b || char(10) || coalesce(p.answers, '') || " +
        "char(10) || coalesce(json_extract(e.details, '$.critique'), '')), lower(:text)) > 0",
    from !== undefined && 'e.at >= :from',
    to !== undefined && 'e.at < :to',
    disagrees && 'o.against > 0.5',
    about && byAbout[about],
    filter.with !== undefined &&
      'exists (select 1 from labeler_labels o where o.pair_id = l.pair_id and o.labeler = :with)',
  ].filter((each) => typeof each === 'string' && each !== '') as string[];
}

/** Opinions `o` of the judge count for the labels that they are about, once no labeler wants the item. */
const tables =
  'from labeler_labels l join label_events e on e.sequence = l.sequence join pairs p on p.id = l.pair_id ' +
  'left join judge_opinions o on o.pair_id = l.pair_id and o.sequence = l.sequence and p.labelers >= :overlap';

/** True if the set still wants the decision of the labeler who reads: as a new item, or as a gold one. */
const isOpen =
  '((p.labelers < :overlap or (:gold > 0 and exists (select 1 from gold_items g where g.pair_id = p.id))) and ' +
  'not exists (select 1 from labeler_labels m where m.pair_id = p.id and m.labeler = :as))';

/** Decisions after the last one of a page: the older ones, or those on which the judge is less sure. */
const order = {
  newest: { by: 'l.sequence desc', after: 'l.sequence < :before' },
  surest: {
    by: 'o.against desc, l.sequence desc',
    after:
      '(o.against, l.sequence) < (select b.against, b.sequence from judge_opinions b where b.set_id = :setId ' +
      'and b.sequence = :before and b.against > 0.5)',
  },
} as const;

/** What is known of an item beyond its labels. */
const known = `(select r.verdict from repeats r where r.pair_id = l.pair_id and r.labeler = l.labeler) again,
  (select g.verdict from gold_items g where g.pair_id = l.pair_id) gold,
  j.verdict settled, j.labeler adjudicator`;

const reviewed = (row: Row): Reviewed => ({
  pairId: row.pair_id,
  sequence: row.sequence,
  position: row.position,
  prompt: row.prompt,
  answers: answersShown(row),
  choice: choiceOf(row.verdict, row),
  at: row.at,
  seconds: row.seconds,
  labeler: row.labeler,
  details: detailsFrom(row.details),
  ...(row.value !== null && { value: JSON.parse(row.value) as unknown }),
  ...(row.probability !== null && {
    judge: row.left_is === 'a' ? row.probability : 1 - row.probability,
  }),
  ...(row.again !== null && { again: choiceOf(row.again, row) }),
  ...(row.gold !== null && { gold: choiceOf(row.gold, row) }),
  ...(row.settled !== null &&
    row.adjudicator !== null && {
      adjudicated: { choice: choiceOf(row.settled, row), labeler: row.adjudicator },
    }),
});

/** The current decisions of a set, for its review. */
export const labelReviewQueries = ({ db }: StoreContext) => ({
  /**
   * A page of decisions that match a filter, newest first or, if the judge disagrees, surest first, the number of
   * all that match, and of those that are hidden from the labeler `as`, whatever the filter.
   */
  page(query: ReviewQuery): { total: number; hidden: number; decisions: Reviewed[] } {
    const { setId, as = null, filter, before, limit } = query;
    const { options } = found(
      db
        .prepare<[string], { options: string }>('select options from label_sets where id = ? and visible = 1')
        .get(setId),
      'label set',
      setId,
    );
    const { overlap, gold } = optionsFrom(options);
    const mine = as === null ? [] : [`not ${isOpen}`];
    const where = ['l.set_id = :setId', ...mine, ...conditions(filter)].join(' and ');
    const { by, after } = filter.disagrees ? order.surest : order.newest;
    // SQLite has no booleans to bind
    const values = {
      setId,
      overlap,
      gold,
      as,
      ...filter,
      disagrees: null,
      before,
      limit,
    };
    const total = db
      .prepare<[object], { total: number }>(`select count(*) total ${tables} where ${where}`)
      .get(values);
    const hidden =
      as === null
        ? undefined
        : db
            .prepare<[object], { total: number }>(
              `select count(*) total from labeler_labels l join pairs p on p.id = l.pair_id
                where l.set_id = :setId and ${isOpen}`,
            )
            .get({ setId, overlap, gold, as });
    const rows = db
      .prepare<[object], Row>(
        `select e.*, l.verdict, p.position, p.prompt, p.a, p.b, p.left_is, p.answers, o.probability, ${known} ${tables}
        left join adjudications j on j.pair_id = l.pair_id
        where ${where} and (:before is null or ${after}) order by ${by} limit :limit`,
      )
      .iterate(values);
    const lengthOf = (row: Row): number => row.prompt.length + row.a.length + row.b.length;
    return {
      total: total?.total ?? 0,
      hidden: hidden?.total ?? 0,
      decisions: fitting(rows, lengthOf).map(reviewed),
    };
  },
});
