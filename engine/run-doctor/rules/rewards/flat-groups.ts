import { mean } from '../../../evaluate/index.ts';
import { expectedFlatShare } from '../../kernel/flat-share.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Evidence, type Rule } from '../../kernel/rule.ts';

/** Share of groups without signal, and pass rate from which they show a task that is nearly solved. */
const most = 0.5;
const solved = 0.8;
/** Excess over the expectation that comes from prompts of unequal difficulty. */
const excess = 0.15;

/** A step whose groups were all wrong, for the answers behind the finding. */
const stuck = (evidence: Evidence) =>
  evidence.groups.findLast(
    ({ answers }) => answers.length > 1 && answers.every(({ scores }) => scores.verifier === 0),
  );

/**
 * Groups whose rewards are all equal have no advantage, so the batch shrinks. The share is compared with
 * p^G + (1 − p)^G at the batch's pass rate p.
 */
export const flatGroups: Rule = {
  id: 'flat-groups',
  title: 'Groups without signal',
  summary: 'Most groups have equal rewards, compared with p^G + (1 − p)^G at their pass rate.',
  source: 'Zero-variance groups: dynamic sampling of DAPO (arXiv:2503.14476, section 3.2)',
  reads: ['frac_reward_zero_std', 'reward/verifier'],
  find(evidence) {
    const curve = evidence.curve('frac_reward_zero_std');
    const { last } = curve;
    if (!last || !(last.mean > most)) return null;
    const right = evidence.curve('reward/verifier').points.filter(({ step }) => step >= last.from);
    const rates = right.map(({ value }) => Math.min(1, Math.max(0, value)));
    const rate = rates.length > 0 ? mean(rates) : Number.NaN;
    if (rate >= solved) return null;
    const groupSize = evidence.param('groupSize') ?? evidence.groups[0]?.answers.length ?? 1;
    if (groupSize < 2) return null;
    // other rewards than verdicts are never equal by chance
    const isVerdict = rates.length > 0 && !evidence.trainsOnProxy;
    const expected = isVerdict ? expectedFlatShare(rates, groupSize) : 0;
    const group = stuck(evidence);
    const why =
      last.mean > expected + excess
        ? `that is more than the ${percent(expected)} of prompts of one difficulty, so many prompts are far too ` +
          'easy or too hard for the policy.'
        : `groups of ${groupSize} at this pass rate are mostly equal by chance.`;
    return {
      severity: 'warning',
      text:
        `In ${percent(last.mean)} of the groups of the last steps all rewards are equal, and nothing is learned ` +
        `from them${isVerdict ? `, at a pass rate of ${percent(rate)}` : ''}; ${why}`,
      observed: quantity('share of groups with equal rewards', last.mean, percent(last.mean)),
      expected: quantity(
        isVerdict ? 'p^G + (1 − p)^G' : 'equal rewards by chance',
        expected,
        percent(expected),
      ),
      step: curve.since((value) => value > most),
      lastStep: last.to,
      metric: 'frac_reward_zero_std',
      answers: { purpose: 'train', step: group?.step ?? null, promptId: group?.promptId ?? null },
      remedies: [
        ...remedy.param(
          evidence,
          'groupSize',
          Math.min(256, 2 * groupSize),
          `Groups of ${Math.min(256, 2 * groupSize)}`,
        ),
        ...remedy.param(evidence, 'dropFlat', true, 'Leave such groups out'),
        remedy.change('Sample at temperature 1.2', 'sampling.temperature', 1.2),
      ],
    };
  },
};
