/** Configurations of an experiment: one value for each axis. */
import { stream } from '../random/random.ts';
import type { ExperimentAxis } from '../schema/experiment.ts';
import { checkAxis, drawnValue, gridValues } from './axes.ts';

/** Values by axis. */
export type Combination = readonly unknown[];

/** Every combination of the axes' values, the first axis slowest; one empty combination without axes. */
export const grid = (axes: readonly ExperimentAxis[]): readonly Combination[] =>
  axes.reduce<readonly Combination[]>(
    (all, axis) => all.flatMap((chosen) => gridValues(axis).map((value) => [...chosen, value])),
    [[]],
  );

/** Draws for each wanted combination after which a small space counts as exhausted. */
const TRIES = 100;

/**
 * `trials` different combinations, each value drawn independently and uniformly (Bergstra and Bengio 2012);
 * fewer where the axes have fewer. Trial i draws the same for any number of trials.
 */
export function random(
  axes: readonly ExperimentAxis[],
  { trials, seed }: { readonly trials: number; readonly seed: number },
): readonly Combination[] {
  axes.forEach(checkAxis);
  const found = new Map<string, Combination>();
  for (let at = 0; found.size < trials && at < TRIES * trials; at++) {
    const draw = stream(seed, 'experiment', at);
    const combination = axes.map((axis) => drawnValue(axis, draw));
    const key = JSON.stringify(combination);
    if (!found.has(key)) found.set(key, combination);
  }
  return [...found.values()];
}

/** A round of successive halving: so many configurations, each trained to so many steps in all. */
export interface Rung {
  readonly steps: number;
  readonly configurations: number;
}

/**
 * The rungs of successive halving with `trials` configurations and `steps` at most for each, as a bracket of
 * Hyperband (Li et al. 2018, Algorithm 1): with s = min(⌊log_η trials⌋, ⌊log_η(steps ÷ leastSteps)⌋, rung i
 * trains ⌊trials ÷ ηⁱ⌋ configurations to steps ÷ η^(s−i).
 */
export function halvingRungs(
  trials: number,
  steps: number,
  { eta, leastSteps }: { readonly eta: number; readonly leastSteps: number },
): readonly Rung[] {
  let last = 0;
  while (eta ** (last + 1) <= trials && eta ** (last + 1) * leastSteps <= steps) last++;
  return Array.from({ length: last + 1 }, (_, rung) => ({
    steps: Math.round(steps / eta ** (last - rung)),
    configurations: Math.floor(trials / eta ** rung),
  }));
}
