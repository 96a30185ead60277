import { add, mul, neg, scalar, sigmoid, stopGradient, sub, sum as total } from '../../tensor/index.ts';
import type { PerToken } from '../kernel/columns.ts';
import { objective } from '../kernel/objective.ts';
import { maskedSums, ragged, rowCount, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { pairWeights, sideOf } from './pairing.ts';
import { dot } from './sums.ts';

/**
 * Rewards that the initial model gives each token of an answer: σ(log p(token | asked for a good answer) −
 * log p(token | asked for a bad one)) − ½, in `credit/contrast` (arXiv:2412.02685, contrastive prompting).
 * Tokens beyond the model's context get 0.
 */
export const contrastPrompts = ({ good, bad }: { readonly good: string; readonly bad: string }) =>
  stage({
    id: 'contrastPrompts',
    needs: ['problem', 'tokens', 'mask', 'model/initial'],
    adds: ['credit/contrast'],
    run: async ({ problem, tokens, mask, 'model/initial': initial }, { text }) => {
      const rows = rowCount(tokens);
      const answers = Array.from({ length: rows }, (_, r) =>
        rowOf(tokens, r).filter((_token, t) => rowOf(mask, r)[t] === 1),
      );
      const asked = async (instruction: string): Promise<ArrayLike<number>[]> => {
        const heads = problem.map(({ prompt }) => text.prompt(instruction + prompt));
        const logp = await initial.logp(
          ragged(
            heads.map((head, r) => [...head, ...answers[r]].slice(0, text.context)),
            Int32Array,
          ),
        );
        return heads.map((head, r) => rowOf(logp, r).subarray(head.length));
      };
      const [better, worse] = [await asked(good), await asked(bad)];
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

/**
 * Pulls the reward that a policy implies for each token, β · log(π ⁄ π_ref), along the token's own reward,
 * over both answers of a pair. A pair counts as much as in DPO's gradient, σ(−margin): what is linear in the
 * log-ratio rests once the pair is learned.
 */
export const contrastRewards = ({ beta }: { readonly beta: number }) =>
  objective({
    id: `contrastRewards(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'pairId', 'credit/contrast', 'logp/initial'],
    unit: 2,
    prepare: ({ mask, weight, 'credit/contrast': reward, 'logp/initial': reference }) => ({
      w: pairWeights(weight),
      answer: { ...mask, values: Float32Array.from(mask.values) },
      before: maskedSums(reference, mask),
      reward: { ...reward, values: reward.values.map((r, t) => (mask.values[t] ? r : 0)) },
      rewarded: maskedSums({ ...mask, values: reward.values.map((r, t) => r * reference.values[t]) }, mask),
    }),
    loss: ({ tokens, answer, before, reward, rewarded, w }, learner) => {
      const logp = learner.logp(tokens);
      const gained_R = mul(sub(total(mul(answer, logp), [1]), before), scalar(beta));
      const along_R = mul(sub(total(mul(reward, logp), [1]), rewarded), scalar(beta));
      const unlearned = sigmoid(stopGradient(sub(sideOf(gained_R, 1), sideOf(gained_R, 0))));
      const each = mul(sideOf(w, 0), unlearned);
      return { loss: neg(dot(each, add(sideOf(along_R, 0), sideOf(along_R, 1)))) };
    },
  });
