interface Item {
  readonly pairId: string;
}

/**
 * A queue whose rest was fetched again in a new order: items that are kept, then the fetched ones, without
 * those that were decided or brought to the front meanwhile. `before`: the queue when the fetch began.
 */
export function reordered<T extends Item>(
  { before, now, writing }: { before: readonly T[]; now: readonly T[]; writing: readonly string[] },
  fetched: readonly T[],
  isKept: (item: T, at: number) => boolean,
): T[] {
  const kept = now.filter(isKept);
  const left = before.filter(({ pairId }) => !now.some((each) => each.pairId === pairId));
  const known = new Set([...kept, ...left].map(({ pairId }) => pairId).concat(writing));
  return [...kept, ...fetched.filter(({ pairId }) => !known.has(pairId))];
}
