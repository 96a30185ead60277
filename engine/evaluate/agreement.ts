import { WhetstoneError } from '../common/errors.ts';
import { notNegative } from './inputs.ts';

/**
 * Fleiss' kappa (1971): `table[subject][category]` counts raters; every subject has the same number of
 * raters, at least two.
 */
export const fleissKappa = (table: readonly (readonly number[])[]): number => {
  for (const row of table) notNegative(row, 'counts of raters');
  const raters = table[0]?.reduce((sum, n) => sum + n, 0) ?? 0;
  if (
    raters < 2 ||
    table.some((row) => row.length !== table[0].length || row.reduce((sum, n) => sum + n, 0) !== raters)
  ) {
    throw new WhetstoneError(
      'invalid-input',
      'Fleiss’ kappa needs the same number of raters, at least two, for every subject.',
    );
  }
  const shares = table[0].map(
    (_, category) => table.reduce((sum, row) => sum + row[category], 0) / (table.length * raters),
  );
  const expected = shares.reduce((sum, p) => sum + p * p, 0);
  const observed =
    table.reduce(
      (sum, row) => sum + (row.reduce((s, n) => s + n * n, 0) - raters) / (raters * (raters - 1)),
      0,
    ) / table.length;
  return (observed - expected) / (1 - expected);
};

/**
 * Cohen's kappa (1960) of two raters' verdicts on the same items; NaN if both always give one and the same
 * verdict.
 */
export const cohenKappa = (a: readonly string[], b: readonly string[]): number => {
  if (a.length !== b.length || a.length === 0)
    throw new WhetstoneError(
      'invalid-input',
      `Two raters must judge the same items (${a.length} and ${b.length} verdicts).`,
    );
  const share = (list: readonly string[], verdict: string) =>
    list.filter((v) => v === verdict).length / list.length;
  const observed = a.filter((verdict, i) => verdict === b[i]).length / a.length;
  const expected = [...new Set([...a, ...b])].reduce(
    (sum, verdict) => sum + share(a, verdict) * share(b, verdict),
    0,
  );
  return (observed - expected) / (1 - expected);
};
