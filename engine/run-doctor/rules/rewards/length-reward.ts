import { pearson } from '../../../evaluate/index.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Evidence, type Rule } from '../../kernel/rule.ts';

/** Correlation of a trained-on score with answer length within prompts, and fewest answers. */
const most = 0.7;
const fewestAnswers = 100;

/** Deviations from the mean of the answer's own group, so that prompts of other lengths do not count. */
const within = (evidence: Evidence, scorer: string) =>
  evidence.groups.flatMap(({ answers }) => {
    const known = answers.filter(({ scores }) => Number.isFinite(scores[scorer]));
    if (known.length < 2) return [];
    const score = known.reduce((sum, { scores }) => sum + scores[scorer], 0) / known.length;
    const length = known.reduce((sum, { tokens }) => sum + tokens, 0) / known.length;
    return known.map((each) => ({ score: each.scores[scorer] - score, length: each.tokens - length }));
  });

/** A scorer's value is mostly the answer's length. */
export const lengthReward: Rule = {
  id: 'length-reward',
  title: 'The reward follows length',
  summary: 'Within a prompt, a scorer’s value correlates strongly with the length of the answer.',
  source: 'Singhal et al. 2023, a long way to go: length correlations in RLHF (arXiv:2310.03716)',
  reads: [],
  find(evidence) {
    const scorers = evidence.spec.rewards.filter(
      ({ id, weight }) => weight > 0 && !/verifier|length/.test(id),
    );
    for (const { id, params } of scorers) {
      const pairs = within(evidence, id);
      if (pairs.length < fewestAnswers) continue;
      const r = pearson(
        pairs.map(({ length }) => length),
        pairs.map(({ score }) => score),
      );
      if (!(Math.abs(r) > most)) continue;
      const at = evidence.spec.rewards.findIndex((each) => each.id === id);
      const last = evidence.answers[evidence.answers.length - 1].step;
      return {
        severity: 'warning',
        text:
          `Among answers to the same prompt, length explains ${percent(r * r)} of the variance of ${id} ` +
          `(correlation ${short(r)}): ${r > 0 ? 'longer' : 'shorter'} answers are the shortest way to reward.`,
        observed: quantity('correlation with length', r, short(r)),
        expected: quantity('correlation with length', most, `at most ${short(most)} in size`),
        step: evidence.answers[0].step,
        lastStep: last,
        metric: 'completions/mean_length',
        answers: { purpose: 'train', step: last, promptId: null },
        remedies: [
          ...(id === 'reward-model' && params.debias !== true
            ? [remedy.change('Subtract the effect of length', `rewards.${at}.params.debias`, true)]
            : []),
          ...remedy.klWeight(evidence, 5),
          remedy.watch(evidence),
        ],
      };
    }
    return null;
  },
};
