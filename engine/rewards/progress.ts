import * as z from 'zod';
import { judgedBy } from '../worlds/index.ts';
import { partsOf } from './combine.ts';
import { defineReward, turnCount } from './reward.ts';

/**
 * What each turn of a transcript achieved, by the world's own measure: a key fetched, a right look-up. Each
 * turn is credited with its part.
 */
export const progress = defineReward({
  id: 'progress',
  title: 'Progress by turn',
  summary: 'The world’s measure of what each turn achieved; credit goes to the turns. 0 in other worlds.',
  params: z.strictObject({
    price: z.number().min(0).max(1).default(0).describe('Cost of every turn, which favours short ways.'),
  }),
  needs: ['world'],
  scorer:
    ({ price }, { world }) =>
    async (rows) => {
      const verdicts = await judgedBy(world, rows);
      const earned = rows.map((row, r) =>
        Float64Array.from({ length: turnCount(row) }, (_, at) => (verdicts[r].turns?.[at] ?? 0) - price),
      );
      return {
        value: Float64Array.from(earned, (turns) => turns.reduce((sum, part) => sum + part, 0)),
        turns: partsOf(earned),
      };
    },
});
