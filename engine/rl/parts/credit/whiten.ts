import { stage } from '../../kernel/stage.ts';

/**
 * Normalizes advantages of a batch to mean 0 and deviation 1 over its answer tokens; `on: false` leaves them
 * unchanged.
 */
export const whiten = ({ on }: { readonly on: boolean }) =>
  stage({
    id: on ? 'whiten' : 'no whitening',
    station: 'credit',
    needs: ['advantage', 'mask'],
    adds: ['advantage'],
    run: async ({ advantage, mask }) => {
      if (!on) return { columns: { advantage } };
      const { values } = advantage;
      let [count, sum, squares] = [0, 0, 0];
      mask.values.forEach((m, at) => {
        if (m) {
          count++;
          sum += values[at];
          squares += values[at] ** 2;
        }
      });
      const mean = sum / Math.max(count, 1);
      const sd = Math.sqrt(Math.max(squares / Math.max(count, 1) - mean * mean, 0)) + 1e-8;
      return {
        columns: {
          advantage: { ...advantage, values: values.map((a, at) => (mask.values[at] ? (a - mean) / sd : 0)) },
        },
      };
    },
  });
