/** Texts of the cells under a heading, in the order of the rows. Throws if there is no such heading. */
export function columnOf(container: Element, heading: string): string[] {
  const titles = [...container.querySelectorAll('thead th')].map((th) => th.textContent);
  const at = titles.indexOf(heading);
  if (at < 0) throw new Error(`No column is called '${heading}': ${titles.join(', ')}`);
  return [...container.querySelectorAll('tbody tr')].map((tr) => tr.children[at]?.textContent ?? '');
}
