import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { estimated } from '../kernel/counts.ts';
import { distance, hilbert } from '../kernel/hilbert.ts';
import { countsOf } from '../kernel/log-model.ts';
import { fromLog, logParams } from '../kernel/logged.ts';
import { greedyPolicy, valueIteration } from '../kernel/plan.ts';
import { filled } from '../kernel/tables.ts';

export const hilp = defineAgent({
  id: 'hilp',
  title: 'HILP',
  summary:
    'From a log without rewards, a space whose distances are times to reach; then, for any goal, the policy for ' +
    'the direction towards it.',
  cites: 'Park, Kreiman and Levine 2024 (arXiv:2402.15567), with tables',
  params: {
    ...logParams,
    dims: count(16, 'Dimensions of the space.'),
    expectile: share(0.9, 'Expectile of the value, above ½.'),
    rate: positive(0.3, 'Step size.'),
    passes: count(60, 'Passes through the log.'),
    near: share(0.5, 'Discount of the policy for a direction.', 0.999),
  },
  open: (setting, { dims, expectile, rate, passes, near, ...params }) =>
    fromLog(
      setting,
      params,
      (log) => {
        const { states, actions, discount, draw } = setting;
        const phi = hilbert(log, { states, discount, dims, expectile, rate, passes }, draw);
        // the task is told last, as the state in which the log earned most
        const goal = log.reduce((best, step) => (step.reward > best.reward ? step : best)).next;
        const counts = countsOf(
          setting,
          log.map((step) => ({ ...step, isTerminal: false })),
        );
        const model = estimated(counts, setting, (pair) => (Math.floor(pair / actions) === goal ? 0 : -1e3));
        const seen = Array.from({ length: states }, (_, state) => state).filter((state) =>
          counts.taken.slice(state * actions, (state + 1) * actions).some((n) => n > 0),
        );
        const choice = filled(states);
        for (const from of seen) {
          const far = Math.max(distance(phi, from, goal, dims), 1e-9);
          const along = (state: number) => {
            let sum = 0;
            for (let k = 0; k < dims; k++)
              sum += (phi[state * dims + k] * (phi[goal * dims + k] - phi[from * dims + k])) / far;
            return sum;
          };
          const directed = {
            ...model,
            outcomes: model.outcomes.map((row, pair) =>
              row.map((each) =>
                each.next < 0
                  ? each
                  : { ...each, reward: along(each.next) - along(Math.floor(pair / actions)) },
              ),
            ),
          };
          choice[from] = greedyPolicy(valueIteration(directed, near, { tolerance: 0.01 }).q, actions)(
            from,
            0,
          );
        }
        return { phi, choice };
      },
      ({ choice }) =>
        (state) =>
          choice[state],
    ),
});
