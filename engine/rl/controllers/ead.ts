import * as z from 'zod';
import { defineController } from '../kernel/control.ts';

/**
 * Exploratory annealed decoding (Yang et al. 2025, arXiv:2510.05251): the first tokens of an answer are
 * sampled hot and the later ones cooler, τ(t) = max(1 + start − e^(t ⁄ d), end), with d growing over the run
 * as answers do. Truncated importance weights correct the credit.
 */
export const ead = defineController({
  id: 'ead',
  title: 'Annealed decoding',
  summary:
    'Samples the first tokens of an answer hotter and the later ones cooler: explores early ' +
    'decisions, and completes them with care.',
  cites: 'arXiv:2510.05251',
  params: z.strictObject({
    start: z
      .number()
      .positive()
      .max(3)
      .default(1.2)
      .describe('Multiple of the run’s temperature at the first token.'),
    end: z.number().positive().max(3).default(0.7).describe('Least multiple.'),
    decay: z
      .number()
      .positive()
      .max(100_000)
      .default(40)
      .describe('Tokens after which the exponential has grown to e, at the run’s beginning.'),
    growth: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Relative growth of the decay length by the end of the run.'),
  }),
  open: ({ start, end, decay, growth }) => ({
    annealing: ({ progress }) => {
      const d = decay * (1 + growth * progress);
      return (t) => Math.max(1 + start - Math.exp(t / d), end);
    },
  }),
});
