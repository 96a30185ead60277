import { normals } from '../../../random/random.ts';
import type { Columns } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';
import { along } from '../math/along.ts';
import { groupsOf } from '../math/groups.ts';

/** R × D: mean of the states that predict each answer's tokens. */
const meansOf = (states: Float32Array, D: number, { offsets, values }: Columns['mask']): Float64Array[] =>
  Array.from({ length: offsets.length - 1 }, (_, r) => {
    const mean = new Float64Array(D);
    let count = 0;
    for (let t = offsets[r]; t < offsets[r + 1]; t++) {
      if (values[t] === 0) continue;
      count++;
      for (let d = 0; d < D; d++) mean[d] += (states[t * D + d] - mean[d]) / count;
    }
    return mean;
  });

/** A fixed random projection of D numbers to `size`, the same in every run. */
const projectionOf = (D: number, size: number): ((x: Float64Array) => Float64Array) => {
  const matrix = new Float32Array(D * size);
  normals(matrix, 0, 'projection of states', D, size);
  return (x) =>
    Float64Array.from({ length: size }, (_, k) =>
      x.reduce((sum, value, d) => sum + value * matrix[d * size + k], 0),
    );
};

/**
 * Adds `weight` · φ · z ⁄ ‖φ‖ to each answer's reward: how far it differs from the others of its group along
 * its own direction z (after arXiv:2407.13755, eq. 2). φ is a fixed random projection of the answer's mean
 * hidden state under the initial model, which reads no direction here, less the mean of its group. 0 without
 * a direction, and where all answers of a group are equal.
 */
export const alongLatent = ({ weight }: { readonly weight: number }) =>
  stage({
    id: `alongLatent(${weight})`,
    station: 'scorers',
    needs: ['tokens', 'mask', 'groupId', 'reward/total', 'model/initial'],
    adds: ['reward/total'],
    run: async ({ tokens, mask, groupId, 'reward/total': rewards_R, 'model/initial': initial }) => {
      const { observed, ...plain } = tokens;
      const size = observed?.width ?? 0;
      const { values, width: D } = await initial.states(plain);
      const means = meansOf(values, D, mask);
      const project = projectionOf(D, size);
      const directionOf = (r: number) => {
        const start = tokens.offsets[r] * size;
        return observed?.values.subarray(start, start + size) ?? [];
      };
      const total = rewards_R.slice();
      for (const rows of groupsOf(groupId)) {
        const middle = new Float64Array(D).map(
          (_, d) => rows.reduce((sum, r) => sum + means[r][d], 0) / rows.length,
        );
        for (const r of rows)
          total[r] += weight * along(project(means[r].map((x, d) => x - middle[d])), directionOf(r));
      }
      return { columns: { 'reward/total': total } };
    },
  });
