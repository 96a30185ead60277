import { stage } from '../../kernel/stage.ts';

/**
 * An attack earns what its target lost, the harm: 1 − the success of the reply, and 0 if it is no valid problem.
 */
export const attackSuccess = stage({
  id: 'attackSuccess',
  station: 'scorers',
  needs: ['row/success', 'row/valid'],
  adds: ['reward/total'],
  run: async ({ 'row/success': success, 'row/valid': valid }) => {
    const harm = success.map((right, r) => valid[r] * (1 - right));
    return { columns: { 'reward/total': harm }, raw: { harm } };
  },
});
