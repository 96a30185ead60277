/** All entries of a paged list, newest first. `page` returns the entries older than the given one. */
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
