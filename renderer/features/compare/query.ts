import type { Span } from '../../charts/zoom.ts';

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

/** The shown part of an axis as the address has it; empty for all of it. */
export const spanText = (span: Span | null): string =>
  span ? span.map((end) => String(Number(end.toPrecision(9)))).join(',') : '';

/** The part of an axis that an address names; null for none, or for what is no part. */
export function spanIn(text: string | undefined): Span | null {
  const ends = listIn(text).map(Number);
  const [from, to] = ends;
  return ends.length === 2 && ends.every(Number.isFinite) && from < to ? [from, to] : null;
}
