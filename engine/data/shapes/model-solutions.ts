import { isObject } from '../formats/record.ts';
import { BadRecord, isEmpty, markOf, textOf, type RecordOf, type Shape } from './shape.ts';

const isSolution = (value: unknown): value is RecordOf =>
  isObject(value) && 'is_correct' in value && 'solution' in value;
const modelsOf = (record: RecordOf): string[] =>
  Object.keys(record).filter((name) => isSolution(record[name]));

/**
 * A question with several models' marked solutions in columns of their own, as the model solutions of
 * `openai/grade-school-math`.
 */
export const modelSolutions: Shape = {
  title: 'marked solutions of several models',
  needs: '"question", "ground_truth" and, for each model, {"is_correct", "solution"}',
  matches: (record) => 'question' in record && 'ground_truth' in record && modelsOf(record).length > 0,
  why: ({ record }) => {
    const models = modelsOf(record)
      .map((name) => `"${name}"`)
      .join(', ');
    return `"question" and "ground_truth" with marked solutions of ${models}: one row for each solution.`;
  },
  rows: (fields) => {
    const prompt = fields.text('question', 'prompt');
    const reference = fields.text('ground_truth', 'reference');
    const models = modelsOf(fields.record);
    if (models.length === 0) throw new BadRecord('has no {"is_correct", "solution"} of any model');
    return models.map((source) => {
      const value = fields.value(source, 'answer of a model, right or wrong') as RecordOf;
      const kept = Object.entries(value).filter(
        ([key, each]) => key !== 'solution' && key !== 'is_correct' && !isEmpty(each),
      );
      const [answer, correct] = [textOf(value, 'solution'), markOf(value, 'is_correct')];
      const extra = Object.fromEntries(kept.map(([key, each]) => [`${source}.${key}`, each]));
      return { prompt, answer, reference, correct, source, extra };
    });
  },
};
