/** Most characters of a name in the options of a set. */
const LONGEST = 60;

/** Distinct names between commas. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean),
  ),
];

/** A sentence on what is wrong with a list of names; null if nothing is. */
export function listProblem(
  what: string,
  names: readonly string[],
  { least = 0, most }: { least?: number; most: number },
): string | null {
  if (names.length < least) return `${what} needs at least one name.`;
  if (names.length > most) return `${what} takes at most ${most} names; there are ${names.length}.`;
  const long = names.find((name) => name.length > LONGEST);
  return long === undefined ? null : `“${long.slice(0, 20)}…” is longer than ${LONGEST} characters.`;
}
