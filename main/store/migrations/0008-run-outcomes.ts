import type { Migration } from './migration.ts';

/**
 * Lists of runs show each run's newest result, found by an index, and the first training metric that was not
 * finite: `{ "metric": "loss", "step": 12 }`.
 */
export const runOutcomes: Migration = {
  version: 8,
  sql: `
create index results_by_kind on results (run_id, kind, attempt, sequence);
alter table runs add column not_finite text;
update runs set not_finite = (
  select json_object('metric', name, 'step', step) from (
    select s.name, p.step from metric_series s join metric_points p on p.series_id = s.id
      where s.run_id = runs.id and s.name not like 'eval/%' and (p.value is null or abs(p.value) = 9e999)
    union all
    select s.name, c.first_step from metric_series s join metric_chunks c on c.series_id = s.id
      where s.run_id = runs.id and s.name not like 'eval/%' and c.non_finite > 0)
  order by step limit 1);
`,
};
