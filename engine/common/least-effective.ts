/**
 * Share of the replayed rows that their effective sample size should at least be: the run doctor warns below
 * it. Pages show it too.
 */
export const LEAST_EFFECTIVE = 0.1;
