/**
 * Every entry of a list that the store gives in pages, newest first. `page` is asked for what is older than
 * the entry that it is given, until there is nothing more.
 */
export async function entriesOf<T extends { readonly id: string }>(
  page: (before?: string) => Promise<readonly T[]> | readonly T[],
): Promise<T[]> {
  const entries: T[] = [];
  let some = await page();
  while (some.length > 0) {
    entries.push(...some);
    some = await page(some[some.length - 1].id);
  }
  return entries;
}
