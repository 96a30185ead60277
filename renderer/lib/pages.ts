/** Rows of a page: fewer mean that there are no more. */
const PAGE = 1000;

/** A whole list that comes newest first, a page at a time, so that no answer is large. */
export async function allOf<T extends { readonly id: string }>(
  page: (before: { before?: string }) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let rows = await page({}); ; rows = await page({ before: rows[rows.length - 1].id })) {
    all.push(...rows);
    if (rows.length < PAGE) return all;
  }
}
