import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { designed } from '../kernel/design.ts';
import { greedyPolicy } from '../kernel/plan.ts';
import { improve } from '../kernel/q-learning.ts';
import { epsilonGreedy, filled } from '../kernel/tables.ts';

export const expRd = defineAgent({
  id: 'exp-rd',
  title: 'Explicable reward design',
  summary:
    'A teacher who knows the dynamics pays in a few states, where it tells good actions from bad ones most, ' +
    'without changing which policies are best; a Q-learner gets that reward.',
  cites: 'Devidze, Radanovic, Kamalaruban and Singla 2021 (ExpRD), states chosen greedily',
  params: {
    states: count(10, 'States in which the teacher may pay.'),
    horizon: count(5, 'Steps h over which a payment is to be told from none.', 1000),
    pay: positive(0.1, 'Payment of a state.'),
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random action.'),
  },
  open: (setting, { states: paying, horizon, pay, rate, epsilon }) => {
    const { states, actions, draw, model, discount } = setting;
    const extra = designed(model, { discount, states: paying, horizon, pay });
    const memory = { q: filled(states * actions), extra };
    return {
      memory,
      act: (state) => epsilonGreedy(memory.q, state, actions, epsilon, draw),
      learn: (step) => {
        const paid = step.reward + memory.extra[step.state * actions + step.action];
        improve(memory.q, setting, step, paid, rate);
      },
      policy: () => greedyPolicy(memory.q, actions),
      facts: () => ({ paying: memory.extra.filter((each) => each !== 0).length }),
    };
  },
});
