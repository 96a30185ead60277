/** The inspection of which a run's pairs are stored. */
export interface Inspection {
  readonly attempt: number;
  readonly pairs: number;
}
