import { HUES } from '../../lib/run-colors.svelte.ts';
import { shapes, type PointStyle } from './point-cloud.ts';

/** Colours of points: by the index of a value, or on a scale of numbers. */
export type CloudColour =
  { readonly kind: 'values' } | { readonly kind: 'numbers'; readonly low: number; readonly high: number };

/** Steps of a scale of numbers. */
export const STEPS = 12;
/** Index of the style of points with a value that has no colour of its own, or none. */
export const OTHER = HUES;

/**
 * The index of each point's style by its value: the index of one of the values, or a number; NaN or a negative
 * index for a point without. See `stylesOf`.
 */
export function indexesOf(colour: CloudColour, values: ArrayLike<number>): Uint8Array {
  if (colour.kind === 'values')
    return Uint8Array.from(values, (value) => (value >= 0 && value < HUES ? value : OTHER));
  const { low, high } = colour;
  return Uint8Array.from(values, (value) =>
    Number.isNaN(value)
      ? STEPS
      : Math.max(0, Math.min(STEPS - 1, Math.floor((STEPS * (value - low)) / (high - low || 1)))),
  );
}

/** Styles by index: seven colours with seven shapes and a faint one, or a scale of one hue and a faint one. */
export function stylesOf(colour: CloudColour | null, color: (name: string) => string): PointStyle[] {
  const other = { color: color('--line-strong'), shape: 'circle' } as const;
  if (colour?.kind === 'numbers') {
    const scale = Array.from({ length: STEPS }, (_none, step) => 35 + (65 * step) / (STEPS - 1));
    return [
      ...scale.map((share) => ({
        color: `color-mix(in oklab, ${color('--run-1')} ${share}%, ${color('--surface')})`,
        shape: 'circle' as const,
      })),
      { ...other, shape: 'cross' },
    ];
  }
  return [...shapes.map((shape, at) => ({ color: color(`--run-${at}`), shape })), other];
}
