import * as z from 'zod';
import {
  counting,
  defineComposer,
  refuseField,
  weightedSum,
  type Component,
  type Scored,
} from './composer.ts';

const Saved = z.object({ stage: z.int().min(0), mean: z.number().nullable() });

/** Bounds between K stages: the given ones, or the usual. Throws `invalid-input` if their number is wrong. */
const boundsOf = (given: readonly number[], stages: number, by: string): readonly number[] => {
  if (given.length === 0)
    return Array.from({ length: stages - 1 }, (_, k) => (by === 'progress' ? (k + 1) / stages : 0.5));
  if (given.length !== stages - 1)
    refuseField(
      'at',
      `There are ${given.length} bounds for ${stages} stages, which have ${stages - 1} between them.`,
      'Give one bound fewer than there are scorers of a weight, or none for the usual ones.',
    );
  if (by !== 'progress') return given;
  given.forEach((bound, k) => {
    if (bound < 0 || bound > 1) refuseField(`at.${k}`, 'A share of the run is between 0 and 1.');
    if (k > 0 && bound < given[k - 1]) refuseField(`at.${k}`, 'Shares of the run do not decrease.');
  });
  return given;
};

/** Number of components that count for a row: one more for each in order that reaches its bound. */
const reachedBy = (all: readonly Component[], bounds: readonly number[], { values }: Scored, r: number) => {
  const missed = bounds.findIndex((bound, k) => values[all[k].name][r] < bound);
  return missed < 0 ? all.length : missed + 1;
};

/**
 * Adds the scorers one after the other, in the order of the rewards: by the run's progress (MSRL's two
 * stages, arXiv:2508.13587), once the running mean of the last one reaches its bound, or, answer by answer,
 * once the answer's own value does. The first two learn from the stages, and record the whole weighted sum.
 */
export const stages = defineComposer({
  id: 'stages',
  title: 'Stages',
  summary: 'The next scorer counts only once the run, or the earlier scorer, has got that far.',
  cites: 'arXiv:2508.13587',
  params: z.strictObject({
    by: z
      .enum(['progress', 'mean', 'answer'])
      .default('progress')
      .describe(
        'What opens the next stage: the share of the run; the running mean of the newest scorer; or, for ' +
          'each answer, the value of its own earlier scorers.',
      ),
    at: z
      .array(z.number())
      .max(31)
      .default([])
      .describe('Bounds between the stages, in order; if empty, even shares of the run, or ½ each.'),
    smoothing: z
      .number()
      .min(0)
      .max(0.999)
      .default(0.8)
      .describe('By mean: share that the earlier mean keeps.'),
  }),
  open: ({ by, at, smoothing }, components) => {
    const all = counting(components);
    const bounds = boundsOf(at, all.length, by);
    if (by === 'answer')
      return (scored) => ({
        total: Float64Array.from({ length: scored.rows }, (_, r) =>
          all
            .slice(0, reachedBy(all, bounds, scored, r))
            .reduce((sum, { name, weight }) => sum + weight * scored.values[name][r], 0),
        ),
      });
    const of = (scored: Scored, stage: number) => ({
      total: weightedSum(all, scored),
      credit: weightedSum(all.slice(0, stage + 1), scored),
      recorded: { stage: stage + 1 },
    });
    if (by === 'progress')
      return (scored) => of(scored, bounds.filter((bound) => scored.progress >= bound).length);
    let state: z.output<typeof Saved> = { stage: 0, mean: null };
    return {
      compose: (scored) => {
        const made = of(scored, state.stage);
        if (scored.rows === 0 || state.stage >= bounds.length) return made;
        const now = scored.values[all[state.stage].name].reduce((sum, value) => sum + value, 0) / scored.rows;
        const mean = state.mean === null ? now : smoothing * state.mean + (1 - smoothing) * now;
        state = mean >= bounds[state.stage] ? { stage: state.stage + 1, mean: null } : { ...state, mean };
        return made;
      },
      state: () => state,
      restore: (saved) => {
        state = Saved.parse(saved);
      },
    };
  },
});
