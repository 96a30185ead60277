import * as z from 'zod';
import { count, defineAgent, positive } from '../kernel/agent.ts';
import { dualValue } from '../kernel/dual.ts';
import { countsOf } from '../kernel/log-model.ts';
import { fromLog, logParams } from '../kernel/logged.ts';
import { backup, greedyPolicy } from '../kernel/plan.ts';
import { estimated } from '../kernel/counts.ts';
import { filled } from '../kernel/tables.ts';

export const fDvl = defineAgent({
  id: 'f-dvl',
  title: 'f-DVL',
  summary:
    'Values of a log by the dual of a χ²-regularised problem, an implicit maximum over logged actions; the policy ' +
    'imitates logged actions by their advantage.',
  cites: 'Sikchi, Zheng, Zhang and Niekum 2023 (arXiv:2302.08560), equation of f-DVL',
  params: {
    ...logParams,
    lambda: z
      .number()
      .gt(0.5)
      .max(0.999)
      .default(0.9)
      .describe('λ, above ½: the nearer to 1, the nearer to the maximum.'),
    beta: positive(0.001, 'Scale of advantages.'),
    sweeps: count(300, 'Turns of improving V and Q.'),
  },
  open: (setting, { lambda, beta, sweeps, ...params }) =>
    fromLog(
      setting,
      params,
      (log) => {
        const { states, actions, discount } = setting;
        const counts = countsOf(setting, log);
        const model = estimated(counts, setting, () => 0);
        const values = filled(states);
        const q = filled(states * actions);
        const taken = Array.from({ length: states }, (_, state) =>
          Array.from({ length: actions }, (__, action) => state * actions + action).filter(
            (pair) => counts.taken[pair] > 0,
          ),
        );
        for (let sweep = 0; sweep < sweeps; sweep++)
          taken.forEach((pairs, state) => {
            if (pairs.length === 0) return;
            for (const pair of pairs) q[pair] = backup(model, values, pair, discount);
            values[state] = dualValue(
              pairs.map((pair) => q[pair]),
              pairs.map((pair) => counts.taken[pair]),
              lambda,
              beta,
            );
          });
        // log of the weight that a logged action is imitated with: count × exp(advantage/β)
        return counts.taken.map((n, pair) =>
          n === 0 ? -1e300 : Math.log(n) + (q[pair] - values[Math.floor(pair / actions)]) / beta,
        );
      },
      (weights) => greedyPolicy(weights, setting.actions),
    ),
});
