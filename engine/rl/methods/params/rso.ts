import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const rsoParams = z
  .strictObject({
    candidates: range.answers.default(16).describe('Answers of the initial policy per prompt.'),
    kept: range.answers.default(8).describe('How many of them pass the rejection sampling.'),
    temperature: range.positive
      .default(0.5)
      .describe('Of the rejection sampling, in units of reward: small keeps the best, large keeps any.'),
    ranking: z
      .enum(['first-round', 'tournament'])
      .default('first-round')
      .describe('Pairs of neighbours, or also of the winners of each round.'),
    loss: z
      .enum(['logistic', 'hinge'])
      .default('logistic')
      .describe('Loss of the margin: as in DPO, or a hinge on the same log-ratios.'),
    beta: shared.beta.default(0.1),
  })
  .refine(({ candidates, kept }) => kept <= candidates, {
    message: 'must be at most the number of candidates',
    path: ['kept'],
  });
