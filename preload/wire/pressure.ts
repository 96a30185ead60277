/** Over-optimization in a sentence: screens and commands say the same. */
import { number } from './numbers.ts';

type Bounds = readonly [number, number | null];

/** Gold reward over the distance √KL, with the fitted coefficients and maximum. */
interface Curve {
  readonly points: readonly { readonly distance: number; readonly gold: number }[];
  readonly fit: {
    readonly alpha: number;
    readonly beta: number;
    readonly alphaInterval: Bounds;
    readonly betaInterval: Bounds;
    readonly peak: { readonly distance: number; readonly interval: Bounds } | null;
  } | null;
}

/** Gains below this are rounding. */
const ROUNDING = 1e-9;

const bounds = ([low, high]: Bounds): string => `[${number(low)}, ${high === null ? '∞' : number(high)}]`;

/** Course of gold as optimization pressure grows; empty without a fit. */
export function pressureText({ fit, points }: Curve): string {
  const measured = points.filter(({ distance }) => distance > 0).sort((a, b) => a.distance - b.distance);
  const [first, last] = [measured.at(0), measured.at(-1)];
  if (!fit || !first || !last) return '';
  if (points.every(({ gold }) => Math.abs(gold) < ROUNDING)) return 'gold does not change';
  const coefficients =
    `α ${number(fit.alpha)} ${bounds(fit.alphaInterval)}, ` +
    `β ${number(fit.beta)} ${bounds(fit.betaInterval)}`;
  const { peak } = fit;
  // a maximum before the first point is extrapolated: no number of it would be true
  if (last.gold < 0 && (!peak || (peak.distance < first.distance && first.gold <= 0)))
    return `gold falls from the start (${coefficients})`;
  if (!peak) return `gold does not turn down within reach (${coefficients})`;
  const verb = last.distance > peak.distance ? 'was highest' : 'is predicted to be highest';
  return `gold ${verb} at √KL = ${number(peak.distance)} ${bounds(peak.interval)} (${coefficients})`;
}
