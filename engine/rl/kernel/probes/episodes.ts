import { defineProbe, type Measured } from './probe.ts';

/** Mean return and steps of the episodes that ended in a batch of steps of a control world. */
export const episodes = defineProbe({
  id: 'episodes',
  needs: ['row/finished', 'row/return', 'row/length'],
  measure: ({ 'row/finished': finished, 'row/return': total, 'row/length': length }): Measured => {
    const count = finished.reduce((sum, one) => sum + one, 0);
    const mean = (of: Float64Array) => of.reduce((sum, value, r) => sum + finished[r] * value, 0) / count;
    return count === 0
      ? {}
      : { 'return/mean': mean(total), 'return/length': mean(length), 'return/episodes': count };
  },
});
