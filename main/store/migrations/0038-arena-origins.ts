import type { Migration } from './migration.ts';

/** The candidate whose policy an added candidate of an arena begins from. */
export const arenaOrigins: Migration = {
  version: 38,
  sql: 'alter table arena_decisions add column origin text;',
};
