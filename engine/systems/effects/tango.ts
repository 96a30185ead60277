import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const accuracy: Measure = {
  of: 'mean accuracy of the 40 answers of each of the policy’s first 60 updates',
  better: 'higher',
};
const gain: Measure = {
  of: 'mean accuracy of the 40 answers of each of the policy’s first 60 updates, less that of GRPO',
  better: 'higher',
};
const passAt1: Measure = {
  of: 'pass@1 on 200 held-out problems after 88 updates, 60 of them the policy’s in Tango',
  better: 'higher',
};
const firstErrors: Measure = { of: 'F1 of the first wrong line in 400 worked answers', better: 'higher' };

export const tango: SystemEffects = {
  system: 'tango',
  seeds: 5,
  budget: '60 updates of the policy, 28 of its verifier',
  claims: [
    claim(
      'Tango against GRPO: more accurate at equal updates of the policy, over chains of 4 and 8 lines',
      'GRPO',
      accuracy,
      '+.059 [.014, .099]',
      'yes',
    ),
    claim(
      'Tango against GRPO: the same with chains of 8 lines',
      'GRPO',
      accuracy,
      '+.099 [.010, .173]',
      'yes',
    ),
    claim(
      'Tango against GRPO: the gain is larger with 8 lines than with 4',
      'chains of 4 lines',
      gain,
      '+.078 [−.004, .146]',
      'no',
    ),
    claim(
      'Tango against GRPO with the verifier’s updates as well: more accurate in the end, 8 lines',
      'GRPO',
      passAt1,
      '−.009 [−.019, −.001]',
      'opposite',
    ),
    claim(
      'The co-trained verifier against supervised training on as many outcomes: finds the first error',
      'supervised training',
      firstErrors,
      '+.420 [.318, .494]',
      'yes',
    ),
    claim(
      'The co-trained verifier against itself before: finds the first error more often',
      'the verifier before',
      firstErrors,
      '−.005 [−.014, .000]',
      'no',
    ),
  ],
};
