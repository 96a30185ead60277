import type { PairShown } from '../../../preload/contract/labels.ts';
import { fitting, type StoreContext } from '../context.ts';
import { blind } from './label-items.ts';
import { selectPairs, type PairRow } from './label-log.ts';

interface DisagreementQuery {
  readonly setId: string;
  readonly labeler: string;
  /** Pairs that the labeler already holds. */
  readonly after: readonly string[];
  readonly count: number;
}

/** Opinions `o` of the judge against a labeler's current label. */
const against = `from judge_opinions o join labeler_labels l on l.pair_id = o.pair_id and l.sequence = o.sequence
  where o.set_id = :setId and o.against > 0.5 and l.labeler = :labeler`;

/** Decided pairs on which the judge disagrees with the labeler. */
export const disagreementQueries = ({ db }: StoreContext) => ({
  count: (setId: string): number =>
    db
      .prepare<[string], { total: number }>(
        `select count(*) total from judge_opinions o join labeler_labels l
          on l.pair_id = o.pair_id and l.sequence = o.sequence where o.set_id = ? and o.against > 0.5`,
      )
      .get(setId)?.total ?? 0,

  /** The pairs of which the judge is surest, to be decided again: without the earlier decision. */
  next({ setId, labeler, after, count }: DisagreementQuery): { total: number; pairs: PairShown[] } {
    const total =
      db.prepare<[object], { total: number }>(`select count(*) total ${against}`).get({ setId, labeler })
        ?.total ?? 0;
    const rows = db
      .prepare<[object], PairRow>(
        `${selectPairs} join (select o.pair_id, o.against, o.sequence ${against}
          and o.pair_id not in (select value from json_each(:after))
          order by o.against desc, o.sequence limit :count) d on d.pair_id = p.id
        order by d.against desc, d.sequence`,
      )
      .iterate({ setId, labeler, after: JSON.stringify(after), count });
    const lengthOf = ({ prompt, a, b }: PairRow): number => prompt.length + a.length + b.length;
    return { total, pairs: fitting(rows, lengthOf).map(blind) };
  },
});
