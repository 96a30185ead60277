import { found, type StoreContext } from '../context.ts';

/** Number of current decisions that use each name of an option. */
type Counts = Record<string, number>;
export interface OptionUsage {
  readonly reasons: Counts;
  readonly flags: Counts;
  readonly attributes: Counts;
  readonly spanLabels: Counts;
  /** Decisions by their highest rating. */
  readonly ratings: Counts;
  readonly much: number;
}

const current = 'from labeler_labels l join label_events e on e.sequence = l.sequence';

/** The names of options that the decisions of a set use, for the pane that changes them. */
export const labelUsageQueries = ({ db }: StoreContext) => {
  const counts = (sql: string) => {
    const select = db.prepare<[string], { name: string; count: number }>(sql);
    return (setId: string): Counts =>
      Object.fromEntries(select.all(setId).map(({ name, count }) => [name, count]));
  };
  const listed = (list: 'reasons' | 'flags') =>
    counts(
      `select j.value name, count(*) count ${current}, json_each(e.details, '$.${list}') j ` +
        'where l.set_id = ? group by j.value',
    );
  const rated = `${current} join label_sets s on s.id = l.set_id, json_each(e.value) j
    where l.set_id = ? and s.mode = 'rating' and e.value is not null`;
  const readers = {
    reasons: listed('reasons'),
    flags: listed('flags'),
    attributes: counts(`select j.key name, count(*) count ${rated} group by j.key`),
    ratings: counts(
      `select highest name, count(*) count from
        (select cast(max(j.value) as text) highest ${rated} group by l.pair_id, l.labeler) group by highest`,
    ),
    spanLabels: counts(
      `select json_extract(j.value, '$.label') name, count(distinct l.pair_id || '/' || l.labeler) count
      ${current} join label_sets s on s.id = l.set_id, json_each(e.value, '$.spans') j
      where l.set_id = ? and s.mode = 'spans' and e.value is not null group by name`,
    ),
  };
  const much = db
    .prepare<[string], number>(
      `select count(*) ${current} where l.set_id = ? and json_extract(e.details, '$.strength') = 3`,
    )
    .pluck();
  return {
    /** Throws `not-found`. */
    ofSet(setId: string): OptionUsage {
      found(
        db.prepare<[string], object>('select 1 from label_sets where id = ? and visible = 1').get(setId),
        'label set',
        setId,
      );
      return {
        reasons: readers.reasons(setId),
        flags: readers.flags(setId),
        attributes: readers.attributes(setId),
        ratings: readers.ratings(setId),
        spanLabels: readers.spanLabels(setId),
        much: much.get(setId) ?? 0,
      };
    },
  };
};
