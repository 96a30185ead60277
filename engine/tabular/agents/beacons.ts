import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { reachable } from '../kernel/model.ts';
import { greedyPolicy, occupancy, valueIteration } from '../kernel/plan.ts';
import { improve } from '../kernel/q-learning.ts';
import { epsilonGreedy, filled } from '../kernel/tables.ts';

export const beacons = defineAgent({
  id: 'beacons',
  title: 'Words as beacons',
  summary:
    'Subgoals in order, of which a share may be wrong, pay a bonus when they are reached; the learner sees the ' +
    'current one. A script lists them in place of a language model.',
  cites: 'Ruiz-Gonzalez et al. 2024 (arXiv:2410.08632), subgoals by a script',
  params: {
    subgoals: count(4, 'Subgoals, evenly along the way.'),
    wrong: share(0, 'Share of subgoals that are any state instead.'),
    bonus: positive(0.2, 'Reward for reaching the current subgoal.'),
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random action.'),
  },
  open: (setting, { subgoals, wrong, bonus, rate, epsilon }) => {
    const { states, actions, draw, model, discount, limit } = setting;
    const { q: best } = valueIteration(model, discount);
    const visits = occupancy(model, greedyPolicy(best, actions), discount, limit);
    const chance = (state: number) => Math.max(...visits.slice(state * actions, (state + 1) * actions));
    // states on the best way, in the order of their discounted visits
    const way = reachable(model)
      .filter((state) => chance(state) > 0 && state !== model.start)
      .toSorted((a, b) => chance(b) - chance(a));
    const every = reachable(model);
    const list = Array.from({ length: Math.min(subgoals, way.length) }, (_, at) =>
      draw.next() < wrong ? draw.pick(every) : way[Math.ceil(((at + 1) * way.length) / subgoals) - 1],
    );
    // [(subgoals + 1) × states × actions]: the current subgoal is part of what is observed
    const memory = { q: filled((list.length + 1) * states * actions), list, current: 0 };
    const seen = (state: number, current: number) => current * states + state;
    return {
      memory,
      act: (state) => epsilonGreedy(memory.q, seen(state, memory.current), actions, epsilon, draw),
      learn: ({ snapshot: _, ...step }) => {
        const before = memory.current;
        const isReached = !step.isTerminal && step.next === memory.list[before];
        if (isReached) memory.current++;
        const observed = { ...step, state: seen(step.state, before), next: seen(step.next, memory.current) };
        improve(memory.q, setting, observed, step.reward + (isReached ? bonus : 0), rate);
        if (step.isLast) memory.current = 0;
      },
      policy: () => {
        let current = 0;
        return (state, t) => {
          if (t === 0) current = 0;
          if (state === memory.list[current] && t > 0) current++;
          return greedyPolicy(memory.q, actions)(seen(state, current), t);
        };
      },
    };
  },
});
