import { WhetstoneError } from '../../common/errors.ts';
import { permutation } from '../../random/random.ts';
import { allocate } from './allocate.ts';

export type Allocation = 'proportional' | 'equal';

/**
 * Rows to take of each stratum, `amount` in all (fewer if the strata have fewer). `proportional`: in
 * proportion to the sizes. `equal`: equally many of each; what a small stratum lacks is shared by the others.
 */
export const strataCounts = (sizes: readonly number[], amount: number, allocation: Allocation): number[] => {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const wanted = Math.min(amount, total);
  if (allocation === 'proportional') return allocate(wanted, sizes);
  const counts = sizes.map(() => 0);
  for (let left = wanted; left > 0;) {
    const open = sizes.flatMap((size, at) => (counts[at] < size ? [at] : []));
    const more = allocate(
      left,
      open.map(() => 1),
    );
    for (const [i, at] of open.entries()) {
      const taken = Math.min(more[i], sizes[at] - counts[at]);
      counts[at] += taken;
      left -= taken;
    }
  }
  return counts;
};

/**
 * Positions of the rows to take, rising: `counts[s]` of the rows whose stratum is `s`, each equally likely.
 * Throws `invalid-input` for a stratum with fewer rows.
 */
export const sampleOfStrata = (
  strata: ArrayLike<number>,
  counts: readonly number[],
  seed: number,
): Uint32Array => {
  const members = counts.map((): number[] => []);
  for (let at = 0; at < strata.length; at += 1) members[strata[at]]?.push(at);
  const taken = members.flatMap((own, stratum) => {
    if (counts[stratum] > own.length)
      throw new WhetstoneError(
        'invalid-input',
        `A stratum of ${own.length} rows cannot give ${counts[stratum]}.`,
        { where: `stratum ${stratum}` },
      );
    return permutation(own.length, seed, 'sample of a stratum', stratum)
      .slice(0, counts[stratum])
      .map((at) => own[at]);
  });
  return Uint32Array.from(taken).sort();
};
