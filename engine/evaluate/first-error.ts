/** How well a verifier finds the first wrong line of answers. */
import { finite } from './inputs.ts';
import { mean } from './moments.ts';

export interface LocatedError {
  /** The first wrong line, counted from 0; −1 of a right answer. */
  readonly firstError: number;
  /** The first line that the verifier calls wrong; −1 if it calls none so; null without readable verdicts. */
  readonly firstBlamed: number | null;
}

/** Each null without answers of its kind. */
export interface FirstErrorShares {
  /** Share of the wrong answers whose first wrong line is found. */
  readonly inWrong: number | null;
  /** Share of the right answers in which no line is called wrong. */
  readonly inRight: number | null;
  /** Their harmonic mean. */
  readonly f1: number | null;
}

/** ProcessBench's measures (arXiv:2412.06559); unreadable verdicts find nothing. Throws `numeric` for NaN. */
export const firstErrorShares = (rows: readonly LocatedError[]): FirstErrorShares => {
  finite(
    rows.map(({ firstError }) => firstError),
    'lines of first errors',
  );
  const share = (kind: readonly LocatedError[]): number | null =>
    kind.length === 0
      ? null
      : mean(kind.map(({ firstError, firstBlamed }) => Number(firstBlamed === firstError)));
  const inWrong = share(rows.filter(({ firstError }) => firstError >= 0));
  const inRight = share(rows.filter(({ firstError }) => firstError < 0));
  if (inWrong === null || inRight === null) return { inWrong, inRight, f1: null };
  const f1 = inWrong + inRight === 0 ? 0 : (2 * inWrong * inRight) / (inWrong + inRight);
  return { inWrong, inRight, f1 };
};
