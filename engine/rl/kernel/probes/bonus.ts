import { defineProbe, type Measured } from './probe.ts';

/** Mean bonus for exploring of the steps of a batch. */
export const bonus = defineProbe({
  id: 'bonus',
  needs: ['credit/bonus', 'mask'],
  measure: ({ 'credit/bonus': { values }, mask }): Measured => {
    const steps = mask.values.reduce((sum, m) => sum + m, 0);
    return { 'bonus/mean': values.reduce((sum, each) => sum + each, 0) / steps };
  },
});
