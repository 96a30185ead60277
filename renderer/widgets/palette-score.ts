/**
 * How well an entry of the palette fits what was typed, from 0 (not at all) to 1. Every word must occur in
 * its title, note or group; the title counts most, so that a name typed in full comes first.
 */
export function paletteScore(typed: string, { title, note = '', group }: PaletteText): number {
  const query = typed.trim().toLowerCase();
  const words = query.split(/\s+/);
  const [name, rest] = [title.toLowerCase(), `${note} ${group}`.toLowerCase()];
  if (!words.every((word) => name.includes(word) || rest.includes(word))) return 0;
  if (name === query) return 1;
  if (name.startsWith(query)) return 0.9;
  if (note.toLowerCase() === query) return 0.8;
  if (name.includes(` ${query}`)) return 0.7;
  return words.every((word) => name.includes(word)) ? 0.6 : 0.3;
}

interface PaletteText {
  readonly title: string;
  readonly note?: string;
  readonly group: string;
}
