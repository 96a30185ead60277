/** Row sources of preference pairs. */
import { WhetstoneError } from '../../common/errors.ts';
import { encodePrompt } from '../../text/spans.ts';
import { ragged } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { encodeRows, type EncodingOptions } from './encoding.ts';
import type { IndexedStream, Example, Pair } from './task-data.ts';
import { drawn, ids, problemOf } from './source-columns.ts';

/**
 * Returns the pairs if at least one prefers a side. Throws otherwise: a run on ties alone would finish
 * successfully without learning anything.
 */
export const preferring = (pairs: IndexedStream<Pair>, name: string): IndexedStream<Pair> => {
  if (pairs.only?.(({ agreement }) => agreement !== 0.5).size === 0) {
    throw new WhetstoneError(
      'invalid-input',
      `All ${pairs.size} training pairs of ${name} are ties, so there is no preference to learn.`,
      {
        where: 'task',
        hint: 'Decide for one answer in some pairs, hold out less, or filter less.',
      },
    );
  }
  return pairs;
};

const pairColumns = [
  'promptId',
  'problem',
  'prompt',
  'pairId',
  'chosen',
  'agreement',
  'weight',
  'row/strength',
  'tokens',
  'mask',
] as const;

/** Rows of pairs, `size` consecutive rows for each pair: chosen, rejected, then the rows of `more`. */
const inUnits = (
  pairs: readonly Pair[],
  size: number,
  options: EncodingOptions,
  more: (pair: Pair) => readonly Example[] = () => [],
) => {
  const rows = pairs.flatMap((pair) => {
    const { promptId, prompt, chosen, rejected } = pair;
    return [{ promptId, prompt, answer: chosen }, { promptId, prompt, answer: rejected }, ...more(pair)];
  });
  const each = (of: (pair: Pair, p: number, side: number) => number) =>
    Float64Array.from(rows, (_row, r) => of(pairs[Math.floor(r / size)], Math.floor(r / size), r % size));
  return {
    promptId: ids(rows),
    problem: rows.map(problemOf),
    prompt: ragged(rows, Int32Array, ({ prompt }) => encodePrompt(options.tokenizer, prompt)),
    pairId: each((_pair, p) => p),
    chosen: each((_pair, _p, side) => Number(side === 0)),
    agreement: each((pair) => pair.agreement),
    weight: each((pair) => pair.weight ?? 1),
    'row/strength': each((pair) => pair.strength ?? 2),
    ...encodeRows(rows, options),
  };
};

/** Two rows for each pair, chosen first: the next pairs of the stream, or the first `all`. */
export const pairSource = (draws: IndexedStream<Pair>, options: EncodingOptions, all?: number) =>
  stage({
    id: all === undefined ? 'pairs' : 'all pairs',
    needs: [],
    adds: pairColumns,
    run: async (_, context) => ({
      columns: inUnits(
        all === undefined ? drawn(draws, context) : Array.from({ length: all }, (_row, i) => draws.at(i)),
        2,
        options,
      ),
    }),
  });

/**
 * Three rows for each pair: chosen, rejected, and a known right answer to the prompt (the chosen one if there
 * is none).
 */
export const tripleSource = (draws: IndexedStream<Pair>, options: EncodingOptions) =>
  stage({
    id: 'triples',
    needs: [],
    adds: pairColumns,
    run: async (_, context) => ({
      columns: inUnits(drawn(draws, context), 3, options, ({ promptId, prompt, chosen, gold }) => [
        { promptId, prompt, answer: gold ?? chosen },
      ]),
    }),
  });
