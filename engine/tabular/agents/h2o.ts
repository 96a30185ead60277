import { defineAgent, positive, share } from '../kernel/agent.ts';
import { estimated } from '../kernel/counts.ts';
import { countsOf } from '../kernel/log-model.ts';
import { fromLog, logParams } from '../kernel/logged.ts';
import { faulty, type Model } from '../kernel/model.ts';
import { greedyPolicy, valueIteration } from '../kernel/plan.ts';

export const h2o = defineAgent({
  id: 'h2o',
  title: 'H2O',
  summary:
    'Learns from a log of the world and from a simulator that is wrong in places: simulated steps count less, and ' +
    'are worth less, the less the log agrees with them.',
  cites: 'Niu et al. 2022 (arXiv:2206.13464), with counts in place of the discriminators',
  params: {
    ...logParams,
    wrong: share(0.2, 'Share of pairs whose simulated result is that of another pair.'),
    penalty: positive(1, 'Weight of the gap of dynamics, subtracted from the value of a simulated pair.'),
    trust: positive(1, 'Logged steps that weigh as much as the simulator.'),
  },
  open: (setting, { wrong, penalty, trust, ...params }) => {
    const { actions, discount, draw, model } = setting;
    const simulator = faulty(model, wrong, draw);
    return fromLog(
      setting,
      params,
      (log) => {
        const counts = countsOf(setting, log);
        const real = estimated(counts, setting, () => 0);
        // chance that a result of the log is one that the simulator gives: 1 − total variation
        const agreement = counts.nexts.map((nexts, pair) =>
          nexts.reduce((sum, [next, times]) => {
            const simulated = simulator.outcomes[pair].reduce(
              (all, each) => all + (each.next === next ? each.chance : 0),
              0,
            );
            return sum + Math.min(simulated, times / counts.taken[pair]);
          }, 0),
        );
        const mixed: Model = {
          ...model,
          outcomes: simulator.outcomes.map((row, pair) => {
            const n = counts.taken[pair];
            if (n === 0) return row;
            const weight = agreement[pair] / (agreement[pair] + n / trust);
            const charged = row.map((each) => ({
              ...{ next: each.next, chance: each.chance * weight },
              reward: each.reward - penalty * (1 - agreement[pair]),
            }));
            return [
              ...charged,
              ...real.outcomes[pair].map((each) => ({ ...each, chance: each.chance * (1 - weight) })),
            ];
          }),
        };
        const { q } = valueIteration(mixed, discount);
        return { q, gap: agreement.filter((each, pair) => counts.taken[pair] > 0 && each < 0.5).length };
      },
      ({ q }) => greedyPolicy(q, actions),
      ({ gap }) => ({ disagreements: gap }),
    );
  },
});
