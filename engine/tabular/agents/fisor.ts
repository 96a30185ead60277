import { defineAgent, positive, share } from '../kernel/agent.ts';
import { estimated } from '../kernel/counts.ts';
import { hazardsOf, violations, worstAhead } from '../kernel/hazards.ts';
import { countsOf } from '../kernel/log-model.ts';
import { fromLog, logParams } from '../kernel/logged.ts';
import { greedyPolicy, occupancy, valueIteration } from '../kernel/plan.ts';

export const fisor = defineAgent({
  id: 'fisor',
  title: 'FISOR',
  summary:
    'From a log with hazards, the states from which a violation can be avoided: most reward within these, and least ' +
    'violation outside.',
  cites:
    'Safe Offline Reinforcement Learning with Feasibility-Guided Diffusion Model, with counts and tables',
  params: {
    ...logParams,
    hazards: share(
      0.1,
      'Share of states that are hazards, drawn so that a safe way to a reward remains.',
      0.5,
    ),
    guided: share(1, 'Below ½ violations are charged for in place of being ruled out.'),
    charge: positive(0.01, 'Charge for a step in a hazard, where violations are charged for.'),
  },
  open: (setting, { hazards: part, guided, charge, ...params }) => {
    const { states, actions, discount, draw, model, limit } = setting;
    const hazards = hazardsOf(model, part, draw);
    const isHazard = new Set(hazards);
    return fromLog(
      setting,
      params,
      (log) => {
        const counts = countsOf(setting, log);
        const isLogged = (pair: number) => counts.taken[pair] > 0;
        const seen = estimated(counts, setting, () => -1e3);
        if (guided < 0.5) {
          const cost = (pair: number) => (isHazard.has(Math.floor(pair / actions)) ? -charge : 0);
          const { q } = valueIteration(
            estimated(counts, setting, () => -1e3, cost),
            discount,
          );
          return { q, feasible: states };
        }
        const worst = worstAhead(seen, isLogged, hazards, discount);
        const least = Array.from({ length: states }, (_, state) =>
          Math.min(...worst.slice(state * actions, (state + 1) * actions)),
        );
        // feasible actions in feasible states, elsewhere the least violation
        const isAllowed = (pair: number) => worst[pair] <= Math.max(0, least[Math.floor(pair / actions)]);
        const outcomes = seen.outcomes.map((row, pair) =>
          isLogged(pair) && isAllowed(pair) ? row : [{ chance: 1, next: -1, reward: -1e3 }],
        );
        const { q } = valueIteration({ ...seen, outcomes }, discount);
        return { q, feasible: least.filter((each) => each <= 0).length };
      },
      ({ q }) => greedyPolicy(q, actions),
      ({ q, feasible }) => ({
        feasible,
        violations: violations(occupancy(model, greedyPolicy(q, actions), 1, limit), actions, hazards),
      }),
    );
  },
});
