import { sampledOf } from '../kernel/recorder.ts';
import { applyChange, type Table } from '../kernel/rows.ts';
import type { Need } from '../kernel/columns.ts';
import type { StageContext, Stage } from '../kernel/stage.ts';
import { isPort } from '../kernel/stage.ts';

/**
 * Rows to learn from, and all sampled rows: filters drop rows only from the first, stages of the context
 * rewrite prompts only there, and stored rows replace only those; the second are recorded and counted.
 */
export interface MadeRows {
  readonly table: Table;
  readonly made: Table;
  /** Metrics of the off-policy correction. */
  readonly correction?: { readonly [metric: string]: number };
}

/** Runs a pipe's stages in order; `port` provides inputs other than rows (a model, a buffer's column). */
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
    const filters = change.from_R !== undefined && stage.adds.length === 0;
    const rewrites =
      (stage.station === 'context' && stage.adds.includes('tokens')) ||
      (stage.station === 'selection' && stage.adds.includes('mask'));
    if (stage.replaces || ((filters || rewrites) && sampledOf(table))) unfiltered ??= table;
    table = applyChange(table, stage.id, change);
  }
  return { table, made: unfiltered ?? table };
};
