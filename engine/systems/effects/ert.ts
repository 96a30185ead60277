import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const overall: Measure = { of: 'share of right answers in all 4 rounds', better: 'lower' };
const last: Measure = { of: 'share of right answers in round 4', better: 'lower' };
const rounds: Measure = {
  of: 'share of right answers: ERT in round 4, against ERT in round 1',
  better: 'lower',
};
const diversity: Measure = { of: '1 − mean cosine within sets, all rounds', better: 'higher' };
const ofFailures: Measure = {
  of: '1 − mean cosine of the instructions without a right answer in round 4',
  better: 'higher',
};
const mended: Measure = { of: overall.of, better: 'higher' };

export const ert: SystemEffects = {
  system: 'ert',
  seeds: 5,
  budget: '60 tasks, 10 instructions each in each of 4 rounds; 600 updates of training',
  claims: [
    claim(
      'Plain rephrasing against the task’s own words: lower success',
      'the task’s own words',
      overall,
      '−.172 [−.199, −.144]',
      'yes',
    ),
    claim(
      'Found instructions against plain rephrasing: lower success',
      'plain rephrasing',
      overall,
      '−.604 [−.630, −.577]',
      'yes',
    ),
    claim(
      'Examples of failures against none: lower success',
      'a writer that sees no failures',
      last,
      '−.239 [−.273, −.205]',
      'yes',
    ),
    claim(
      'The last round against the first: lower success',
      'round 1',
      rounds,
      '−.245 [−.262, −.224]',
      'yes',
    ),
    claim(
      'Five sets against one: more diverse instructions',
      'one set, which is taken as it is',
      diversity,
      '+.078 [.070, .087]',
      'yes',
    ),
    claim(
      'Five sets against one: more diverse failures at the end',
      'one set, which is taken as it is',
      ofFailures,
      '+.060 [.054, .067]',
      'yes',
    ),
    claim(
      'Five sets against one: no more success',
      'one set, which is taken as it is',
      overall,
      '−.056 [−.067, −.047]',
      'yes',
    ),
    claim(
      'After training on the failures: higher success under instructions found anew',
      'the policy before that training',
      mended,
      '+.020 [.007, .033]',
      'yes',
    ),
    claim(
      'Training on these failures against those of plain rephrasing: higher success under instructions found anew',
      'training on the failures of plain rephrasing',
      mended,
      '+.014 [.000, .025]',
      'yes',
    ),
  ],
};
