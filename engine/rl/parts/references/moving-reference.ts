import { stage } from '../../kernel/stage.ts';

/**
 * From `at` (a share of the run) on, the policy before this batch's updates takes the place of the initial
 * model as the reference, which moves on with every batch.
 */
export const movingReference = ({ at }: { readonly at: number }) =>
  stage({
    id: `movingReference(${at})`,
    station: 'reference',
    needs: ['logp/initial', 'logp/policy'],
    adds: ['logp/initial'],
    run: async ({ 'logp/initial': initial, 'logp/policy': policy }, { progress }) => ({
      columns: { 'logp/initial': progress >= at ? policy : initial },
    }),
  });
