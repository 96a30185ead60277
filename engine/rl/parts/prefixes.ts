/** Answers that continue the beginning of a worked one. */
import { gather, lengthsOf, ragged, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { sampleNumbers } from './samplers.ts';

/**
 * How long the shown beginning is, as a share of the worked answer: falls from `from` to `to` along half a
 * cosine (arXiv:2507.01679).
 */
export const shownShare = (
  { from, to }: { readonly from: number; readonly to: number },
  progress: number,
): number => to + (from - to) * 0.5 * (1 + Math.cos(Math.PI * progress));

/**
 * Groups of `size` answers, of which the last one continues a beginning of the worked answer. The whole of it
 * counts as the answer; what was shown has the policy's own log-probability as its behaviour's, so that its
 * ratio begins at 1. At least one token of the worked answer is left to write.
 */
export const sampleWithPrefix = ({
  size,
  from,
  to,
}: {
  readonly size: number;
  readonly from: number;
  readonly to: number;
}) =>
  stage({
    id: `sampleWithPrefix(${size}, ${from}, ${to})`,
    needs: ['promptId', 'problem', 'prompt', 'worked', 'model/policy'],
    adds: [
      'groupId',
      'sample',
      'weight',
      'tokens',
      'mask',
      'behaviorLogp',
      'completion',
      'ended',
      'row/shown',
    ],
    run: async (
      { promptId, problem, prompt, worked, 'model/policy': policy },
      { text, progress, ...loop },
    ) => {
      const from_R = Uint32Array.from({ length: problem.length * size }, (_, r) => Math.floor(r / size));
      const sample = sampleNumbers(promptId, size);
      const asked = gather(prompt, from_R);
      const sizes = lengthsOf(asked);
      const shown = Array.from(from_R, (p, r) => {
        if (r % size < size - 1) return new Int32Array();
        const whole = rowOf(worked, p);
        const room = text.context - text.maxTokens - sizes[r];
        return whole.subarray(
          0,
          Math.max(
            0,
            Math.min(Math.floor(shownShare({ from, to }, progress) * whole.length), whole.length - 1, room),
          ),
        );
      });
      const starts = ragged(
        shown.map((prefix, r) => [...rowOf(asked, r), ...prefix]),
        Int32Array,
      );
      const answers = await loop.sample(starts, gather(problem, from_R), sample);
      const own = await policy.logp(answers.tokens);
      const mask = { ...answers.mask, values: answers.mask.values.slice() };
      const behaviorLogp = { ...answers.behaviorLogp, values: answers.behaviorLogp.values.slice() };
      shown.forEach((prefix, r) => {
        const [start, end] = [0, prefix.length].map((at) => mask.offsets[r] + sizes[r] + at);
        mask.values.fill(1, start, end);
        behaviorLogp.values.set(own.values.subarray(start, end), start);
      });
      return {
        from_R,
        columns: {
          ...answers,
          mask,
          behaviorLogp,
          completion: answers.completion.map((rest, r) => text.decode(shown[r]) + rest),
          groupId: Float64Array.from(from_R),
          sample,
          weight: new Float64Array(from_R.length).fill(1),
          'row/shown': Float64Array.from(shown, (prefix) => prefix.length),
        },
      };
    },
  });

/**
 * Of the shown tokens, only the `share` that the policy is least sure of have credit: the others it would
 * write anyway (arXiv:2507.01679).
 */
export const onlyUncertainPrefix = ({ share }: { readonly share: number }) =>
  stage({
    id: `onlyUncertainPrefix(${share})`,
    needs: ['tokens', 'mask', 'advantage', 'row/shown', 'model/policy'],
    adds: ['advantage'],
    run: async ({ tokens, mask, advantage, 'row/shown': shown, 'model/policy': policy }) => {
      const entropy = await policy.entropy(tokens);
      const values = advantage.values.slice();
      shown.forEach((count, r) => {
        const start = mask.offsets[r] + rowOf(mask, r).indexOf(1);
        const places = Array.from({ length: count }, (_, t) => start + t).sort(
          (a, b) => entropy.values[b] - entropy.values[a] || a - b,
        );
        for (const at of places.slice(Math.ceil(share * count))) values[at] = 0;
      });
      return { columns: { advantage: { ...advantage, values } } };
    },
  });
