import type { StoreContext } from '../context.ts';

/** Decided pairs of one pair of runs with the same verdict. */
export interface DuelCount {
  /** Runs that wrote the answers `a` and `b` of the pairs. */
  readonly a: string;
  readonly b: string;
  /** Null: not decided yet. */
  readonly verdict: string | null;
  readonly n: number;
}

/** Counts over label sets whose answers say in their columns which run wrote them. */
export const headToHeadQueries = ({ db }: StoreContext) => {
  const run = (row: string) => `json_extract(${row}.extra, '$.run')`;
  const counts = db.prepare<[string], DuelCount>(`
    select ${run('x')} a, ${run('y')} b, p.verdict, count(*) n
    from pairs p join label_sets s on s.id = p.set_id
    join dataset_rows x on x.dataset_id = s.dataset_id and x.row = cast(p.origin_a as integer)
    join dataset_rows y on y.dataset_id = s.dataset_id and y.row = cast(p.origin_b as integer)
    where p.set_id = ? and ${run('x')} is not null and ${run('y')} is not null group by 1, 2, 3`);
  const equal = db.prepare<[string], { a: string; b: string; n: number }>(`
    select ${run('x')} a, json_extract(x.extra, '$.equals') b, count(*) n
    from label_sets s join dataset_rows x on x.dataset_id = s.dataset_id
    where s.id = ? and json_extract(x.extra, '$.equals') is not null group by 1, 2`);
  const sets = db.prepare<[string], { id: string; source: string }>(`
    select s.id, d.source from label_sets s join datasets d on d.id = s.dataset_id
    where s.visible = 1 and d.source like ? order by s.created_at desc, s.id desc`);
  return {
    counts: (setId: string): DuelCount[] => counts.all(setId),
    /** Pairs of equal answers, which are not in the set. */
    equal: (setId: string): { a: string; b: string; n: number }[] => equal.all(setId),
    /** Label sets of datasets whose source begins so. */
    setsOf: (source: string): { id: string; source: string }[] => sets.all(`${source}%`),
  };
};
