import { first } from './0001-first.ts';

/** One step of the schema. Never edited after a release: a change is the next number. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** In order, without gaps. */
export const migrations: readonly Migration[] = [first];
