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
  budget: '480 updates of 64 answers in each round; a second round distils answers to 2,048 prompts as well',
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
    claim(
      'Two rounds against two without restarts: wrong → right',
      'two rounds without restarts',
      repaired,
      '+.009 [−.017, .030]',
      'no',
    ),
    claim(
      'Two rounds against two without restarts: right → wrong',
      'two rounds without restarts',
      damaged,
      '−.003 [−.022, .017]',
      'no',
    ),
    claim(
      'Two rounds against two without restarts: solved from the prompt',
      'two rounds without restarts',
      solved,
      '+.002 [−.009, .011]',
      'no',
    ),
    claim(
      'A second round against going on without the reset: wrong → right',
      'going on without the reset',
      repaired,
      '−.058 [−.076, −.038]',
      'opposite',
    ),
    claim(
      'A second round against going on without the reset: right → wrong',
      'going on without the reset',
      damaged,
      '+.074 [.056, .098]',
      'opposite',
    ),
    claim(
      'A second round against going on without the reset: solved from the prompt',
      'going on without the reset',
      solved,
      '+.047 [.018, .076]',
      'yes',
    ),
  ],
};
