import type { PerToken } from '../../kernel/columns.ts';
import { ragged, rowCount, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Token rewards from the initial model: σ(log p(token | prompt for a good answer) − log p(token | prompt for
 * a bad one)) − ½, in `credit/contrast` (arXiv:2412.02685, contrastive prompting). Tokens beyond the model's
 * context get 0.
 */
export const contrastPrompts = ({ good, bad }: { readonly good: string; readonly bad: string }) =>
  stage({
    id: 'contrastPrompts',
    station: 'credit',
    needs: ['problem', 'tokens', 'mask', 'model/initial'],
    adds: ['credit/contrast'],
    run: async ({ problem, tokens, mask, 'model/initial': initial }, { text }) => {
      const rows = rowCount(tokens);
      const answers = Array.from({ length: rows }, (_, r) =>
        rowOf(tokens, r).filter((_token, t) => rowOf(mask, r)[t] === 1),
      );
      const logpGiven = async (instruction: string): Promise<ArrayLike<number>[]> => {
        const heads = problem.map(({ prompt }) => text.prompt(instruction + prompt));
        const logp = await initial.logp(
          ragged(heads, Int32Array, (head, r) => [...head, ...answers[r]].slice(0, text.context)),
        );
        return heads.map((head, r) => rowOf(logp, r).subarray(head.length));
      };
      const [better, worse] = [await logpGiven(good), await logpGiven(bad)];
      const values = new Float64Array(tokens.values.length);
      for (let r = 0; r < rows; r++) {
        for (let t = tokens.offsets[r], a = 0; t < tokens.offsets[r + 1]; t++) {
          if (!mask.values[t]) continue;
          if (a < Math.min(better[r].length, worse[r].length))
            values[t] = 1 / (1 + Math.exp(worse[r][a] - better[r][a])) - 0.5;
          a++;
        }
      }
      return {
        columns: {
          'credit/contrast': { axis: 'T', values, offsets: tokens.offsets } satisfies PerToken<Float64Array>,
        },
      };
    },
  });
