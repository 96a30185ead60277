import { readNumber } from '../../../engine/common/number-text.ts';
import type { Area } from './point-cloud.ts';

/** Bounds of a region as they are typed; an empty one leaves its side open. */
export interface Bounds {
  readonly x: readonly [string, string];
  readonly y: readonly [string, string];
}
export const noBounds: Bounds = { x: ['', ''], y: ['', ''] };

/** Digits of a bound that a drag chooses. */
const DIGITS = 4;
const rounded = (value: number): string => String(Number(value.toPrecision(DIGITS)));
export const boundsOf = ({ x, y }: Area): Bounds => ({
  x: [rounded(x[0]), rounded(x[1])],
  y: [rounded(y[0]), rounded(y[1])],
});

const isBound = (text: string): boolean => text.trim() === '' || readNumber(text, {}).ok;
/** The error of typed bounds; null if they are a region, or all empty. */
export function faultOf({ x, y }: Bounds): string | null {
  const all = [...x, ...y];
  const wrong = all.find((text) => !isBound(text));
  if (wrong !== undefined) return `“${wrong}” is not a number.`;
  const isReversed = [x, y].some(([low, high]) => low.trim() && high.trim() && Number(low) > Number(high));
  return isReversed ? 'A region begins with its smaller number.' : null;
}
export const isEmpty = ({ x, y }: Bounds): boolean => [...x, ...y].every((text) => text.trim() === '');

/** The region on a map with these limits; null without bounds, or with wrong ones. */
export function areaOf(bounds: Bounds, { x, y }: Area): Area | null {
  if (isEmpty(bounds) || faultOf(bounds) !== null) return null;
  const side = ([low, high]: readonly [string, string], all: readonly [number, number]) =>
    [low.trim() ? Number(low) : all[0], high.trim() ? Number(high) : all[1]] as const;
  return { x: side(bounds.x, x), y: side(bounds.y, y) };
}
