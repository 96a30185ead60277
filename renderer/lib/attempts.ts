/** For each step the value of the newest attempt, in the order of the steps. */
export function newestPerStep<T extends { readonly attempt: number; readonly step: number }>(
  all: readonly T[],
): T[] {
  const newest = new Map<number, T>();
  for (const each of all) {
    const before = newest.get(each.step);
    if (!before || each.attempt >= before.attempt) newest.set(each.step, each);
  }
  return [...newest.values()].sort((a, b) => a.step - b.step);
}
