/** Row sources of stored answers: demonstrations, and answers marked right or wrong. */
import { WhetstoneError } from '../../common/errors.ts';
import { encodePrompt } from '../../text/spans.ts';
import { ragged } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { encodeRows, linesOf, tooLong, type EncodingOptions } from './encoding.ts';
import type { IndexedStream, Example, Graded } from './task-data.ts';
import { drawn, ids, ones, problemOf } from './source-columns.ts';

/** Demonstrations, as rows. */
export const demonstrations = (draws: IndexedStream<Example>, options: EncodingOptions) =>
  stage({
    id: 'demonstrations',
    needs: [],
    adds: ['promptId', 'weight', 'tokens', 'mask'],
    run: async (_, context) => {
      const rows = drawn(draws, context);
      return { columns: { promptId: ids(rows), weight: ones(rows.length), ...encodeRows(rows, options) } };
    },
  });

/** Columns common to all sources of stored answers. Rows with the same prompt form a group. */
const answered = (rows: readonly Graded[], { tokenizer }: EncodingOptions) => ({
  promptId: ids(rows),
  groupId: ids(rows),
  problem: rows.map(problemOf),
  prompt: ragged(rows, Int32Array, ({ prompt }) => encodePrompt(tokenizer, prompt)),
  weight: ones(rows.length),
  completion: rows.map(({ answer }) => answer),
  ended: ones(rows.length),
  label: Float64Array.from(rows, ({ right }) => Number(right)),
});

/** Answers marked right or wrong, as rows. */
export const answers = (graded: IndexedStream<Graded>, options: EncodingOptions) =>
  stage({
    id: 'answers',
    needs: [],
    adds: [
      'promptId',
      'groupId',
      'problem',
      'prompt',
      'weight',
      'tokens',
      'mask',
      'completion',
      'ended',
      'label',
    ],
    run: async (_, context) => {
      const rows = drawn(graded, context);
      return { columns: { ...answered(rows, options), ...encodeRows(rows, options) } };
    },
  });

/**
 * Graded answers with the end and the verdict of each line. Lines are tokenized separately, so that each ends
 * at a token boundary.
 */
export const steps = (graded: IndexedStream<Graded>, options: EncodingOptions, name: string) =>
  stage({
    id: 'steps',
    needs: [],
    adds: [
      'promptId',
      'groupId',
      'problem',
      'prompt',
      'weight',
      'tokens',
      'mask',
      'completion',
      'ended',
      'label',
      'stepEnd',
      'stepRight',
    ],
    run: async (_, context) => {
      const rows = drawn(graded, context);
      return { columns: { ...answered(rows, options), ...stepColumns(rows, options, name) } };
    },
  });

/** Tokenizes answers line by line and marks the last token of each line that has a verdict. */
const stepColumns = (
  rows: readonly Graded[],
  { tokenizer, context }: Pick<EncodingOptions, 'tokenizer' | 'context'>,
  name: string,
) => {
  const made = rows.map((row) => {
    const { prompt, steps: verdicts } = row;
    if (!verdicts)
      throw new WhetstoneError('unsupported', `The answers of ${name} have no verdicts on their steps.`, {
        where: 'task',
        hint: 'Choose a world with verdicts on worked lines, such as arithmetic, or a dataset of answers in marked steps.',
      });
    const { tokens, start, ends } = linesOf(tokenizer, row);
    if (tokens.length > context) throw tooLong(tokens.length, context, prompt);
    const marks = (keep: (right: boolean) => boolean) => {
      const marked = new Uint8Array(tokens.length);
      verdicts.slice(0, ends.length).forEach((right, line) => {
        if (right !== null && keep(right)) marked[ends[line]] = 1;
      });
      return marked;
    };
    return {
      tokens,
      mask: new Uint8Array(tokens.length).fill(1, start),
      stepEnd: marks(() => true),
      stepRight: marks((right) => right),
    };
  });
  return {
    tokens: ragged(made, Int32Array, (row) => row.tokens),
    mask: ragged(made, Uint8Array, (row) => row.mask),
    stepEnd: ragged(made, Uint8Array, (row) => row.stepEnd),
    stepRight: ragged(made, Uint8Array, (row) => row.stepRight),
  };
};
