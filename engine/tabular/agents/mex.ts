import { count, defineAgent, positive } from '../kernel/agent.ts';
import { counted, estimated, newCounts } from '../kernel/counts.ts';
import { raised } from '../kernel/model.ts';
import { greedyPolicy, occupancy, valueIteration } from '../kernel/plan.ts';
import { filled, greedyAction } from '../kernel/tables.ts';

/**
 * A hypothesis gives each pair a chance p of an unseen end with the largest return. Its loss is the negative
 * log-likelihood of the data, −n·log(1 − p). With discounted occupancy d and the value Q of what was seen,
 * d·(p·top + (1 − p)·Q) + ηn·log(1 − p) is largest at p = 1 − ηn/(d·(top − Q)), or at 0. Policy and hypothesis take turns,
 * and the pair with the largest V(s₁) − η·L is followed.
 */
export const mex = defineAgent({
  id: 'mex',
  title: 'MEX',
  summary:
    'Acts greedily on the hypothesis that maximises one objective: the value that it promises, less its misfit ' +
    'with the data.',
  cites: 'Liu et al. 2023 (arXiv:2305.18258), the model-based form, on tables',
  params: {
    eta: positive(0.2, 'Weight η of the misfit; the smaller, the more optimistic.'),
    top: positive(1, 'Largest return of an episode.'),
    rounds: count(3, 'Turns of improving the policy and the hypothesis.'),
  },
  open: (setting, { eta, top, rounds }) => {
    const { states, actions, discount, limit, draw, model } = setting;
    const memory = {
      ...{ counts: newCounts(setting), values: filled(states), q: filled(states * actions, top) },
      ...{ isStale: true, objective: top },
    };
    const plan = (): void => {
      const { taken } = memory.counts;
      const seen = estimated(memory.counts, setting, () => 0);
      let [occupied, q] = [filled(states * actions, 1), filled(states * actions)];
      memory.objective = -Infinity;
      for (let round = 0; round < rounds; round++) {
        const p = taken.map((n, at) =>
          n === 0 ? 1 : Math.max(0, 1 - (eta * n) / (occupied[at] * Math.max(0, top - q[at]))),
        );
        const hypothesis = raised(seen, p, top);
        const planned = valueIteration(hypothesis, discount, { tolerance: 1e-3, from: memory.values });
        const loss = taken.reduce((sum, n, at) => sum - (n === 0 ? 0 : n * Math.log(1 - p[at])), 0);
        const objective = planned.values[model.start] - eta * loss;
        if (objective > memory.objective)
          Object.assign(memory, { objective, values: planned.values, q: planned.q });
        occupied = occupancy(hypothesis, greedyPolicy(planned.q, actions), discount, limit);
        q = planned.q.map((value, at) => (p[at] < 1 ? (value - p[at] * top) / (1 - p[at]) : 0));
      }
      memory.isStale = false;
    };
    return {
      memory,
      act: (state, t) => {
        if (t === 0 && memory.isStale) plan();
        return greedyAction(memory.q, state, actions, draw);
      },
      learn: (step) => {
        if (counted(memory.counts, actions, step)) memory.isStale = true;
      },
      policy: () =>
        greedyPolicy(
          valueIteration(
            estimated(memory.counts, setting, () => 0),
            discount,
          ).q,
          actions,
        ),
      facts: () => ({ objective: memory.objective }),
    };
  },
});
