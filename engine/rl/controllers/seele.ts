import * as z from 'zod';
import { defineController } from '../kernel/control.ts';
import { outcomesOf } from './outcomes.ts';
import { logit, Prediction } from './prediction.ts';

/**
 * Hints whose length makes success as likely as not (SEELE: Li et al. 2025, arXiv:2509.06923): with
 * P(success) = σ(a + b · share shown), a of the prompt and b of all, the share is (logit(target) − a) ⁄ b,
 * clipped to 0 … most. The paper fits each prompt's curve over rounds of answers; here a comes from a
 * logistic regression on the prompt, its level and its text, and is trained with b on every batch.
 */
export const seele = defineController({
  id: 'seele',
  title: 'Hints to an even chance',
  summary:
    'Shows each prompt as much of its worked answer as gives even odds of success. For tasks ' +
    'with worked answers.',
  cites: 'arXiv:2509.06923',
  params: z.strictObject({
    target: z.number().min(0.05).max(0.95).default(0.5).describe('Target success rate.'),
    most: z.number().min(0).max(1).default(0.9).describe('Longest hint, as a share of the worked answer.'),
    slope: z
      .number()
      .positive()
      .max(50)
      .default(6)
      .describe('Initial estimate of what showing all of an answer adds to the log-odds of success.'),
    rate: z.number().positive().max(5).default(0.5).describe('Learning rate of the prediction.'),
  }),
  open: ({ target, most, slope, rate }) => {
    const prediction = new Prediction({ rate, slope });
    let mean: number | null = null;
    return {
      hints: (problems) =>
        problems.map((problem) =>
          Math.min(most, Math.max(0, (logit(target) - prediction.odds(problem)) / prediction.slope)),
        ),
      observe: (table) => {
        const outcomes = outcomesOf(table);
        if (outcomes.length === 0) return;
        mean = outcomes.reduce((sum, { problem }) => sum + (problem.hint?.share ?? 0), 0) / outcomes.length;
        for (const { problem, success } of outcomes) prediction.learn(problem, success, problem.hint?.share);
      },
      metrics: () => ({ slope: prediction.slope, ...(mean !== null && { shown: mean }) }),
      state: () => ({ prediction: prediction.state(), mean }),
      restore: (saved) => {
        const read = z.object({ prediction: z.unknown(), mean: z.number().nullable() }).parse(saved);
        prediction.restore(read.prediction);
        ({ mean } = read);
      },
    };
  },
});
