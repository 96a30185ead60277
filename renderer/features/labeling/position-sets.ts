/** Immutable sets and maps of positions in a list; a change makes a new one. */
export type Positions = ReadonlySet<number>;

export const positionsOf = (...parts: readonly Iterable<number>[]): Positions =>
  new Set(parts.flatMap((part) => [...part]));

export function toggled(before: Positions, position: number): Positions {
  const next = new Set(before);
  if (!next.delete(position)) next.add(position);
  return next;
}

export const byPosition = <T extends { readonly position: number }>(
  ...parts: readonly Iterable<T>[]
): ReadonlyMap<number, T> =>
  new Map(parts.flatMap((part) => [...part].map((each) => [each.position, each] as const)));
