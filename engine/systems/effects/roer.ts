import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const returns: Measure = {
  of: 'mean return of 8 evaluations, the first half of which on logged steps alone',
  better: 'higher',
};
const reward: Measure = {
  of: 'gold reward of held-out answers, the mean of four evaluations',
  better: 'higher',
};

const rules = { uniform: 'uniform replay', prioritized: 'prioritized replay' };
const weights = { unweighted: 'unweighted answers', truncated: 'weights truncated, and nothing else' };

export const roer: SystemEffects = {
  system: 'roer',
  seeds: 5,
  budget: '4,000 or 3,000 updates in control worlds, 80 of a language policy',
  claims: [
    claim(
      'Maze, from logged steps: a higher return than uniform replay',
      rules.uniform,
      returns,
      '−.029 [−.123, .035]',
      'no',
    ),
    claim(
      'Maze, from logged steps: a higher return than prioritized replay',
      rules.prioritized,
      returns,
      '+.013 [.000, .036]',
      'no',
    ),
    claim(
      'Pendulum, from logged steps: a higher return than uniform replay',
      rules.uniform,
      returns,
      '−44.7 [−87.5, −8.3]',
      'opposite',
    ),
    claim(
      'Pendulum, from logged steps: a higher return than prioritized replay',
      rules.prioritized,
      returns,
      '−75.3 [−123.4, −28.7]',
      'opposite',
    ),
    claim(
      'Answers up to 1 batches old: a higher reward than with unweighted weights',
      weights.unweighted,
      reward,
      '+.019 [.009, .031]',
      'yes',
    ),
    claim(
      'Answers up to 1 batches old: a higher reward than with truncated weights',
      weights.truncated,
      reward,
      '−.003 [−.012, .011]',
      'no',
    ),
    claim(
      'Answers up to 4 batches old: a higher reward than with unweighted weights',
      weights.unweighted,
      reward,
      '+.046 [.013, .077]',
      'yes',
    ),
    claim(
      'Answers up to 4 batches old: a higher reward than with truncated weights',
      weights.truncated,
      reward,
      '+.001 [−.007, .016]',
      'no',
    ),
    claim(
      'Answers up to 16 batches old: a higher reward than with unweighted weights',
      weights.unweighted,
      reward,
      '+.044 [.015, .072]',
      'yes',
    ),
    claim(
      'Answers up to 16 batches old: a higher reward than with truncated weights',
      weights.truncated,
      reward,
      '+.010 [−.001, .019]',
      'no',
    ),
  ],
};
