/** Samples answers that continue a prefix of a worked one. */
import type { Answers, PerToken } from '../../kernel/columns.ts';
import { gather, lengthsOf, ragged, rowOf } from '../../kernel/rows.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';
import { sampleNumbers } from './sample-groups.ts';

/**
 * Length of the prefix, as a share of the worked answer: falls from `from` to `to` along half a cosine
 * (arXiv:2507.01679).
 */
export const shownShare = (
  { from, to }: { readonly from: number; readonly to: number },
  progress: number,
): number => to + (from - to) * 0.5 * (1 + Math.cos(Math.PI * progress));

interface Prefixes {
  readonly groupSize: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The prefix of each row: the last row of a group gets one from its prompt's worked answer, the others none.
 * Leaves at least one token of it to generate, and room for the longest answer.
 */
const shownPrefixes = (
  worked: PerToken<Int32Array>,
  { from_R, sizes_R }: { readonly from_R: Uint32Array; readonly sizes_R: ArrayLike<number> },
  { groupSize, ...schedule }: Prefixes,
  { text, progress }: Pick<StageContext, 'text' | 'progress'>,
): Int32Array[] =>
  Array.from(from_R, (p, r) => {
    if (r % groupSize < groupSize - 1) return new Int32Array();
    const whole = rowOf(worked, p);
    const room = text.context - text.maxTokens - sizes_R[r];
    const length = Math.floor(shownShare(schedule, progress) * whole.length);
    return whole.subarray(0, Math.max(0, Math.min(length, whole.length - 1, room)));
  });

/** Answers that include their prefixes, with the policy's own log-probabilities for these. */
const withShown = (
  answers: Answers,
  shown: readonly Int32Array[],
  own: PerToken,
  sizes_R: ArrayLike<number>,
): Pick<Answers, 'mask' | 'behaviorLogp'> => {
  const mask = { ...answers.mask, values: answers.mask.values.slice() };
  const behaviorLogp = { ...answers.behaviorLogp, values: answers.behaviorLogp.values.slice() };
  shown.forEach((prefix, r) => {
    const [start, end] = [0, prefix.length].map((at) => mask.offsets[r] + sizes_R[r] + at);
    mask.values.fill(1, start, end);
    behaviorLogp.values.set(own.values.subarray(start, end), start);
  });
  return { mask, behaviorLogp };
};

/**
 * Groups of `groupSize` answers, of which the last one continues a prefix of the worked answer. Prefix and
 * continuation are one answer; the prefix has the policy's own log-probability as its behaviour's, so that
 * its importance ratio starts at 1.
 */
export const sampleWithPrefix = (prefixes: Prefixes) =>
  stage({
    id: `sampleWithPrefix(${prefixes.groupSize}, ${prefixes.from}, ${prefixes.to})`,
    station: 'sampler',
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
      'row/given',
    ],
    run: async ({ promptId, problem, prompt, worked, 'model/policy': policy }, context) => {
      const { groupSize } = prefixes;
      const from_R = Uint32Array.from({ length: problem.length * groupSize }, (_, r) =>
        Math.floor(r / groupSize),
      );
      const sample = sampleNumbers(promptId, groupSize);
      const prompts = gather(prompt, from_R);
      const sizes_R = lengthsOf(prompts);
      const shown = shownPrefixes(worked, { from_R, sizes_R }, prefixes, context);
      const starts = ragged(shown, Int32Array, (prefix, r) => [...rowOf(prompts, r), ...prefix]);
      const answers = await context.sample(starts, gather(problem, from_R), sample);
      return {
        from_R,
        columns: {
          ...answers,
          ...withShown(answers, shown, await policy.logp(answers.tokens), sizes_R),
          completion: answers.completion.map((rest, r) => context.text.decode(shown[r]) + rest),
          groupId: Float64Array.from(from_R),
          sample,
          weight: new Float64Array(from_R.length).fill(1),
          'row/given': Float64Array.from(shown, (prefix) => prefix.length),
        },
      };
    },
  });
