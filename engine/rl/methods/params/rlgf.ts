import * as z from 'zod';
import { range } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

export const rlgfParams = ppoParams.extend({
  use: z
    .enum(['prefix', 'rollout', 'rollout-first'])
    .default('prefix')
    .describe(
      'The guide begins answers and the policy goes on; or the guide completes them behind one token of the ' +
        'policy; or first this, then that.',
    ),
  share: range.fraction.default(0.5).describe('Share of the answers that the guide begins.'),
  until: range.fraction.default(0.4).describe('Share of the run after which rollout-first changes over.'),
});
