import { ngrams } from './likeness.ts';
import { ordered } from './inputs.ts';

/** Counts of a text's runs of three characters, of length one. */
function unitCounts(text: string): ReadonlyMap<string, number> {
  const counts = ngrams(text, 3);
  const length = Math.hypot(...counts.values());
  return new Map([...counts].map(([run, count]) => [run, count / length]));
}

/**
 * The family of each text, from 0, in the order in which they begin: a text joins the family whose first text is
 * most like it, by the cosine of their runs of three characters, if that is at least `least`; else it begins a
 * family, until there are `most`: −1 for what is like none of these. One pass (the leader algorithm: Hartigan
 * 1975, "Clustering algorithms", chapter 3), so that later texts never change the families of earlier ones.
 * Throws `numeric` for NaN as bound.
 */
export function likeFamilies(texts: readonly string[], least = 0.5, most = 100): Int32Array {
  ordered([least], 'least');
  // by run of characters: the families whose first text has it, with its weight there
  const holders = new Map<string, { readonly family: number; readonly weight: number }[]>();
  const known = new Map<string, number>();
  let families = 0;
  const familyOf = (text: string): number => {
    const counts = unitCounts(text);
    const cosines = new Float64Array(families);
    for (const [run, weight] of counts)
      for (const first of holders.get(run) ?? []) cosines[first.family] += weight * first.weight;
    const best = cosines.reduce((top, cosine, family) => (cosine > cosines[top] ? family : top), 0);
    if (families > 0 && cosines[best] >= least) return best;
    if (families >= most) return -1;
    for (const [run, weight] of counts) {
      const own = holders.get(run) ?? [];
      own.push({ family: families, weight });
      holders.set(run, own);
    }
    return families++;
  };
  return Int32Array.from(texts, (text) => {
    const family = known.get(text) ?? familyOf(text);
    known.set(text, family);
    return family;
  });
}
