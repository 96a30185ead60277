import { hash } from 'node:crypto';
import type { Method } from '../kernel/method.ts';

/** What a method's toy run came to, one value a seed (1, 2, 3); `of` says which run that was. */
export interface SanityRecord {
  readonly of: string;
  readonly values: readonly number[];
  readonly seconds: number;
  readonly ok: boolean;
}

/**
 * The toy run that a method must pass, and what it came to when it was last measured: null where the run has
 * been changed since.
 */
export interface SanityFacts {
  readonly world: string;
  readonly metric: string;
  readonly atLeast: number | null;
  readonly atMost: number | null;
  readonly result: Omit<SanityRecord, 'of'> | null;
}

/** Names a toy run by what defines it. */
export const sanityHash = (sanity: NonNullable<Method['sanity']>): string =>
  hash('sha256', JSON.stringify(sanity)).slice(0, 12);

/** Null where the method learns nothing. */
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
