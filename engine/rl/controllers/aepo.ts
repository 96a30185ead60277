import { z } from 'zod';
import type { PerToken } from '../columns.ts';
import { defineController } from '../control.ts';
import type { Table } from '../rows.ts';
import { maskedCounts, maskedSums } from '../rows.ts';

const Saved = z.object({ log: z.number(), weight: z.number(), entropy: z.number().nullable() });

/** Entropy in nats a token: as the objective tells it, else the mean of −log-probability of the tokens that were drawn. */
const entropyOf = (table: Table, metrics: { readonly [name: string]: number }): number | undefined => {
  if (metrics.entropy !== undefined) return metrics.entropy;
  const { mask, behaviorLogp } = table as { readonly mask?: PerToken<Uint8Array>; readonly behaviorLogp?: PerToken };
  if (!mask || !behaviorLogp) return undefined;
  const tokens = maskedCounts(mask).reduce((a, b) => a + b, 0);
  return tokens === 0 ? undefined : -maskedSums(behaviorLogp, mask).reduce((a, b) => a + b, 0) / tokens;
};

const held = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/**
 * Holds the policy's entropy at a set-point (after arbitrary entropy policy optimization, arXiv:2510.08141, which draws hotter answers where the entropy is below
 * the target and cooler ones above it). Both knobs integrate the error e = target − entropy: log temperature += gain · e, weight of the
 * entropy term += weightGain · e, each held to its bounds. The term is added to objectives that have none.
 */
export const aepo = defineController({
  id: 'aepo',
  title: 'Entropy set-point',
  summary: 'Keeps the policy as undecided as is wanted: draws hotter and weighs an entropy term more where it has become too sure.',
  cites: 'arXiv:2510.08141',
  params: z.strictObject({
    target: z.number().min(0).max(20).default(0.5).describe('Wanted entropy in nats a token.'),
    knob: z.enum(['temperature', 'weight', 'both']).default('temperature').describe('What is turned: the sampling temperature, the weight of an entropy term in the loss, or both.'),
    gain: z.number().min(0).max(10).default(0.1).describe('Change of the temperature’s logarithm a batch for each nat of error.'),
    lowest: z.number().positive().max(1).default(0.7).describe('Least multiple of the run’s temperature.'),
    highest: z.number().min(1).max(5).default(1.3).describe('Greatest multiple of the run’s temperature.'),
    weightGain: z.number().min(0).max(10).default(0.01).describe('Change of the entropy term’s weight a batch for each nat of error.'),
    heaviest: z.number().min(0).max(10).default(0.1).describe('Greatest weight of the entropy term; the least is 0.'),
  }),
  open: ({ target, knob, gain, lowest, highest, weightGain, heaviest }) => {
    let log = 0, weight = 0;
    let entropy: number | null = null;
    const heats = knob !== 'weight', weighs = knob !== 'temperature';
    return {
      ...(heats && { temperature: () => Math.exp(log) }),
      ...(weighs && { adds: ['entropy'] as const, weights: () => ({ entropy: weight }) }),
      observe: (table, metrics) => {
        const found = entropyOf(table, metrics);
        if (found === undefined || !Number.isFinite(found)) return;
        entropy = found;
        log = held(log + gain * (target - found), Math.log(lowest), Math.log(highest));
        weight = held(weight + weightGain * (target - found), 0, heaviest);
      },
      metrics: () => ({ ...(entropy !== null && { entropy }), ...(heats && { temperature: Math.exp(log) }), ...(weighs && { weight }) }),
      state: () => ({ log, weight, entropy }),
      restore: (saved) => { ({ log, weight, entropy } = Saved.parse(saved)); },
    };
  },
});
