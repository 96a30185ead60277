import { jsonLines } from './encodings/json.ts';
import { further, referenceColumn } from './ranked.ts';
import { stepsWritten } from './judged-steps.ts';
import type { RowItem, Writer, Written } from './writer.ts';

const fromRow = ({ prompt, answer, reference, source, extra = {} }: RowItem): Written => {
  const { steps, stepLabels, stepSeparator = null, ...others } = extra;
  if (!Array.isArray(steps) || !Array.isArray(stepLabels)) return { leftOut: 'rows without marked steps' };
  const separator = [stepSeparator, '\n\n', '\n'].find(
    (each) => typeof each === 'string' && steps.join(each) === answer,
  );
  if (typeof separator !== 'string') return { leftOut: 'rows whose answer was edited apart from its steps' };
  const firstWrong = stepLabels.indexOf(false);
  if (firstWrong < 0 && !stepLabels.every((label) => label === true))
    return { leftOut: 'rows with steps that are not marked' };
  return [
    {
      problem: prompt,
      steps,
      label: firstWrong,
      ...(source !== '' && { generator: source }),
      ...(separator !== '\n\n' && steps.length > 1 && { step_separator: separator }),
      ...referenceColumn(reference),
      ...further(others),
    },
  ];
};

/** Solutions in steps with the number of the first wrong one, from 0, or −1 (ProcessBench, arXiv:2412.06559). */
export const processBenchSolutions: Writer = {
  id: 'process-bench',
  title: 'ProcessBench, first wrong step',
  extension: '.jsonl',
  encoding: jsonLines,
  cannotHold: 'Marks of the steps after the first wrong one are left out.',
  fromRow,
  fromAnswer: {
    modes: ['correctness'],
    write: stepsWritten('\n\n', ({ itemId, prompt, steps, firstWrong }) => ({
      id: itemId,
      problem: prompt,
      steps,
      label: firstWrong,
    })),
  },
};
