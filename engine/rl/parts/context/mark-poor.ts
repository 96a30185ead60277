import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Marks poor answers by the end token in front of the prompt, and lowers their weight (arXiv:2309.11235,
 * class-conditioned fine-tuning). Good ones have no mark, so that an ordinary prompt yields good answers. A
 * marked row that would be too long loses its last token.
 */
export const markPoor = ({ threshold, poor }: { readonly threshold: number; readonly poor: number }) =>
  stage({
    id: `markPoor(${threshold}, ${poor})`,
    station: 'context',
    needs: ['tokens', 'mask', 'weight', 'reward/total'],
    adds: ['tokens', 'mask', 'weight'],
    run: async ({ tokens, mask, weight, 'reward/total': rewards_R }, { text }) => {
      const isPoor = rewards_R.map((reward) => Number(reward < threshold));
      const marked = (row: ArrayLike<number>, r: number, mark: number) =>
        isPoor[r] ? [mark, ...Array.from(row)].slice(0, text.context) : row;
      const rows = Array.from(weight, (_, r) => r);
      return {
        columns: {
          tokens: ragged(rows, Int32Array, (r) => marked(rowOf(tokens, r), r, text.end)),
          mask: ragged(rows, Uint8Array, (r) => marked(rowOf(mask, r), r, 0)),
          weight: weight.map((w, r) => w * (isPoor[r] ? poor : 1)),
        },
      };
    },
  });
