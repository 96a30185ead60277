import { hash } from 'node:crypto';
import type { Method } from '../kernel/method.ts';

/** Results of a method's toy run, one value per seed (1, 2, 3); `of` identifies the run. */
export interface SanityRecord {
  readonly of: string;
  readonly values: readonly number[];
  readonly seconds: number;
  readonly ok: boolean;
}

/** A method's toy run and its last recorded results; null if the run has changed since. */
export interface SanityFacts {
  readonly world: string;
  readonly metric: string;
  readonly atLeast: number | null;
  readonly atMost: number | null;
  readonly result: Omit<SanityRecord, 'of'> | null;
}

/** Identifies a toy run by its definition. */
export const sanityHash = (sanity: NonNullable<Method['sanity']>): string =>
  hash('sha256', JSON.stringify(sanity)).slice(0, 12);

/** Null if the method trains nothing. */
export const sanityFacts = (
  { id, sanity }: Method,
  records: { readonly [id: string]: SanityRecord | undefined },
): SanityFacts | null => {
  if (!sanity) return null;
  const { world, metric, atLeast = null, atMost = null } = sanity;
  const record = records[id];
  return {
    world,
    metric,
    atLeast,
    atMost,
    result:
      record?.of === sanityHash(sanity)
        ? { values: record.values, seconds: record.seconds, ok: record.ok }
        : null,
  };
};
