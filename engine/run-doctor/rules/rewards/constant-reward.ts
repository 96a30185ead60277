import { fewest } from '../../kernel/curve.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Rule } from '../../kernel/rule.ts';

/** Share of steps whose rewards do not vary at all. */
const most = 0.9;

/** Every answer gets the same reward from the beginning: there is nothing to learn from. */
export const constantReward: Rule = {
  id: 'constant-reward',
  title: 'The reward never varies',
  summary: 'All answers of nearly every batch have the same reward, and it is not that of a solved task.',
  source: '',
  reads: ['reward/std', 'reward/mean', 'reward/verifier'],
  find(evidence) {
    const curve = evidence.curve('reward/std');
    // the rewards of stored answers are as they are; sampled ones can be made to differ
    if (curve.points.length < fewest || evidence.answers.length === 0) return null;
    const flat = curve.points.filter(({ value }) => value < 1e-9);
    const share = flat.length / curve.points.length;
    const value = evidence.curve('reward/mean').last?.mean ?? Number.NaN;
    const right = evidence.curve('reward/verifier').last?.mean;
    // a reward that varied at first has been learned; a verifier's rewards that are all 1 are a solved task
    if (!(share > most) || !(curve.first && curve.first.mean < 1e-9) || (right !== undefined && right > 0.99))
      return null;
    return {
      severity: 'severe',
      text: `All answers had the reward ${short(value)} on ${percent(share)} of the steps. ${
        value === 0
          ? 'No answer is ever right: the task is too hard for this model, or the verifier does not read its answers.'
          : 'Read some answers with their scores: the scorer does not tell them apart.'
      }`,
      observed: quantity('steps with equal rewards', share, percent(share)),
      expected: quantity('steps with equal rewards', most, `at most ${percent(most)}`),
      step: flat[0].step,
      lastStep: flat[flat.length - 1].step,
      metric: 'reward/std',
      answers: { purpose: 'train', step: null, promptId: null },
      remedies: [
        remedy.longerAnswers(evidence),
        ...remedy.param(evidence, 'groupSize', 32, 'Groups of 32'),
        remedy.change('Sample at temperature 1.2', 'sampling.temperature', 1.2),
      ],
    };
  },
};
