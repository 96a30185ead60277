import { sampledOf } from '../kernel/recorder.ts';
import { applyChange, type Table } from '../kernel/rows.ts';
import type { Need } from '../kernel/columns.ts';
import type { StageContext, Stage } from '../kernel/stage.ts';
import { isPort } from '../kernel/stage.ts';

/**
 * The rows to learn from, and all that were sampled: a filter drops rows from the first, never from what is
 * kept and counted.
 */
export interface MadeRows {
  readonly table: Table;
  readonly made: Table;
  /** What was corrected of them. */
  readonly correction?: { readonly [metric: string]: number };
}

/**
 * Runs a pipe's stages, first to last; `port` gives what lies outside the rows (a model, a buffer's column).
 */
export const runStages = async (
  stages: readonly Stage[],
  port: (need: Need) => unknown,
  context: StageContext,
): Promise<MadeRows> => {
  let table: Table = {};
  let unfiltered: Table | undefined;
  for (const stage of stages) {
    const inputs = Object.fromEntries(
      stage.needs.map((need) => [need, isPort(need) ? port(need) : table[need]]),
    );
    const change = await stage.run(inputs as never, context);
    if (change.from_R && stage.adds.length === 0 && sampledOf(table)) unfiltered ??= table;
    table = applyChange(table, stage.id, change);
  }
  return { table, made: unfiltered ?? table };
};
