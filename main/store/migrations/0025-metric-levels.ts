import type { Migration } from './migration.ts';

/**
 * Coarse levels of curves, so that a picture of millions of points reads a few thousand buckets. A node of
 * height 0 covers one chunk, of height h 16 nodes of height h - 1; `last_sequence` is the first sequence number
 * of the last chunk that it covers. Its buckets are 2^level steps wide; null of points that are not in the order
 * of their steps. Nodes are derived from chunks, and built for chunks of earlier versions when a workspace opens.
 * A batch holds the points that one transaction added to a series, where they are many: unpacked like the rows
 * of metric_points, in `data` as the columns steps, ats and vals. Its sequence number is its first point's.
 */
export const metricLevels: Migration = {
  version: 25,
  sql: `
create table metric_levels (
  series_id integer not null references metric_series on delete cascade, attempt integer not null, height integer not null,
  first_sequence integer not null, last_sequence integer not null, first_step real not null, last_step real not null,
  count integer not null, level integer, buckets blob, primary key (series_id, attempt, height, first_sequence)
) strict;
create table metric_batches (
  series_id integer not null references metric_series on delete cascade, attempt integer not null, sequence integer not null,
  first_step real not null, last_step real not null, count integer not null, data blob not null,
  primary key (series_id, attempt, sequence)
) strict, without rowid;
`,
};
