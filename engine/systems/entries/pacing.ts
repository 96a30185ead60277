import { inCluster, expressible, works } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Controllers that pace data, budgets and temperatures. */
export const pacing = inCluster(null, [
  {
    id: 'sec',
    name: 'SEC (self-evolving curriculum)',
    paper: 'Self-Evolving Curriculum for LLM Reasoning',
    class: 'core',
    about: 'A bandit over categories of problems chooses those whose answers have the largest advantages.',
    state: works(
      { controller: 'sec' },
      'tests/engine/rl/controllers.test.ts',
      undefined,
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'sec' }] }),
    ),
  },
  {
    id: 'b-star',
    name: 'B-STaR',
    paper: 'B-STaR: Monitoring and Balancing Exploration and Exploitation in Self-Taught Reasoners',
    class: 'core',
    about: 'Chooses temperature and reward threshold by a score that balances exploring and exploiting.',
    state: works(
      { controller: 'b-star' },
      'tests/engine/rl/hints.test.ts',
      undefined,
      runOn('arithmetic', 'rest-em', {}, { controllers: [{ id: 'b-star' }] }),
    ),
  },
  {
    id: 'knapsack-rl',
    name: 'Knapsack RL',
    paper: 'Knapsack RL: Unlocking Exploration of LLMs via Optimizing Budget Allocation',
    class: 'core',
    about: 'Spends the budget of samples where one more is most likely to give a signal.',
    state: works(
      { controller: 'knapsack' },
      'tests/engine/rl/hints.test.ts',
      undefined,
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'knapsack' }] }),
    ),
  },
  {
    id: 'pcl',
    name: 'PCL',
    paper: 'Prompt Curriculum Learning for Efficient LLM Post-Training',
    class: 'core',
    about: 'Predicts success on each prompt, and asks those with an even chance.',
    state: works(
      { controller: 'pcl' },
      'tests/engine/rl/hints.test.ts',
      undefined,
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'pcl' }] }),
    ),
  },
  {
    id: 'ghpo',
    name: 'GHPO',
    paper: 'GHPO: Adaptive Guidance for Stable and Efficient LLM Reinforcement Learning',
    class: 'core',
    about: 'Adds part of the worked solution to prompts that every sample failed.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'ghpo' }] }),
      'A failed prompt gets its hint at its next visit, not at once.',
    ),
  },
  {
    id: 'seele',
    name: 'SEELE',
    paper:
      'Staying in the Sweet Spot: Responsive Reasoning Evolution via Capability-Adaptive Hint Scaffolding',
    class: 'core',
    about: 'Shows as much of the solution as gives an even chance, learned online.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'seele' }] }),
      'One slope for all prompts, and the tokens of the hint are not imitated.',
    ),
  },
  {
    id: 'ead',
    name: 'EAD',
    paper: 'Let it Calm: Exploratory Annealed Decoding for Verifiable Reinforcement Learning',
    class: 'core',
    about: 'Samples hot at the start of each answer and cool at its end.',
    state: works(
      { controller: 'ead' },
      'tests/engine/rl/annealing.test.ts',
      undefined,
      runOn('arithmetic', 'grpo', {}, { controllers: [{ id: 'ead' }] }),
    ),
  },
]);
