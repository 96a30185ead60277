import type { Migration } from './migration.ts';

/**
 * Labelers of correctness dispute an item if they differ in whether the answer is correct; those who call it
 * incorrect at different first wrong steps do not. Items are compared anew.
 */
export const stepDisputes: Migration = {
  version: 20,
  sql: `
drop view pair_disputes;
create view pair_disputes as
  select p.id pair_id, (s.mode <> 'rewrite' and p.labelers > 1 and (
    select count(distinct l.verdict || coalesce(iif(s.mode = 'correctness', json_extract(e.value, '$.correct'), e.value), ''))
    from labeler_labels l join label_events e on e.sequence = l.sequence
    where l.pair_id = p.id and l.verdict <> 'skip') > 1) disputed
  from pairs p join label_sets s on s.id = p.set_id;
update pairs set disputed = (select d.disputed from pair_disputes d where d.pair_id = pairs.id)
  where disputed = 1 and set_id in (select id from label_sets where mode = 'correctness');
`,
};
