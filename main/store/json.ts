import { createHash } from 'node:crypto';

const nonFinite = new Map<string, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** JSON that keeps NaN and the infinities, as `{ "$number": "NaN" }`. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, v: unknown) =>
    typeof v === 'number' && !Number.isFinite(v) ? { $number: String(v) } : v,
  );

export const fromJson = <T>(text: string): T =>
  JSON.parse(text, (_key, v: unknown) => {
    const spelled =
      typeof v === 'object' && v !== null && '$number' in v ? nonFinite.get(String(v.$number)) : undefined;
    return spelled ?? v;
  }) as T;

/** SHA-256 in hex. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** JSON with sorted keys, for hashing (RFC 8785 for the values that occur here). */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, v: unknown) =>
    typeof v === 'object' && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)))
      : v,
  );
