import * as z from 'zod';
import { defineController } from '../kernel/control.ts';
import { outcomesOf } from './outcomes.ts';
import { Prediction } from './prediction.ts';

/**
 * Prompt curriculum learning (Gao et al. 2025, arXiv:2510.01135): selects the candidates whose predicted
 * success is nearest to `target`, where a group's answers differ most. The paper predicts with a value
 * model; here it is a logistic regression on the prompt's level, its identity and its character n-grams,
 * trained online, so that it costs nothing.
 */
export const pcl = defineController({
  id: 'pcl',
  title: 'Prompt curriculum',
  summary:
    'Selects, among eight times as many candidate prompts, those whose predicted success is ' +
    'nearest to one half.',
  cites: 'arXiv:2510.01135',
  params: z.strictObject({
    target: z.number().min(0.05).max(0.95).default(0.5).describe('Target success rate.'),
    rate: z.number().positive().max(5).default(0.5).describe('Step size of the prediction.'),
  }),
  open: ({ target, rate }) => {
    const prediction = new Prediction({ rate });
    let error: number | null = null;
    return {
      choose: (candidates, batch) =>
        candidates
          .map((problem, at) => ({ problem, at, far: Math.abs(prediction.chance(problem) - target) }))
          .sort((a, b) => a.far - b.far || a.at - b.at)
          .slice(0, batch)
          .map(({ problem }) => problem),
      observe: (table) => {
        const outcomes = outcomesOf(table);
        if (outcomes.length === 0) return;
        // measured before it trains on them, so that the error is out-of-sample
        error =
          outcomes.reduce(
            (sum, { problem, success }) => sum + Math.abs(success - prediction.chance(problem)),
            0,
          ) / outcomes.length;
        for (const { problem, success } of outcomes) prediction.learn(problem, success);
      },
      metrics: () => ({ ...(error !== null && { prediction_error: error }) }),
      state: () => ({ prediction: prediction.state(), error }),
      restore: (saved) => {
        const read = z.object({ prediction: z.unknown(), error: z.number().nullable() }).parse(saved);
        prediction.restore(read.prediction);
        ({ error } = read);
      },
    };
  },
});
