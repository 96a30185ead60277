import { binEdges, binOf } from '../../evaluate/moments.ts';

/** A bin of a histogram with the rows in it; closed below and open above, the last one closed. */
export interface RowBin {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly string[];
}

/** Lengths of texts by a given counter (tokens of the chosen tokenizer, say) in bins of equal width. */
export const lengthHistogram = (
  rows: readonly { readonly id: string; readonly text: string }[],
  lengthOf: (text: string) => number,
  bins = 20,
): RowBin[] => {
  const lengths = rows.map(({ text }) => lengthOf(text));
  const edges = binEdges(lengths, bins);
  const found = edges.slice(1).map((to, at) => ({ from: edges[at], to, rows: [] as string[] }));
  if (rows.length > 0) lengths.forEach((length, at) => found[binOf(edges, length)].rows.push(rows[at].id));
  return found;
};
