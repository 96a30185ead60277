import { further, referenceColumn } from './ranked.ts';
import type { AnswerItem, RecordOf, Written } from './writer.ts';

/** A judged answer in steps. `firstWrong`: number of the first wrong step, from 0, or −1 if all are right. */
export interface StepItem {
  readonly itemId: string;
  readonly prompt: string;
  readonly steps: readonly string[];
  readonly firstWrong: number;
}

/**
 * Writes answers whose steps are judged, and leaves the others out. `usual`: the text between steps that
 * readers of the format assume; another one is written as `step_separator`.
 */
export const stepsWritten =
  (usual: string, record: (item: StepItem) => RecordOf) =>
  ({ itemId, prompt, judged, reference, about }: AnswerItem): Written => {
    if (judged.kind !== 'correctness') return { leftOut: 'answers without judged steps' };
    const { correct, firstWrong, steps, separator } = judged;
    if (!correct && firstWrong === null) return { leftOut: 'wrong answers without a first wrong step' };
    if (prompt.trim() === '' || steps.join('').trim() === '')
      return { leftOut: 'answers without a prompt or a text' };
    return [
      {
        ...record({ itemId, prompt, steps, firstWrong: firstWrong ?? -1 }),
        ...(separator !== usual && steps.length > 1 && { step_separator: separator }),
        ...referenceColumn(reference),
        ...further(about),
      },
    ];
  };
