import { defineAgent, share } from '../kernel/agent.ts';
import { greedyPolicy } from '../kernel/plan.ts';
import { improve } from '../kernel/q-learning.ts';
import { epsilonGreedy, filled } from '../kernel/tables.ts';

/** The baseline that the others are compared with. */
export const qLearning = defineAgent({
  id: 'q-learning',
  title: 'Q-learning',
  summary: 'One-step Q-learning with random actions now and then: the baseline.',
  cites: 'Watkins and Dayan 1992',
  params: {
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random action.'),
  },
  open: (setting, { rate, epsilon }) => {
    const { states, actions, draw } = setting;
    const memory = { q: filled(states * actions) };
    return {
      memory,
      act: (state) => epsilonGreedy(memory.q, state, actions, epsilon, draw),
      learn: (step) => void improve(memory.q, setting, step, step.reward, rate),
      policy: () => greedyPolicy(memory.q, actions),
    };
  },
});
