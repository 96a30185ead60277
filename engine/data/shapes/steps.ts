import { kindOf } from '../formats/record.ts';
import { BadRecord, isEmpty, markIn, type Fields, type Shape, type ShapedRow } from './shape.ts';

/** Steps of an answer, with a mark for each: null if it is unknown. Kept with the row as extra. */
export interface Steps {
  readonly steps: readonly string[];
  readonly stepLabels: readonly (boolean | null)[];
}

const textsIn = (fields: Fields, column: string, as: string): readonly string[] => {
  const value = fields.value(column, as);
  if (!Array.isArray(value) || value.length === 0)
    throw new BadRecord(`has ${kindOf(value)} in "${column}" where a list of steps is needed`);
  return value.map((step: unknown, i) => {
    if (typeof step === 'string') return step;
    throw new BadRecord(`has in "${column}" ${kindOf(step)} (number ${i + 1}) where text is needed`);
  });
};

/** The text between two steps: a column of our own, else what the format has. */
const separatorIn = (fields: Fields, usual: string): string =>
  typeof fields.record.step_separator === 'string'
    ? String(fields.value('step_separator', 'text between steps'))
    : usual;

const rowOf = (
  prompt: string,
  { steps, stepLabels }: Steps,
  separator: string,
): Omit<ShapedRow, 'source'> => {
  const answer = steps.join(separator);
  if (answer.trim() === '') throw new BadRecord('has no text in its steps');
  const isWrong = stepLabels.includes(false);
  const correct = isWrong ? false : stepLabels.includes(null) ? null : true;
  const own = separator === '\n' || separator === '\n\n' ? {} : { stepSeparator: separator };
  return { prompt, answer, reference: null, correct, extra: { steps, stepLabels, ...own } };
};

/** Answers in steps, each marked right or wrong: TRL's stepwise supervision. */
export const stepwise: Shape = {
  title: 'answers in marked steps',
  needs: '"prompt", "completions" as a list of steps and "labels" as a list of true and false',
  matches: (record) =>
    Array.isArray(record.completions) && Array.isArray(record.labels) && 'prompt' in record,
  why: () =>
    '"prompt", "completions" and "labels": one row for each answer, right if all of its steps are; the steps ' +
    'and their marks are kept with it.',
  rows: (fields) => {
    const steps = textsIn(fields, 'completions', 'steps of the answer');
    const labels = fields.value('labels', 'right or wrong steps');
    if (!Array.isArray(labels) || labels.length !== steps.length)
      throw new BadRecord(`has not as many "labels" as "completions" (${steps.length})`);
    const stepLabels = labels.map((label: unknown) => {
      const mark = isEmpty(label) ? null : markIn(label);
      if (mark === undefined) throw new BadRecord('has in "labels" a value that is not true or false');
      return mark;
    });
    const prompt = fields.text('prompt', 'prompt');
    return [{ ...rowOf(prompt, { steps, stepLabels }, separatorIn(fields, '\n')), source: '' }];
  },
};

/** Solutions in steps with the number of the first wrong one, from 0, or -1: ProcessBench. */
export const processBench: Shape = {
  title: 'solutions with the first wrong step (ProcessBench)',
  needs: '"problem", "steps" as a list and "label" as the number of the first wrong step or -1',
  matches: (record) => Array.isArray(record.steps) && 'problem' in record && 'label' in record,
  why: () =>
    '"problem", "steps" and "label": one row for each solution, right if "label" is -1, else wrong from that ' +
    'step (counted from 0) on.',
  rows: (fields) => {
    const prompt = fields.text('problem', 'prompt');
    const steps = textsIn(fields, 'steps', 'steps of the answer');
    const first = Number(fields.value('label', 'first wrong step'));
    if (!Number.isInteger(first) || first < -1 || first >= steps.length)
      throw new BadRecord(`has in "label" no number of a step (-1 to ${steps.length - 1})`);
    const stepLabels = steps.map((_step, i) =>
      first === -1 || i < first ? true : i === first ? false : null,
    );
    const source = isEmpty(fields.record.generator) ? '' : fields.text('generator', 'source');
    return [{ ...rowOf(prompt, { steps, stepLabels }, separatorIn(fields, '\n\n')), source }];
  },
};
