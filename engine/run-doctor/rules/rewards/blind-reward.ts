import { isVerifier, verifierAmong } from '../../../common/verifiers.ts';
import { auc } from '../../../evaluate/index.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Evidence, type Rule } from '../../kernel/rule.ts';

/** Agreement below which a reward tells right from wrong answers hardly better than chance, and least sizes. */
const least = 0.55;
const fewestOfEach = 30;

const scorersOf = ({ spec }: Evidence): string[] => [
  ...new Set(spec.rewards.filter(({ id, weight }) => weight > 0 && !isVerifier(id)).map(({ id }) => id)),
];

/** The trained-on reward ranks right above wrong answers no better than chance. */
export const blindReward: Rule = {
  id: 'blind-reward',
  title: 'The reward disagrees with the verifier',
  summary: 'A scorer ranks right above wrong answers no better than chance (area under the ROC curve).',
  source: 'Hanley and McNeil 1982: the area under the ROC curve',
  reads: [],
  find(evidence) {
    const gold = verifierAmong(Object.keys(evidence.answers.at(0)?.scores ?? {}));
    if (gold === null) return null;
    for (const scorer of scorersOf(evidence)) {
      const both = evidence.answers.filter(
        ({ scores }) => Number.isFinite(scores[gold]) && Number.isFinite(scores[scorer]),
      );
      const isRight = both.map(({ scores }) => scores[gold] > 0.5);
      const right = isRight.filter(Boolean).length;
      if (right < fewestOfEach || both.length - right < fewestOfEach) continue;
      const area = auc(
        both.map(({ scores }) => scores[scorer]),
        isRight,
      );
      if (!(area < least)) continue;
      return {
        severity: 'severe',
        text:
          `${scorer} puts a right answer above a wrong one in ${percent(area)} of cases (${right} right and ` +
          `${both.length - right} wrong training answers): what it rewards has little to do with being right.`,
        observed: quantity('area under the ROC curve', area, short(area)),
        expected: quantity('area under the ROC curve', least, `at least ${short(least)}; chance is 0.5`),
        step: both[0].step,
        lastStep: both[both.length - 1].step,
        metric: `reward/${scorer}`,
        answers: { purpose: 'train', step: both[both.length - 1].step, promptId: null },
        remedies: [
          ...remedy.klWeight(evidence, 10, 0.1),
          ...remedy.rewardWeight(evidence, scorer, 0.1),
          remedy.watch(evidence),
        ],
      };
    }
    return null;
  },
};
