import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/** Begin and end of each text between the marks, without the marks; one that is never closed ends the text. */
const between = (text: string, opens: string, closes: string): (readonly [number, number])[] => {
  const found: [number, number][] = [];
  for (let at = text.indexOf(opens); at >= 0;) {
    const from = at + opens.length;
    const end = text.indexOf(closes, from);
    found.push([from, end < 0 ? text.length : end]);
    at = end < 0 ? -1 : text.indexOf(opens, end + closes.length);
  }
  return found;
};

/**
 * Takes what the model itself wrote between two marks out of training: the results of a search that it plays
 * (SSRL, arXiv:2508.10874, section 3.3: tokens of information are masked from the loss). The marks stay
 * trained, since the model has to write them. A token that is partly inside is inside.
 */
export const withoutQuoted = ({ opens, closes }: { readonly opens: string; readonly closes: string }) =>
  stage({
    id: `withoutQuoted(${opens}, ${closes})`,
    station: 'context',
    needs: ['tokens', 'mask'],
    adds: ['mask'],
    run: async ({ tokens, mask }, { text }) => {
      const values = mask.values.slice();
      for (let r = 0; r < mask.offsets.length - 1; r++) {
        const ids = rowOf(tokens, r);
        const own = rowOf(mask, r);
        const places = [...own.keys()].filter((t) => own[t] === 1);
        const pieces = places.map((t) => (ids[t] === text.end ? '' : text.decode([ids[t]])));
        const quotes = between(pieces.join(''), opens, closes);
        let at = 0;
        pieces.forEach((piece, k) => {
          const [from, to] = [at, (at += piece.length)];
          if (quotes.some(([begin, end]) => from < end && to > begin))
            values[mask.offsets[r] + places[k]] = 0;
        });
      }
      return { columns: { mask: { ...mask, values } } };
    },
  });
