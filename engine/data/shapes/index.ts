import { answers } from './answers.ts';
import { conversations } from './conversations.ts';
import { gsm8k } from './gsm8k.ts';
import { modelSolutions } from './model-solutions.ts';
import { conversationalPreferences, explicitPreferences, implicitPreferences } from './preferences.ts';
import { problems } from './problems.ts';
import { columnsOf, type RecordOf, type Shape } from './shape.ts';

/** Every layout that is recognised, the pickiest first. A new one is its file and one line here. */
export const shapes: readonly Shape[] = [modelSolutions, conversationalPreferences, explicitPreferences, implicitPreferences, conversations, gsm8k, problems, answers];

/** The shape of most of these first records (so that one odd record does not decide), or null. */
export const shapeOf = (records: readonly RecordOf[]): Shape | null => {
  const votes = records.map((record) => shapes.find((shape) => shape.matches(record)));
  const count = (shape: Shape) => votes.filter((vote) => vote === shape).length;
  const best = shapes.reduce((winner, shape) => (count(shape) > count(winner) ? shape : winner));
  return count(best) > 0 ? best : null;
};

/** What to tell where no shape fits: the columns that were found, and what each shape needs. */
export const unrecognised = (record: RecordOf): { message: string; hint: string } => ({
  message: `The columns are not what any kind of dataset needs: found ${columnsOf(record)}.`,
  hint: `Needed: ${shapes.map((shape) => shape.needs).join('; or ')}.`,
});

export { BadRecord, type RecordOf, type Shape, type ShapedRow } from './shape.ts';
