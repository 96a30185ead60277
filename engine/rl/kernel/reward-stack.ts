/** The run's scorers, as stages see them. */
import type { Columns, PerLine, PerRow } from './columns.ts';

/**
 * Values of a reward stack for rows. `lines`: contribution of each line of an answer's text, if available;
 * `turns`: of each turn of a transcript, besides those of lines.
 */
export interface StackValues {
  readonly value: PerRow;
  readonly raw: { readonly [scorer: string]: PerRow };
  readonly lines?: PerLine;
  readonly turns?: PerLine;
}

/** The run's stack of scorers (engine/rewards). Its id names the column that it fills. */
export interface RewardStack<Id extends string = string> {
  readonly id: Id;
  /** The scorers' names, in the order of the run; and whether there is none. */
  readonly scorers: readonly string[];
  /** Their weights in the total; absent: 1 each. */
  readonly weights?: readonly number[];
  readonly empty: boolean;
  /**
   * One value per row, and each scorer's raw value by scorer id. Scorers that compare do so within a group.
   * `progress`: share of the run's updates that are done, 0–1, for a total that changes over the run.
   */
  score(
    rows: Pick<Columns, 'problem' | 'completion' | 'tokens' | 'mask' | 'ended'> &
      Partial<Pick<Columns, 'groupId'>>,
    progress?: number,
  ): Promise<StackValues>;
}
