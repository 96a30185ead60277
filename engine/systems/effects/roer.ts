import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const returns: Measure = {
  of: 'mean return of 20 evaluations, the first half of which on logged steps alone',
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
  budget: '2,000 or 3,000 updates in control worlds, 80 of a language policy',
  claims: [
    claim(
      'Maze, from logged steps: a higher return than uniform replay',
      rules.uniform,
      returns,
      '+1.5 [.6, 2.6]',
      'yes',
    ),
    claim(
      'Maze, from logged steps: a higher return than prioritized replay',
      rules.prioritized,
      returns,
      '+1.3 [.6, 2.4]',
      'yes',
    ),
    claim(
      'Pendulum, from logged steps: a higher return than uniform replay',
      rules.uniform,
      returns,
      '−4.9 [−16.6, 7.5]',
      'no',
    ),
    claim(
      'Pendulum, from logged steps: a higher return than prioritized replay',
      rules.prioritized,
      returns,
      '−21.9 [−41.9, −.5]',
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
