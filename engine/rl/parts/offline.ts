/** Learning from stored answers of mixed quality. */
import {
  exp,
  maximum,
  minimum,
  mul,
  neg,
  scalar,
  stopGradient,
  sub,
  sum as total,
  square,
} from '../../tensor/index.ts';
import type { PerToken } from '../kernel/columns.ts';
import { objective } from '../kernel/objective.ts';
import { maskedSums, ragged, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { dot } from './sums.ts';

/**
 * Marks poor answers by the end token in front of everything, and lets them weigh less (arXiv:2309.11235,
 * class-conditioned fine-tuning). Good ones stay as they are, so that the model is asked for good answers in
 * the usual way. A marked row that would be too long loses its last token.
 */
export const markPoor = ({ threshold, poor }: { readonly threshold: number; readonly poor: number }) =>
  stage({
    id: `markPoor(${threshold}, ${poor})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total'],
    adds: ['tokens', 'mask', 'weight'],
    run: async ({ tokens, mask, weight, 'reward/total': rewards_R }, { text }) => {
      const isPoor = rewards_R.map((reward) => Number(reward < threshold));
      const marked = (row: ArrayLike<number>, r: number, mark: number) =>
        isPoor[r] ? [mark, ...Array.from(row)].slice(0, text.context) : row;
      const rows = Array.from(weight, (_, r) => r);
      return {
        columns: {
          tokens: ragged(
            rows.map((r) => marked(rowOf(tokens, r), r, text.end)),
            Int32Array,
          ),
          mask: ragged(
            rows.map((r) => marked(rowOf(mask, r), r, 0)),
            Uint8Array,
          ),
          weight: weight.map((w, r) => w * (isPoor[r] ? poor : 1)),
        },
      };
    },
  });

/** The first answer token of each row: what a critic says there is the value of the prompt. */
const firstOf = (mask: PerToken<Uint8Array>, values_R: ArrayLike<number>): PerToken<Float64Array> => {
  const values = new Float64Array(mask.values.length);
  for (let r = 0; r < mask.offsets.length - 1; r++) {
    const at = rowOf(mask, r).indexOf(1);
    if (at >= 0) values[mask.offsets[r] + at] = values_R[r];
  }
  return { axis: 'T', values, offsets: mask.offsets };
};

/**
 * A critic of prompts: mean of (value − reward)² where the answer begins (arXiv:2305.14718, the value of the
 * reference policy).
 */
export const promptValueError = objective({
  id: 'promptValueError',
  needs: ['tokens', 'mask', 'weight', 'reward/total'],
  prepare: ({ mask, weight, 'reward/total': rewards_R }) => {
    const rows = weight.reduce((a, b) => a + b, 0);
    return {
      w: firstOf(
        mask,
        weight.map((x) => x / rows),
      ),
      target: firstOf(mask, rewards_R),
    };
  },
  loss: ({ tokens, w, target }, learner) => ({ loss: dot(w, square(sub(learner.values(tokens), target))) }),
});

/**
 * Advantage of a stored answer over what its prompt is worth to the critic; answers that are no better are
 * dropped (arXiv:2305.14718, positive advantages).
 */
export const positiveAdvantage = stage({
  id: 'positiveAdvantage',
  needs: ['tokens', 'mask', 'reward/total', 'model/critic'],
  adds: ['row/advantage'],
  run: async ({ tokens, mask, 'reward/total': rewards_R, 'model/critic': critic }) => {
    const values = await critic.values(tokens);
    const first = firstOf(mask, new Float64Array(rewards_R.length).fill(1));
    const worth = maskedSums(values, { ...mask, values: Uint8Array.from(first.values) });
    const advantage = rewards_R.map((reward, r) => reward - worth[r]);
    const from_R = Uint32Array.from([...advantage.keys()].filter((r) => advantage[r] > 0));
    return { columns: { 'row/advantage': Float64Array.from(from_R, (r) => advantage[r]) }, from_R };
  },
});

/**
 * Advantage-weighted likelihood of whole answers with an importance weight: −A · clip(π ⁄ π_ref, 1 − ε, 1 +
 * ε) · log π, the weight without gradient (arXiv:2305.14718, the A-LoL gradient with clipped weights); the
 * mean over rows of sums over tokens.
 */
export const weighedAnswers = ({ clip }: { readonly clip: number }) =>
  objective({
    id: `weighedAnswers(${clip})`,
    needs: ['tokens', 'mask', 'weight', 'row/advantage', 'logp/initial'],
    prepare: ({ mask, weight, 'row/advantage': advantage, 'logp/initial': reference }) => {
      const rows = Math.max(
        weight.reduce((a, b) => a + b, 0),
        Number.MIN_VALUE,
      );
      return {
        w: weight.map((x, r) => (x * advantage[r]) / rows),
        answer: { ...mask, values: Float32Array.from(mask.values) },
        before: maskedSums(reference, mask),
      };
    },
    loss: ({ tokens, w, answer, before }, learner) => {
      const own = total(mul(answer, learner.logp(tokens)), [1]);
      const ratio = stopGradient(
        minimum(maximum(exp(minimum(sub(own, before), scalar(20))), scalar(1 - clip)), scalar(1 + clip)),
      );
      return { loss: neg(dot(w, mul(ratio, own))) };
    },
  });
