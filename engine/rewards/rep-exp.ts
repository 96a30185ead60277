import * as z from 'zod';
import { stream } from '../random/random.ts';
import { groupsOf } from './groups.ts';
import { defineReward } from './reward.ts';

/**
 * width × dims random signs ⁄ √dims, the same in every run: preserves inner products in expectation
 * (Achlioptas 2003).
 */
const projection = (width: number, dims: number): Float64Array => {
  const random = stream(0, 'projection of representations', width, dims);
  return Float64Array.from({ length: width * dims }, () => (random.next() < 0.5 ? -1 : 1) / Math.sqrt(dims));
};

/** R × dims unit vectors; features with at most `dims` numbers are not projected. */
const directions = (values: Float64Array, width: number, dims: number): Float64Array[] => {
  const signs = width > dims ? projection(width, dims) : undefined;
  return Array.from({ length: width === 0 ? 0 : values.length / width }, (_, r) => {
    const row = values.subarray(r * width, (r + 1) * width);
    const made = new Float64Array(signs ? dims : width);
    if (signs)
      row.forEach((value, f) => {
        for (let d = 0; d < dims; d++) made[d] += value * signs[f * dims + d];
      });
    else made.set(row);
    const length = Math.hypot(...made);
    return length === 0 ? made : made.map((value) => value / length);
  });
};

/** A += share · v vᵀ, of a dims × dims matrix. */
const addOuter = (matrix: Float64Array, v: Float64Array, share: number): void => {
  v.forEach((a, i) =>
    v.forEach((b, j) => {
      matrix[i * v.length + j] += share * a * b;
    }),
  );
};

/** vᵀ A⁻¹ v of a positive definite A by its Cholesky factor: the squared length of L⁻¹ v. */
const inverseForm = (matrix: Float64Array, v: Float64Array): number => {
  const n = v.length;
  const lower = new Float64Array(n * n);
  const solved = new Float64Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let left = matrix[i * n + j];
      for (let k = 0; k < j; k++) left -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = i === j ? Math.sqrt(left) : left / lower[j * n + j];
    }
    let right = v[i];
    for (let k = 0; k < i; k++) right -= lower[i * n + k] * solved[k];
    solved[i] = right / lower[i * n + i];
    sum += solved[i] * solved[i];
  }
  return sum;
};

const Saved = z.object({ width: z.int().min(0), covariance: z.array(z.number()) });

/**
 * Elliptical bonus for answers in unexplored directions (Tuyls et al. 2025, arXiv:2510.11686): √(λ · hᵀ Λ⁻¹
 * h), with Λ = λI + Σ h′h′ᵀ over the other answers of the group and, weighted by `keep` for each batch
 * since, all answers of earlier batches. h is the initial model's final hidden state of the answer,
 * projected at random and of length 1; so the bonus is 1 for an unseen direction and falls as 1 ⁄ √n with n
 * visits.
 */
export const repExp = defineReward({
  id: 'rep-exp',
  title: 'New representations',
  summary:
    'A bonus for answers whose representation by the initial model is unlike those of earlier ' +
    'answers and of the group. Give it a small weight next to a task reward, and do not divide ' +
    'credit by its deviation in the group (GRPO’s sd: none): where all verdicts of a group ' +
    'agree, a bonus of any weight would be its whole credit.',
  params: z.strictObject({
    dims: z
      .int()
      .min(2)
      .max(128)
      .default(32)
      .describe('Numbers that a representation is projected to; the work grows with their cube.'),
    ridge: z
      .number()
      .positive()
      .max(1000)
      .default(1)
      .describe('λ: answers in one direction that halve, about, what the next one earns.'),
    keep: z
      .number()
      .min(0)
      .max(1)
      .default(0.98)
      .describe('Weight of earlier batches after each further one; 0: only the group counts.'),
  }),
  needs: ['initial'],
  compares: true,
  scorer: ({ dims, ridge, keep }, { initial }) => {
    let past = new Float64Array(0);
    return {
      score: async (rows) => {
        if (rows.length === 0) return new Float64Array(0);
        const { values, width } = await initial.features(rows);
        const h = directions(values, width, dims);
        const n = h[0].length;
        if (past.length === 0) past = new Float64Array(n * n);
        const scores = new Float64Array(rows.length);
        for (const group of groupsOf(rows)) {
          const seen = past.slice();
          for (let i = 0; i < n; i++) seen[i * n + i] += ridge;
          for (const r of group) addOuter(seen, h[r], 1);
          for (const r of group) {
            const others = seen.slice();
            addOuter(others, h[r], -1);
            scores[r] = Math.sqrt(ridge * inverseForm(others, h[r]));
          }
        }
        past = past.map((value) => keep * value);
        if (keep > 0) for (const v of h) addOuter(past, v, keep);
        return scores;
      },
      state: () => ({ width: Math.sqrt(past.length), covariance: [...past] }),
      restore: (saved: unknown) => {
        past = Float64Array.from(Saved.parse(saved).covariance);
      },
    };
  },
});
