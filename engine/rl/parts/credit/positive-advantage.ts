import { maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { firstOf } from '../math/places.ts';

/**
 * Advantage of a stored answer over the critic's value of its prompt; answers that are no better are dropped
 * (arXiv:2305.14718, positive advantages).
 */
export const positiveAdvantage = stage({
  id: 'positiveAdvantage',
  station: 'credit',
  needs: ['tokens', 'mask', 'reward/total', 'model/critic'],
  adds: ['row/advantage'],
  run: async ({ tokens, mask, 'reward/total': rewards_R, 'model/critic': critic }) => {
    const values = await critic.values(tokens);
    const first = firstOf(mask, new Float64Array(rewards_R.length).fill(1));
    const worth = maskedSums(values, { ...mask, values: Uint8Array.from(first.values) });
    const advantage = rewards_R.map((reward, r) => reward - worth[r]);
    const from_R = Uint32Array.from([...advantage.keys()].filter((r) => advantage[r] > 0));
    return { columns: { 'row/advantage': Float64Array.from(from_R, (r) => advantage[r]) }, from_R };
  },
});
