/** Rows per page: fewer mean the end. */
const PAGE = 1000;

/** A whole list, newest first, loaded page by page so that no response is large. */
export async function allOf<T extends { readonly id: string }>(
  page: (before: { before?: string }) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let rows = await page({}); ; rows = await page({ before: rows[rows.length - 1].id })) {
    all.push(...rows);
    if (rows.length < PAGE) return all;
  }
}
