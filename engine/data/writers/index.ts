import { argillaRecords, labelStudioTasks } from './annotation-tools.ts';
import { argillaSpans, labelStudioSpans } from './annotation-spans.ts';
import { hhRlhf } from './hh-rlhf.ts';
import { llamaFactoryAlpaca, llamaFactoryShareGpt } from './llama-factory.ts';
import { ownCsv, ownLines, ownPacked, ownParquet } from './own.ts';
import { processBenchSolutions } from './process-bench.ts';
import { trlConversational, trlPreference, trlStepwise, trlUnpaired } from './trl.ts';
import type { Writer } from './writer.ts';

/** Every format of exports. A new one is its file and one line here. */
export const writers: readonly Writer[] = [
  ownLines,
  ownPacked,
  ownCsv,
  ownParquet,
  trlPreference,
  trlConversational,
  trlUnpaired,
  trlStepwise,
  processBenchSolutions,
  llamaFactoryAlpaca,
  llamaFactoryShareGpt,
  labelStudioTasks,
  argillaRecords,
  labelStudioSpans,
  argillaSpans,
  hhRlhf,
];

export { pairsOfPrompt } from './pairs-of-prompt.ts';
export { encoded, Tally } from './encoded.ts';
export type { AnswerItem, AnswerMode, ExportItem, PairItem, RowItem, Writer } from './writer.ts';
