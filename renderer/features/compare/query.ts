/** Parts of the address of a comparison. */
export type CompareQuery = Readonly<Record<string, string | undefined>>;
/** Changes parts of the address; an empty text removes one. */
export type Go = (changes: Readonly<Record<string, string>>) => void;

export const listIn = (text: string | undefined): string[] => (text ?? '').split(',').filter(Boolean);
/** A number of the address within its bounds, else the fallback. */
export function numberIn(text: string | undefined, fallback: number, least: number, most: number): number {
  const value = text ? Number(text) : Number.NaN;
  return Number.isFinite(value) && value >= least && value <= most ? value : fallback;
}
