import { defineAgent, positive } from '../kernel/agent.ts';
import { counted, countBonus, estimated, newCounts } from '../kernel/counts.ts';
import { greedyPolicy, valueIteration } from '../kernel/plan.ts';
import { drawn, filled, softmaxRow } from '../kernel/tables.ts';

export const optimalAc = defineAgent({
  id: 'optimal-ac',
  title: 'Optimistic actor and critic',
  summary:
    'An optimistic critic of the best policy, refitted only when a count has doubled; the actor climbs it by ' +
    'mirror descent and begins anew at each switch.',
  cites: 'Tan, Fan and Wei 2025 (arXiv:2505.03710), with bonuses of counts in place of function classes',
  params: {
    bonus: positive(0.01, 'Optimism: this over √n is added to the mean reward.'),
    eta: positive(200, 'Step of mirror descent on the logits, per episode.'),
    top: positive(1, 'Largest return: the value of what was never tried.'),
  },
  open: (setting, { bonus, eta, top }) => {
    const { states, actions, discount, draw } = setting;
    const memory = {
      ...{ counts: newCounts(setting), values: filled(states), critic: filled(states * actions, top) },
      ...{ logits: filled(states * actions), isStale: true, switches: 0 },
    };
    const refit = (): void => {
      const { taken } = memory.counts;
      const optimistic = estimated(
        memory.counts,
        setting,
        () => top,
        (pair) => bonus * countBonus(taken[pair]),
      );
      const { values, q: critic } = valueIteration(optimistic, discount, {
        ...{ tolerance: 1e-3, from: memory.values, most: top },
      });
      Object.assign(memory, { values, critic });
      memory.logits = filled(states * actions);
      memory.isStale = false;
      memory.switches++;
    };
    return {
      memory,
      act: (state, t) => {
        if (t === 0) {
          if (memory.isStale) refit();
          memory.critic.forEach((value, pair) => (memory.logits[pair] += eta * value));
        }
        return drawn(softmaxRow(memory.logits, state, actions), draw);
      },
      learn: (step) => {
        if (counted(memory.counts, actions, step)) memory.isStale = true;
      },
      policy: () => greedyPolicy(memory.logits, actions),
      facts: () => ({ switches: memory.switches }),
    };
  },
});
