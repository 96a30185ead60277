import { countdownSolvable } from '../../worlds/countdown.ts';
import { colourings, completeBipartite, cycle, petersen } from '../../worlds/graph.ts';
import type { ClosedForm } from './closed-form.ts';

const world = (
  id: string,
  title: string,
  expected: readonly number[],
  compute: () => readonly number[],
): ClosedForm => ({ id: `world/${id}`, title, owner: 'world', expected, tolerance: 0, compute });

export const worlds: readonly ClosedForm[] = [
  world(
    'colourings',
    'Proper colourings with three colours: a cycle of five, Petersen’s graph, K3,3',
    [30, 120, 42],
    () => [cycle(5), petersen, completeBipartite(3, 3)].map((graph) => colourings(graph, 3)),
  ),
  world(
    'countdown',
    'Countdown: three distinct numbers from 1–10, targets 1–50, exact fractions; solvable, of',
    [1567, 6000],
    () => {
      const { solvable, of } = countdownSolvable(10, 50);
      return [solvable, of];
    },
  ),
];
