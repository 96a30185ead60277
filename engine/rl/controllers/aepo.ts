import * as z from 'zod';
import type { PerToken } from '../kernel/columns.ts';
import { defineController } from '../kernel/control.ts';
import type { Table } from '../kernel/rows.ts';
import { maskedCounts, maskedSums } from '../kernel/rows.ts';

const Saved = z.object({
  log: z.number(),
  sum: z.number().default(0),
  weight: z.number(),
  entropy: z.number().nullable(),
});

/**
 * Entropy in nats per token: the objective's metric, else the mean of −log-probability of the sampled
 * tokens.
 */
const entropyOf = (table: Table, metrics: { readonly [name: string]: number }): number | undefined => {
  if (metrics.entropy !== undefined) return metrics.entropy;
  const { mask, behaviorLogp } = table as {
    readonly mask?: PerToken<Uint8Array>;
    readonly behaviorLogp?: PerToken;
  };
  if (!mask || !behaviorLogp) return undefined;
  const tokens = maskedCounts(mask).reduce((a, b) => a + b, 0);
  return tokens === 0 ? undefined : -maskedSums(behaviorLogp, mask).reduce((a, b) => a + b, 0) / tokens;
};

const held = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/**
 * Holds the policy's entropy at a set-point, as motivated by arbitrary entropy policy optimization
 * (arXiv:2510.08141). A proportional–integral controller on the error e = target − entropy sets the weight
 * of an entropy term: proportional · e + the sum of weightGain · e, within its bounds; objectives without
 * the term get it added. The paper uses REINFORCE on right answers sampled hotter or cooler, which has
 * nothing to sample once the policy writes only a task's one right answer. The temperature alone is an
 * exploration knob here: credit is corrected for it, so that it does not hold the entropy. Its logarithm
 * integrates the error: += gain · e.
 */
export const aepo = defineController({
  id: 'aepo',
  title: 'Entropy set-point',
  summary:
    'Controls the policy’s entropy: raises the weight of an entropy term when the entropy falls ' +
    'below its target, or samples hotter answers.',
  cites: 'arXiv:2510.08141',
  params: z.strictObject({
    target: z.number().min(0).max(20).default(0.5).describe('Target entropy in nats a token.'),
    knob: z
      .enum(['temperature', 'weight', 'both'])
      .default('weight')
      .describe(
        'The knob: the weight of an entropy term in the loss, which controls the entropy; the ' +
          'sampling temperature, which explores but does not control it; or both.',
      ),
    proportional: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Weight of the entropy term for each nat of error.'),
    weightGain: z
      .number()
      .min(0)
      .max(10)
      .default(0.05)
      .describe('Integral gain: what each nat of error adds to that weight in each batch.'),
    heaviest: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Greatest weight of the entropy term; the least is 0.'),
    gain: z
      .number()
      .min(0)
      .max(10)
      .default(0.1)
      .describe('Change of the temperature’s logarithm a batch for each nat of error.'),
    lowest: z.number().positive().max(1).default(0.7).describe('Least multiple of the run’s temperature.'),
    highest: z.number().min(1).max(5).default(1.3).describe('Greatest multiple of the run’s temperature.'),
  }),
  open: ({ target, knob, proportional, weightGain, heaviest, gain, lowest, highest }) => {
    let log = 0;
    let sum = 0;
    let weight = 0;
    let entropy: number | null = null;
    const heats = knob !== 'weight';
    const weighs = knob !== 'temperature';
    return {
      ...(heats && { temperature: () => Math.exp(log) }),
      ...(weighs && { adds: ['entropy'] as const, weights: () => ({ entropy: weight }) }),
      observe: (table, metrics) => {
        const found = entropyOf(table, metrics);
        if (found === undefined || !Number.isFinite(found)) return;
        entropy = found;
        const error = target - found;
        log = held(log + gain * error, Math.log(lowest), Math.log(highest));
        sum = held(sum + weightGain * error, 0, heaviest);
        weight = held(sum + proportional * error, 0, heaviest);
      },
      metrics: () => ({
        ...(entropy !== null && { entropy }),
        ...(heats && { temperature: Math.exp(log) }),
        ...(weighs && { weight }),
      }),
      state: () => ({ log, sum, weight, entropy }),
      restore: (saved) => {
        ({ log, sum, weight, entropy } = Saved.parse(saved));
      },
    };
  },
});
