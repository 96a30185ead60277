/** Measured claims of a published system, in words. */
import type { MeasuredClaim, MeasuredExperiment } from '../../engine/schema/systems.ts';

/** Words and shape of each verdict, and what the interval of the difference says. */
export const verdicts: {
  readonly [V in MeasuredClaim['holds']]: {
    readonly title: string;
    readonly shape: string;
    readonly about: string;
  };
} = {
  yes: { title: 'holds', shape: '✓', about: 'The whole interval is on the claimed side.' },
  no: { title: 'not shown', shape: '○', about: 'The interval includes 0.' },
  opposite: { title: 'opposite', shape: '✗', about: 'The whole interval is on the other side.' },
};

/** `5 of 8 claims hold, the opposite of 1`. */
export const claimsInWords = ({ claims }: Pick<MeasuredExperiment, 'claims'>): string => {
  const [hold, opposite] = (['yes', 'opposite'] as const).map(
    (verdict) => claims.filter(({ holds }) => holds === verdict).length,
  );
  const other = opposite > 0 ? `, the opposite of ${opposite}` : '';
  return `${hold} of ${claims.length} claims hold${other}`;
};
