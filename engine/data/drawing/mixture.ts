import { WhetstoneError } from '../../common/errors.ts';
import { permutation } from '../../random/random.ts';
import { allocate } from './allocate.ts';

/** A source of a mixture: rows that it has, and its weight. */
export interface MixtureSource {
  readonly size: number;
  readonly weight: number;
}
/** Rows that a mixture takes of a source. */
export interface MixtureShare {
  /** By the weights. */
  readonly asked: number;
  /** With repetition as many as asked; without, at most the source's rows. */
  readonly drawn: number;
  /** How often each row is drawn, on average; 0 for an empty source. */
  readonly times: number;
}
/** The rows of a mixture in their order: draw i is row `row[i]` of source `source[i]`. */
export interface MixtureDraws {
  readonly source: Uint32Array;
  readonly row: Uint32Array;
}

/** The most rows that a mixture can have without repeating any. */
export const rowsWithoutRepeats = (sources: readonly MixtureSource[]): number => {
  const sum = sources.reduce((all, { weight }) => all + weight, 0);
  return Math.floor(
    sources.reduce(
      (least, { size, weight }) => (weight > 0 ? Math.min(least, (size * sum) / weight) : least),
      Infinity,
    ),
  );
};

/**
 * Rows of each source of a mixture of `rows` rows. Without `repeats` a source gives at most all its rows, and
 * the mixture has fewer.
 */
export const mixtureShares = (
  sources: readonly MixtureSource[],
  rows: number,
  repeats: boolean,
): MixtureShare[] =>
  allocate(
    rows,
    sources.map(({ weight }) => weight),
  ).map((asked, at) => {
    const { size } = sources[at];
    const drawn = repeats && size > 0 ? asked : Math.min(asked, size);
    return { asked, drawn, times: size === 0 ? 0 : drawn / size };
  });

/**
 * Draws a mixture: of a source with fewer rows than are drawn, every row equally often, give or take one. The
 * order of all draws is shuffled. Throws `invalid-input` where rows of an empty source are drawn.
 */
export const drawMixture = (
  sources: readonly MixtureSource[],
  shares: readonly MixtureShare[],
  seed: number,
): MixtureDraws => {
  const total = shares.reduce((sum, { drawn }) => sum + drawn, 0);
  const [source, row] = [new Uint32Array(total), new Uint32Array(total)];
  const order = permutation(total, seed, 'order of a mixture');
  let next = 0;
  for (const [at, { drawn }] of shares.entries()) {
    const { size } = sources[at];
    if (size === 0 && drawn > 0)
      throw new WhetstoneError('invalid-input', 'A source without rows cannot be drawn from.', {
        where: `source ${at + 1}`,
      });
    for (let pass = 0, left = drawn; left > 0; pass += 1, left -= size) {
      const rows = permutation(size, seed, 'rows of a mixture', at, pass).slice(0, left);
      for (const each of rows) {
        source[order[next]] = at;
        row[order[next]] = each;
        next += 1;
      }
    }
  }
  return { source, row };
};
