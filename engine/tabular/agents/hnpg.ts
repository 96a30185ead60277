import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { counted, newCounts } from '../kernel/counts.ts';
import { fitCritic } from '../kernel/mixed-critic.ts';
import { greedyPolicy } from '../kernel/plan.ts';
import { drawn, filled, softmaxRow } from '../kernel/tables.ts';

export const hnpg = defineAgent({
  id: 'hnpg',
  title: 'HNPG',
  summary:
    'A natural policy gradient whose critic is fitted to returns of the current policy and, by TD, to a log, so ' +
    'that either may tell what the other does not.',
  cites: 'Zhou et al. 2023 (arXiv:2311.08384), on tables, where the natural step adds η·A to the logits',
  params: {
    logged: share(0.2, 'Share of the steps, at the beginning, that random behaviour logs.'),
    weight: share(0.5, 'Weight of the log’s errors in the fit; 0 is plain on-policy.'),
    episodes: count(5, 'Episodes of each update.'),
    eta: positive(10, 'Step of the natural gradient.'),
    sweeps: count(30, 'Sweeps of TD on the log for each update.'),
  },
  open: (setting, { logged, weight, episodes, eta, sweeps }) => {
    const { states, actions, discount, draw, steps } = setting;
    const memory = {
      ...{
        logits: filled(states * actions),
        log: newCounts(setting),
        step: 0,
        critic: filled(states * actions),
      },
      ...{ path: [] as (readonly [pair: number, reward: number])[], seen: 0 },
      ...{ returns: filled(states * actions), visits: filled(states * actions) },
    };
    const update = (): void => {
      const { critic } = memory;
      const values = fitCritic(memory, setting, { weight, sweeps });
      critic.forEach((q, pair) => (memory.logits[pair] += eta * (q - values[Math.floor(pair / actions)])));
      Object.assign(memory, { returns: filled(states * actions), visits: filled(states * actions), seen: 0 });
    };
    return {
      memory,
      act: (state) =>
        memory.step < logged * steps
          ? draw.int(actions)
          : drawn(softmaxRow(memory.logits, state, actions), draw),
      learn: (step) => {
        if (memory.step++ < logged * steps) return void counted(memory.log, actions, step);
        memory.path.push([step.state * actions + step.action, step.reward]);
        if (!step.isLast) return;
        let toGo = 0;
        for (const [pair, reward] of memory.path.reverse()) {
          toGo = reward + discount * toGo;
          memory.returns[pair] += toGo;
          memory.visits[pair]++;
        }
        memory.path = [];
        if (++memory.seen >= episodes) update();
      },
      policy: () => greedyPolicy(memory.logits, actions),
    };
  },
});
