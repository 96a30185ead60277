/** A bonus for texts unlike all earlier ones of the run. */
import { referencesOf, selfBleu } from '../../../evaluate/index.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/** What was written before: the newest texts as tokens, and the sum of all unit embeddings. */
interface Archive {
  readonly texts: readonly (readonly number[])[];
  readonly sum: readonly number[];
  readonly count: number;
}

const unit = (values: ArrayLike<number>): number[] => {
  const row = Array.from(values);
  const norm = Math.hypot(...row);
  return norm > 0 ? row.map((value) => value / norm) : row;
};

/**
 * Takes from each reward `bleu` × self-BLEU of the answer against the `archive` newest earlier ones, and
 * `cosine` × the mean cosine similarity to all earlier ones of prompt and answer, embedded by the initial
 * model (arXiv:2402.19464). Rows are scored before they join. The credit is on the last token.
 */
export const novelTexts = ({
  bleu,
  cosine,
  archive: most,
}: {
  readonly bleu: number;
  readonly cosine: number;
  readonly archive: number;
}) => {
  const id = `novelTexts(${bleu}, ${cosine}, ${most})`;
  return stage({
    id,
    station: 'scorers',
    needs: ['tokens', 'mask', 'reward/total', 'credit/earned', 'model/initial'],
    adds: ['reward/total', 'credit/earned'],
    run: async (
      { tokens, mask, 'reward/total': rewards_R, 'credit/earned': earned, ...models },
      { memory },
    ) => {
      const { texts, sum, count } = (memory.get(id) as Archive | undefined) ?? {
        texts: [],
        sum: [],
        count: 0,
      };
      const { values, width } = await models['model/initial'].features(tokens);
      const embedded = Array.from(rewards_R, (_, r) => unit(values.subarray(r * width, (r + 1) * width)));
      const own = Array.from(rewards_R, (_, r) => [
        ...rowOf(tokens, r).filter((_id, t) => rowOf(mask, r)[t] === 1),
      ]);
      const earlier = referencesOf(texts);
      const alike = {
        self_bleu: Float64Array.from(own, (ids) => selfBleu(ids, earlier)),
        cosine: Float64Array.from(embedded, (row) =>
          count === 0 ? 0 : row.reduce((dot, value, d) => dot + value * sum[d], 0) / count,
        ),
      };
      memory.set(id, {
        texts: [...texts, ...own].slice(-most),
        sum: embedded.reduce((total, row) => row.map((value, d) => value + (total[d] ?? 0)), [...sum]),
        count: count + embedded.length,
      } satisfies Archive);
      const cost = rewards_R.map((_, r) => bleu * alike.self_bleu[r] + cosine * alike.cosine[r]);
      return {
        columns: {
          'reward/total': rewards_R.map((reward, r) => reward - cost[r]),
          'credit/earned': atLast(earned, mask, cost),
        },
        raw: alike,
      };
    },
  });
};

/** The credit less a cost on each row's last trained token. */
const atLast = (
  earned: PerToken<Float64Array>,
  mask: PerToken<Uint8Array>,
  cost_R: Float64Array,
): PerToken<Float64Array> => {
  const values = earned.values.slice();
  cost_R.forEach((cost, r) => {
    const at = rowOf(mask, r).lastIndexOf(1);
    if (at >= 0) values[mask.offsets[r] + at] -= cost;
  });
  return { ...earned, values };
};
