import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Three rows for each pair: chosen, rejected, and a beginning of the chosen answer that ends at a random token
 * before its last (the whole answer if it has one token).
 */
export const partialAnswers = stage({
  id: 'partialAnswers',
  station: 'context',
  needs: ['tokens', 'mask'],
  adds: ['tokens', 'mask'],
  run: async ({ tokens, mask }, { random }) => {
    const pairs = (tokens.offsets.length - 1) / 2;
    const draw = random('partial answers');
    const from = Array.from(
      { length: 3 * pairs },
      (_, at) => 2 * Math.floor(at / 3) + (at % 3 === 1 ? 1 : 0),
    );
    const ends = from.map((r, at) => {
      const { length } = rowOf(tokens, r);
      if (at % 3 < 2) return length;
      const first = Math.max(0, rowOf(mask, r).indexOf(1)) + 1;
      return first < length ? first + draw.int(length - first) : length;
    });
    return {
      columns: {
        tokens: ragged(from, Int32Array, (r, at) => rowOf(tokens, r).subarray(0, ends[at])),
        mask: ragged(from, Uint8Array, (r, at) => rowOf(mask, r).subarray(0, ends[at])),
      },
      from_R: Uint32Array.from(from),
    };
  },
});
