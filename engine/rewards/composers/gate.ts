import * as z from 'zod';
import { componentAt, defineComposer, weightedSum } from './composer.ts';

/**
 * The other scorers count only on answers whose gate reaches the threshold: style is not paid for a wrong
 * answer. The gate itself adds weight · value; with weight 0 it only admits.
 */
export const gate = defineComposer({
  id: 'gate',
  title: 'Gate',
  summary: 'The other scorers count only on answers for which one scorer reaches a threshold.',
  cites: 'lexicographic order with a threshold (Gábor, Kalmár and Szepesvári 1998)',
  params: z.strictObject({
    scorer: z.string().min(1).default('verifier').describe('The scorer that must pass, by its name.'),
    least: z.number().default(1).describe('Least value that passes.'),
  }),
  open: ({ scorer, least }, components) => {
    const first = componentAt('scorer', scorer, components);
    const others = components.filter((one) => one !== first);
    return (scored) => {
      const own = scored.values[first.name];
      const rest = weightedSum(others, scored);
      return { total: own.map((value, r) => first.weight * value + (value >= least ? rest[r] : 0)) };
    };
  },
});
