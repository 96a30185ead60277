/** The run's scorers, as stages see them. */
import type { Columns, PerLine, PerRow } from './columns.ts';

/**
 * Values of a reward stack for rows. `lines`: contribution of each line of an answer's text, if available.
 */
export interface StackValues {
  readonly value: PerRow;
  readonly raw: { readonly [scorer: string]: PerRow };
  readonly lines?: PerLine;
}

/** The run's stack of scorers (engine/rewards). Its id names the column that it fills. */
export interface RewardStack<Id extends string = string> {
  readonly id: Id;
  /** The scorers' names, in the order of the run; and whether there is none. */
  readonly scorers: readonly string[];
  readonly empty: boolean;
  /**
   * One value per row, and each scorer's raw value by scorer id. Scorers that compare do so within a group.
   */
  score(
    rows: Pick<Columns, 'problem' | 'completion' | 'tokens' | 'mask' | 'ended'> &
      Partial<Pick<Columns, 'groupId'>>,
  ): Promise<StackValues>;
}
