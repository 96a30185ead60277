import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const regret32: Measure = {
  of: 'pass@1 of the best reward alone after 10 budgets, less the mean pass@1 after a budget',
  better: 'lower',
};
const updates32: Measure = {
  of: 'updates handed out until a learner has 0.95 of the pass@1 of the best reward alone after 10 budgets (never: 320, all of them)',
  better: 'lower',
};
const regret125: Measure = {
  of: 'pass@1 of the best reward alone after 25 budgets, less the mean pass@1 after a budget',
  better: 'lower',
};
const updates125: Measure = {
  of: 'updates handed out until a learner has 0.95 of the pass@1 of the best reward alone after 25 budgets (never: 1,250, all of them)',
  better: 'lower',
};

export const orso: SystemEffects = {
  system: 'orso',
  seeds: 5,
  budget: '32 or 125 budgets of 10 updates over eight rewards',
  claims: [
    claim(
      'D3RB against all in turn, 32 budgets: less regret',
      'all in turn',
      regret32,
      '−.111 [−.134, −.097]',
      'yes',
    ),
    claim(
      'D3RB against all in turn, 32 budgets: fewer updates to the best reward’s score',
      'all in turn',
      updates32,
      '−46 [−78, −14]',
      'yes',
    ),
    claim(
      'D3RB against explore-then-commit, 32 budgets: less regret',
      'explore-then-commit',
      regret32,
      '+.030 [.018, .042]',
      'opposite',
    ),
    claim(
      'D3RB against explore-then-commit, 32 budgets: fewer updates to the best reward’s score',
      'explore-then-commit',
      updates32,
      '+40 [−2, 82]',
      'no',
    ),
    claim(
      'Exp3 against all in turn, 32 budgets: less regret',
      'all in turn',
      regret32,
      '−.003 [−.009, .002]',
      'no',
    ),
    claim(
      'Exp3 against all in turn, 32 budgets: fewer updates to the best reward’s score',
      'all in turn',
      updates32,
      '−20 [−44, −3]',
      'yes',
    ),
    claim(
      'Exp3 against explore-then-commit, 32 budgets: less regret',
      'explore-then-commit',
      regret32,
      '+.138 [.126, .149]',
      'opposite',
    ),
    claim(
      'Exp3 against explore-then-commit, 32 budgets: fewer updates to the best reward’s score',
      'explore-then-commit',
      updates32,
      '+66 [32, 93]',
      'opposite',
    ),
    claim(
      'D3RB against all in turn, 125 budgets: less regret',
      'all in turn',
      regret125,
      '−.304 [−.334, −.279]',
      'yes',
    ),
    claim(
      'D3RB against all in turn, 125 budgets: fewer updates to the best reward’s score',
      'all in turn',
      updates125,
      '−464 [−606, −322]',
      'yes',
    ),
    claim(
      'D3RB against explore-then-commit, 125 budgets: less regret',
      'explore-then-commit',
      regret125,
      '+.020 [−.022, .046]',
      'no',
    ),
    claim(
      'D3RB against explore-then-commit, 125 budgets: fewer updates to the best reward’s score',
      'explore-then-commit',
      updates125,
      '−26 [−322, 160]',
      'no',
    ),
    claim(
      'Exp3 against all in turn, 125 budgets: less regret',
      'all in turn',
      regret125,
      '−.075 [−.086, −.063]',
      'yes',
    ),
    claim(
      'Exp3 against all in turn, 125 budgets: fewer updates to the best reward’s score',
      'all in turn',
      updates125,
      '−166 [−232, −91]',
      'yes',
    ),
    claim(
      'Exp3 against explore-then-commit, 125 budgets: less regret',
      'explore-then-commit',
      regret125,
      '+.248 [.196, .293]',
      'opposite',
    ),
    claim(
      'Exp3 against explore-then-commit, 125 budgets: fewer updates to the best reward’s score',
      'explore-then-commit',
      updates125,
      '+272 [30, 489]',
      'opposite',
    ),
  ],
};
