import { stage } from '../../kernel/stage.ts';
import { answerPlaces } from '../math/places.ts';

/**
 * Rewards of pieces of episodes, as if each piece were whole: its last step also earns γ · the value of the state
 * after the piece, so that returns and advantages of the piece end in that value.
 */
export const bootstrapped = ({ gamma }: { readonly gamma: number }) =>
  stage({
    id: `bootstrapped(${gamma})`,
    station: 'credit',
    needs: ['mask', 'credit/earned', 'row/after'],
    adds: ['credit/rewards'],
    run: async ({ mask, 'credit/earned': earned, 'row/after': after }) => {
      const values = earned.values.slice();
      answerPlaces(mask).forEach((places, r) => {
        if (places.length > 0) values[places[places.length - 1]] += gamma * after[r];
      });
      return { columns: { 'credit/rewards': { ...earned, values } } };
    },
  });
