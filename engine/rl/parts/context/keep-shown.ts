import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Keeps what the model read for the record, where it is more than the problem's prompt: an answer to be
 * judged, with its cues.
 */
export const keepShown = stage({
  id: 'keepShown',
  station: 'context',
  needs: ['tokens', 'mask'],
  adds: ['shown'],
  run: async ({ tokens, mask }, { text }) => ({
    columns: {
      shown: Array.from({ length: mask.offsets.length - 1 }, (_, r) => {
        const first = rowOf(mask, r).indexOf(1);
        const ids = rowOf(tokens, r);
        return text.decode(first < 0 ? ids : ids.subarray(0, first));
      }),
    },
  }),
});
