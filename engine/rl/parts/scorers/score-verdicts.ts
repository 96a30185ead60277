import type { VerdictWords } from '../../kernel/recipe.ts';
import { groupsOf } from '../math/groups.ts';
import { verdictsOf } from '../math/written-verdicts.ts';
import { stage } from '../../kernel/stage.ts';

/** Counts of wrong and right answers, smoothed over batches. */
type Counts = readonly [wrong: number, right: number];

/** An exponential mean of counts; the first batch is its own mean. */
export const smoothed = (earlier: Counts | undefined, now: Counts, decay: number): Counts =>
  earlier ? ([0, 1].map((k) => decay * earlier[k] + (1 - decay) * now[k]) as unknown as Counts) : now;

/**
 * Weight of each row by its class: proportional to 1 ⁄ √count, with mean 1 over the rows. A class that was
 * never seen counts as one.
 */
export const classWeights = (truth_R: Float64Array, counts: Counts): Float64Array => {
  const raw = truth_R.map((truth) => 1 / Math.sqrt(Math.max(counts[truth ? 1 : 0], 1)));
  const sum = raw.reduce((a, b) => a + b, 0);
  return raw.map((weight) => (sum > 0 ? (weight * raw.length) / sum : 1));
};

/**
 * A verifier's reward: 1 if its final verdict agrees with the outcome, plus `format` if it gave one verdict
 * for each step and one for the whole (arXiv:2505.15034). The weights of the classes, right and wrong
 * answers, are kept from batch to batch; they multiply the rows' weights, since a factor on the reward of a
 * whole group would vanish in the division by its deviation.
 */
export const scoreVerdicts = ({
  right,
  wrong,
  format,
  decay,
}: Pick<VerdictWords, 'right' | 'wrong'> & { readonly format: number; readonly decay: number }) => {
  const id = `scoreVerdicts(${right}, ${wrong}, ${format}, ${decay})`;
  return stage({
    id,
    station: 'scorers',
    needs: ['groupId', 'weight', 'completion', 'row/truth', 'row/steps'],
    adds: ['reward/total', 'weight'],
    run: async ({ groupId, weight, completion, 'row/truth': truth, 'row/steps': steps }, { memory }) => {
      const judged = completion.map((text, r) => verdictsOf(text, { right, wrong }, steps[r] + 1));
      const agrees = Float64Array.from(judged, (verdicts, r) =>
        Number(verdicts !== null && verdicts[verdicts.length - 1] === (truth[r] === 1)),
      );
      const wellFormed = Float64Array.from(judged, (verdicts) => Number(verdicts !== null));
      const answers = groupsOf(groupId).map(([first]) => truth[first]);
      const seen = answers.reduce((a, b) => a + b, 0);
      const counts = smoothed(memory.get(id) as Counts | undefined, [answers.length - seen, seen], decay);
      memory.set(id, counts);
      const classes = classWeights(truth, counts);
      return {
        columns: {
          'reward/total': agrees.map((one, r) => one + format * wellFormed[r]),
          weight: weight.map((w, r) => w * classes[r]),
        },
        raw: { verdict: agrees, format: wellFormed },
      };
    },
  });
};
