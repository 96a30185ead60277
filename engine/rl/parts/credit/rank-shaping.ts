import { stage } from '../../kernel/stage.ts';
import { rankCourse, type RankCourse } from '../math/effective-rank.ts';
import { answerPlaces } from '../math/places.ts';

const measures = ['rank', 'velocity', 'acceleration'] as const;
type Means = { readonly [M in (typeof measures)[number]]: number };

const SMALL = 1e-6;
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/**
 * Bonus of an answer from the course of its rank, relative to the running means: tanh of the deviation of the
 * rank (exploration) and of its velocity (exploitation), mixed by the sigmoid of that of the acceleration;
 * never negative.
 */
export const rankBonus = (course: RankCourse, means: Means): number => {
  const away = (m: keyof Means) => (course[m] - means[m]) / (Math.abs(means[m]) + SMALL);
  const explore = sigmoid(away('acceleration'));
  return Math.max(0, explore * Math.tanh(away('rank')) + (1 - explore) * Math.tanh(away('velocity')));
};

/**
 * Adds to each answer's advantages a bonus by the effective rank of its hidden states (arXiv:2509.23808), at
 * most |advantage| ⁄ κ, so that no sign changes. Running means over batches are kept with the run.
 */
export const rankShaping = ({
  stride,
  kappa,
  decay,
}: {
  readonly stride: number;
  readonly kappa: number;
  readonly decay: number;
}) => {
  const id = `rankShaping(${stride}, ${kappa}, ${decay})`;
  return stage({
    id,
    station: 'credit',
    needs: ['tokens', 'mask', 'advantage', 'model/policy'],
    adds: ['advantage', 'row/rank'],
    run: async ({ tokens, mask, advantage, 'model/policy': policy }, { memory }) => {
      const { values: states, width } = await policy.states(tokens);
      const places_R = answerPlaces(mask);
      const courses = places_R.map((places) => {
        const own = new Float32Array(places.length * width);
        places.forEach((at, t) => own.set(states.subarray(at * width, (at + 1) * width), t * width));
        return rankCourse(own, width, stride);
      });
      const before = memory.get(id) as Means | undefined;
      const rows = Math.max(1, courses.length);
      const means = Object.fromEntries(
        measures.map((m) => {
          const now = courses.reduce((sum, course) => sum + course[m], 0) / rows;
          return [m, before ? decay * before[m] + (1 - decay) * now : now];
        }),
      ) as Means;
      if (courses.length > 0) memory.set(id, means);
      const values = advantage.values.slice();
      places_R.forEach((places, r) => {
        const bonus = rankBonus(courses[r], means);
        for (const at of places) values[at] += Math.min(bonus, Math.abs(values[at]) / kappa);
      });
      return {
        columns: {
          advantage: { ...advantage, values },
          'row/rank': Float64Array.from(courses, ({ rank }) => rank),
        },
      };
    },
  });
};
