import * as z from 'zod';
import { counting, defineComposer, refuseField, weightedSum } from './composer.ts';
import { dominatedVolume, frontOf, type Point } from './dominated-volume.ts';

const Saved = z.object({ front: z.array(z.array(z.number())) });
/** More coordinates would take too long. */
const MOST_SCORERS = 6;

/**
 * Weighted sum times 1 + bonus · share, on batches whose mean vector enlarges the volume dominated by the
 * means so far; `share` is the gain as a part of the new volume. After the hypervolume-guided weights of
 * arXiv:2509.11452, whose points are validation scores; these are means of training batches. The factor is
 * the same for a whole batch, so it acts with methods that do not divide by the group's deviation.
 */
export const hypervolume = defineComposer({
  id: 'hypervolume',
  title: 'Hypervolume bonus',
  summary:
    'The weighted sum, scaled up on batches that enlarge the Pareto front of the means so far. Acts with ' +
    'methods that do not divide by the group deviation.',
  cites: 'arXiv:2509.11452',
  params: z.strictObject({
    bonus: z.number().min(0).max(100).default(1).describe('Greatest factor added to 1.'),
    reference: z
      .array(z.number())
      .max(MOST_SCORERS)
      .default([])
      .describe('Reference point: the least weighted value of each scorer that counts; if empty, 0 each.'),
    points: z.int().min(2).max(256).default(64).describe('Points of the front to keep, the newest.'),
  }),
  open: ({ bonus, reference, points }, components) => {
    const all = counting(components);
    if (all.length > MOST_SCORERS)
      refuseField('', `A hypervolume takes at most ${MOST_SCORERS} scorers; ${all.length} have a weight.`);
    if (reference.length > 0 && reference.length !== all.length)
      refuseField(
        'reference',
        `There are ${reference.length} coordinates for ${all.length} scorers of a weight.`,
      );
    const origin = all.map((_, k) => reference[k] ?? 0);
    let front: readonly Point[] = [];
    return {
      compose: (scored) => {
        const total = weightedSum(all, scored);
        if (scored.rows === 0) return { total, credit: total };
        const mean = all.map(
          ({ name, weight }) => (weight * scored.values[name].reduce((a, b) => a + b, 0)) / scored.rows,
        );
        const before = dominatedVolume(front, origin);
        const next = frontOf([...front, mean]);
        const volume = dominatedVolume(next, origin);
        front = next.slice(-points);
        const share = volume > before ? (volume - before) / volume : 0;
        return {
          total,
          credit: total.map((value) => value * (1 + bonus * share)),
          recorded: { hypervolume: volume },
        };
      },
      state: () => ({ front }),
      restore: (saved) => {
        ({ front } = Saved.parse(saved));
      },
    };
  },
});
