import * as z from 'zod';
import { componentAt, defineComposer, refuseField, weightedSum } from './composer.ts';

const Saved = z.object({ multipliers: z.array(z.number()) });

/**
 * Maximizes the weighted sum of the other scorers subject to mean(constraint) ≥ least, by Lagrange
 * multipliers: learns from Σ w v + Σ_c λ_c (v_c − least_c), and after each scoring of answers λ_c ← clamp(λ_c − rate ·
 * (mean(v_c) − least_c), 0, most) (dual ascent, as in arXiv:2310.12773, whose constraint is a cost).
 */
export const constrained = defineComposer({
  id: 'constrained',
  title: 'Constraints',
  summary:
    'Maximizes the other scorers while the mean of some stays above a bound; their multipliers rise while ' +
    'they are below it.',
  cites: 'arXiv:2310.12773',
  params: z.strictObject({
    constraints: z
      .array(
        z.strictObject({
          scorer: z.string().min(1).describe('The scorer, by its name; its weight has no effect.'),
          least: z.number().default(0.5).describe('Least mean value.'),
        }),
      )
      .min(1)
      .max(12)
      .describe('Scorers that must reach a mean.'),
    rate: z.number().min(0).max(100).default(0.1).describe('How fast the multipliers move.'),
    start: z.number().min(0).max(1000).default(0).describe('Multipliers at the beginning.'),
    most: z.number().positive().max(1000).default(10).describe('Upper bound of a multiplier.'),
  }),
  open: ({ constraints, rate, start, most }, components) => {
    const bound = constraints.map(({ scorer, least }, k) => ({
      ...componentAt(`constraints.${k}.scorer`, scorer, components),
      least,
    }));
    bound.forEach(({ name }, k) => {
      if (bound.findIndex((other) => other.name === name) !== k)
        refuseField(`constraints.${k}.scorer`, `The scorer '${name}' has a constraint already.`);
    });
    const free = components.filter(({ name }) => !bound.some((each) => each.name === name));
    let multipliers = bound.map(() => Math.min(start, most));
    return {
      compose: (scored) => {
        const total = weightedSum(free, scored);
        const credit = total.map((value, r) =>
          bound.reduce(
            (sum, { name, least }, k) => sum + multipliers[k] * (scored.values[name][r] - least),
            value,
          ),
        );
        const recorded = Object.fromEntries(
          bound.map(({ name }, k) => [`${name}/multiplier`, multipliers[k]]),
        );
        if (scored.rows > 0)
          multipliers = bound.map(({ name, least }, k) => {
            const mean = scored.values[name].reduce((sum, value) => sum + value, 0) / scored.rows;
            return Math.min(most, Math.max(0, multipliers[k] - rate * (mean - least)));
          });
        return { total, credit, recorded };
      },
      state: () => ({ multipliers }),
      restore: (saved) => {
        ({ multipliers } = Saved.parse(saved));
      },
    };
  },
});
