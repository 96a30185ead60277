import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Rule } from '../../kernel/rule.ts';

/** Fewest held-out pairs on which chance can be told from skill. */
const fewestPairs = 50;

/** After training, held-out pairs are ranked no better than by chance, or than by their length. */
export const chanceOnPairs: Rule = {
  id: 'chance-on-pairs',
  title: 'No better than chance on held-out pairs',
  summary: 'Held-out pairs are ranked no better than by chance, or than by length alone.',
  source: '',
  reads: [],
  find(evidence) {
    const last = [...evidence.inspections, ...evidence.preferences].sort((a, b) => a.step - b.step).at(-1);
    if (!last || last.value.pairs < fewestPairs) return null;
    const { accuracy, accuracyInterval, baselines, pairs } = last.value;
    const byLength = Math.max(baselines.longest, baselines.shortest);
    const isChance = accuracyInterval[0] <= 0.5;
    if (!isChance && !(accuracyInterval[1] < byLength)) return null;
    const bound = isChance ? 0.5 : byLength;
    const rule = baselines.longest >= baselines.shortest ? 'longer' : 'shorter';
    return {
      severity: 'warning',
      text:
        `It ranks ${percent(accuracy)} of ${pairs} held-out pairs as labeled (95 % interval ` +
        `${percent(accuracyInterval[0])} to ${percent(accuracyInterval[1])}); ${
          isChance ? 'chance is 50 %' : `“the ${rule} answer wins” ranks ${percent(byLength)}`
        }.`,
      observed: quantity('held-out accuracy', accuracy, percent(accuracy)),
      expected: quantity(isChance ? 'chance' : `the ${rule} answer wins`, bound, `above ${percent(bound)}`),
      step: last.step,
      lastStep: last.step,
      metric: 'rewards/accuracies',
      remedies: [remedy.steps(Math.max(2, 2 * evidence.spec.budget.steps)), remedy.learningRate(evidence, 3)],
    };
  },
};
