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
      '+.058 [.047, .069]',
      'yes',
    ),
    claim(
      'The whole method against the start: right → wrong',
      'the start',
      damaged,
      '−.082 [−.096, −.068]',
      'yes',
    ),
    claim(
      'The whole method against the start: solved from the prompt',
      'the start',
      solved,
      '+.075 [.056, .094]',
      'yes',
    ),
    claim(
      'The whole method against no restarts: wrong → right',
      'no restarts',
      repaired,
      '+.062 [.032, .093]',
      'yes',
    ),
    claim(
      'The whole method against no restarts: right → wrong',
      'no restarts',
      damaged,
      '−.068 [−.108, −.039]',
      'yes',
    ),
    claim(
      'The whole method against no restarts: solved from the prompt',
      'no restarts',
      solved,
      '−.056 [−.077, −.034]',
      'opposite',
    ),
    claim(
      'The whole method against no bonus and no cost: wrong → right',
      'no bonus and no cost',
      repaired,
      '+.014 [−.003, .033]',
      'no',
    ),
    claim(
      'The whole method against no bonus and no cost: right → wrong',
      'no bonus and no cost',
      damaged,
      '−.020 [−.055, .017]',
      'no',
    ),
    claim(
      'The whole method against no bonus and no cost: solved from the prompt',
      'no bonus and no cost',
      solved,
      '−.012 [−.039, .017]',
      'no',
    ),
    claim(
      'The whole method against no judge: wrong → right',
      'no judge',
      repaired,
      '−.005 [−.029, .011]',
      'no',
    ),
    claim(
      'The whole method against no judge: right → wrong',
      'no judge',
      damaged,
      '+.022 [.005, .039]',
      'opposite',
    ),
    claim(
      'The whole method against no judge: solved from the prompt',
      'no judge',
      solved,
      '−.009 [−.037, .014]',
      'no',
    ),
  ],
};
