import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const repaired: Measure = {
  of: 'share of right answers behind a wrong line and the mark, 100 problems, 4 answers each',
  better: 'higher',
};
const damaged: Measure = {
  of: 'share of wrong answers behind the right line and the mark, 100 problems, 4 answers each',
  better: 'lower',
};
const solved: Measure = { of: 'pass@1 on 100 problems, 4 answers each', better: 'higher' };

export const satori: SystemEffects = {
  system: 'satori',
  seeds: 5,
  budget: '480 updates of 64 answers',
  claims: [
    claim(
      'The whole method against the start: wrong → right',
      'the start',
      repaired,
      '+.063 [.047, .082]',
      'yes',
    ),
    claim(
      'The whole method against the start: right → wrong',
      'the start',
      damaged,
      '−.080 [−.095, −.062]',
      'yes',
    ),
    claim(
      'The whole method against the start: solved from the prompt',
      'the start',
      solved,
      '+.089 [.068, .107]',
      'yes',
    ),
    claim(
      'The whole method against no restarts: wrong → right',
      'no restarts',
      repaired,
      '+.058 [.048, .067]',
      'yes',
    ),
    claim(
      'The whole method against no restarts: right → wrong',
      'no restarts',
      damaged,
      '−.058 [−.078, −.042]',
      'yes',
    ),
    claim(
      'The whole method against no restarts: solved from the prompt',
      'no restarts',
      solved,
      '−.054 [−.078, −.039]',
      'opposite',
    ),
    claim(
      'The whole method against no bonus and no cost: wrong → right',
      'no bonus and no cost',
      repaired,
      '−.025 [−.044, −.006]',
      'opposite',
    ),
    claim(
      'The whole method against no bonus and no cost: right → wrong',
      'no bonus and no cost',
      damaged,
      '+.016 [.003, .030]',
      'opposite',
    ),
    claim(
      'The whole method against no bonus and no cost: solved from the prompt',
      'no bonus and no cost',
      solved,
      '+.004 [−.012, .021]',
      'no',
    ),
    claim(
      'The whole method against no judge: wrong → right',
      'no judge',
      repaired,
      '−.007 [−.019, .009]',
      'no',
    ),
    claim(
      'The whole method against no judge: right → wrong',
      'no judge',
      damaged,
      '+.033 [.017, .049]',
      'opposite',
    ),
    claim(
      'The whole method against no judge: solved from the prompt',
      'no judge',
      solved,
      '+.015 [.000, .031]',
      'yes',
    ),
  ],
};
