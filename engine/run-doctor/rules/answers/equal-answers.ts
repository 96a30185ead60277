import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Evidence, type Rule } from '../../kernel/rule.ts';

/** Share of unsolved groups whose answers are all the same, and fewest such groups. */
const most = 0.5;
const fewestGroups = 10;

/** Groups of the last three examined steps with an answer that is not right. */
const unsolved = ({ groups }: Evidence) => {
  const steps = [...new Set(groups.map(({ step }) => step))].slice(-3);
  return groups.filter(
    ({ step, answers }) =>
      steps.includes(step) && answers.length > 1 && answers.some(({ scores }) => scores.verifier <= 0.5),
  );
};

/** Sampling gives the same answer again and again where it is not right: nothing better can be found. */
export const equalAnswers: Rule = {
  id: 'equal-answers',
  title: 'Answers of a group are equal',
  summary: 'Most groups that are not solved have only one distinct answer.',
  source: '',
  reads: ['entropy'],
  find(evidence) {
    const groups = unsolved(evidence);
    if (groups.length < fewestGroups) return null;
    const equal = groups.filter(({ answers }) => new Set(answers.map((each) => each.completion)).size === 1);
    const share = equal.length / groups.length;
    if (!(share > most)) return null;
    const group = equal[equal.length - 1];
    const { temperature } = evidence.spec.sampling;
    return {
      severity: 'warning',
      text:
        `In ${percent(share)} of the groups that are not solved all ${group.answers.length} answers are the same ` +
        'text: more samples of these prompts find nothing new.',
      observed: quantity('unsolved groups with one answer', share, percent(share)),
      expected: quantity('unsolved groups with one answer', most, `at most ${percent(most)}`),
      step: equal[0].step,
      lastStep: group.step,
      metric: evidence.curve('entropy').isLong ? 'entropy' : null,
      answers: { purpose: 'train', step: group.step, promptId: group.promptId },
      remedies: [
        remedy.change(
          `Sample at temperature ${temperature < 1 ? 1 : 1.2}`,
          'sampling.temperature',
          temperature < 1 ? 1 : 1.2,
        ),
        ...remedy.param(evidence, 'entropyWeight', 0.02, 'Entropy bonus 0.02'),
        ...remedy.klWeight(evidence, 3, 0.02),
      ],
    };
  },
};
