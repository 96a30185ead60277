import { defineAgent, positive, share } from '../kernel/agent.ts';
import { greedyPolicy } from '../kernel/plan.ts';
import { epsilonGreedy, filled, greedyAction, largest } from '../kernel/tables.ts';

export const streamQ = defineAgent({
  id: 'stream-q',
  title: 'Stream Q(λ)',
  summary:
    'Q(λ) from single steps, without a memory of them, whose step size is cut wherever it would overshoot its ' +
    'own target.',
  cites:
    'Elsayed, Vasan and Mahmood 2024 (arXiv:2410.14606), algorithm of overshooting-bounded gradient descent',
  params: {
    rate: positive(1, 'Step size α, before it is cut.'),
    kappa: positive(
      2,
      'Bound κ: the effective step is at most 1/κ of the way; 0 is not allowed, less is bolder.',
    ),
    lambda: share(0.8, 'Decay λ of traces.'),
    epsilon: share(0.1, 'Chance of a random action.'),
  },
  open: ({ states, actions, discount, draw }, { rate, kappa, lambda, epsilon }) => {
    const memory = { q: filled(states * actions), traces: filled(states * actions) };
    return {
      memory,
      act: (state) => epsilonGreedy(memory.q, state, actions, epsilon, draw),
      learn: ({ state, action, reward, next, isTerminal, isLast }) => {
        const { q, traces } = memory;
        const pair = state * actions + action;
        // Watkins’ traces: what an exploring action leads to says nothing of greedy ones before it
        const isGreedy = q[pair] === largest(q, state, actions);
        const ahead = isTerminal ? 0 : discount * q[next * actions + greedyAction(q, next, actions)];
        const error = reward + ahead - q[pair];
        let norm = 0;
        for (let k = 0; k < traces.length; k++) {
          traces[k] = (isGreedy ? discount * lambda * traces[k] : 0) + (k === pair ? 1 : 0);
          norm += Math.abs(traces[k]);
        }
        const overshoot = rate * kappa * Math.max(Math.abs(error), 1) * norm;
        const step = rate / Math.max(1, overshoot);
        for (let k = 0; k < traces.length; k++) if (traces[k] !== 0) q[k] += step * error * traces[k];
        if (isLast) traces.fill(0);
      },
      policy: () => greedyPolicy(memory.q, actions),
    };
  },
});
