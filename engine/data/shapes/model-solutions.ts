import { isObject } from '../formats/record.ts';
import { BadRecord, markOf, textOf, type RecordOf, type Shape } from './shape.ts';

const isSolution = (value: unknown): value is RecordOf => isObject(value) && 'is_correct' in value && 'solution' in value;
const modelsOf = (record: RecordOf): string[] => Object.keys(record).filter((name) => isSolution(record[name]));

/** A question with several models' marked solutions in columns of their own, as the model solutions of `openai/grade-school-math`. */
export const modelSolutions: Shape = {
  title: 'marked solutions of several models',
  needs: '"question", "ground_truth" and, for each model, {"is_correct", "solution"}',
  matches: (record) => 'question' in record && 'ground_truth' in record && modelsOf(record).length > 0,
  why: (record) => `"question" and "ground_truth" with marked solutions of ${modelsOf(record).map((name) => `"${name}"`).join(', ')}: one row for each solution.`,
  rows: (record) => {
    const prompt = textOf(record, 'question');
    const reference = textOf(record, 'ground_truth');
    const models = modelsOf(record);
    if (models.length === 0) throw new BadRecord('has no {"is_correct", "solution"} of any model');
    return models.map((source) => {
      const solution = record[source] as RecordOf;
      return { prompt, answer: textOf(solution, 'solution'), reference, correct: markOf(solution, 'is_correct'), source };
    });
  },
};
