import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const rightPlaces = 'mean share of right places in the last of 4 rounds of 3 answers, or of 12 plain answers';
const fewer: Measure = { of: rightPlaces, better: 'lower' };
const more: Measure = { of: rightPlaces, better: 'higher' };
const gain: Measure = {
  of: 'mean share of right places in the last round, less that of plain answers',
  better: 'higher',
};
const least: Measure = {
  of: 'least difference of the mean share of right places between successive rounds',
  better: 'higher',
};
const best: Measure = {
  of: 'share of right places of the best of 12 answers, of 4 rounds or plain',
  better: 'higher',
};

export const evoscale: SystemEffects = {
  system: 'evoscale',
  seeds: 5,
  budget: '250 updates of SFT, 400 of mutation SFT, 250 of RL; 12 answers a problem',
  claims: [
    claim(
      'Classical SFT, shown its attempts, does not improve: it gets worse',
      'its plain answers',
      fewer,
      '−.697 [−.717, −.682]',
      'yes',
    ),
    claim(
      'Mutation SFT improves over its plain answers with a selector',
      'its plain answers',
      more,
      '+.009 [−.004, .022]',
      'no',
    ),
    claim(
      'Mutation SFT does better with a selector than without',
      'no selector',
      more,
      '+.097 [.071, .122]',
      'yes',
    ),
    claim(
      'After RL the rounds improve on plain answers without a selector',
      'its plain answers',
      more,
      '+.015 [−.004, .033]',
      'no',
    ),
    claim(
      'Without a selector the rounds gain more after RL than after mutation SFT',
      'mutation SFT',
      gain,
      '+.103 [.073, .133]',
      'yes',
    ),
    claim(
      'After RL the mean falls less from one round to the next than after mutation SFT',
      'mutation SFT',
      least,
      '+.029 [.013, .049]',
      'yes',
    ),
    claim(
      'What it improves on are the attempts: those of another problem do not help',
      'another problem’s attempts',
      more,
      '+.681 [.659, .703]',
      'yes',
    ),
    claim(
      'Rounds after RL find more than best-of-n of classical SFT at equal samples',
      'classical SFT',
      best,
      '−.007 [−.013, .000]',
      'no',
    ),
    claim(
      'Rounds after RL find more than best-of-n of the same policy at equal samples',
      'the same policy',
      best,
      '+.001 [−.007, .010]',
      'no',
    ),
  ],
};
