import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { counted, estimated, newCounts } from '../kernel/counts.ts';
import { heuristicOf } from '../kernel/design.ts';
import { blendGradient, softPolicy } from '../kernel/soft.ts';
import { filled, greedyAction } from '../kernel/tables.ts';

export const barfi = defineAgent({
  id: 'barfi',
  title: 'BARFI',
  summary:
    'Blends the reward with a heuristic and a correction; the weights follow the implicit gradient of what the ' +
    'blend’s best policy earns of the reward itself.',
  cites: 'Gupta et al. 2023 (arXiv:2310.19007), with soft values for the inner problem',
  params: {
    misleading: share(1, 'Share of states where the heuristic pays for the worst action, else for the best.'),
    size: positive(0.02, 'What the heuristic pays.'),
    explore: share(0.5, 'Chance of a random action while it learns.'),
    step: positive(2, 'Step of the outer gradient.'),
    temperature: positive(0.2, 'Of the inner, soft policy.'),
    inner: count(60, 'Terms of the Neumann series, and sweeps of the inner problem.'),
    learned: share(1, '0 keeps the plain sum of reward and heuristic.'),
  },
  open: (setting, { misleading, size, explore, step, temperature, inner, learned }) => {
    const { states, actions, discount, draw, model } = setting;
    const memory = {
      ...{ counts: newCounts(setting), q: filled(states * actions), isStale: true },
      ...{ pays: heuristicOf(model, discount, misleading, size, draw) },
      ...{ primary: 1, auxiliary: 1, correction: filled(states * actions) },
    };
    const improve = (): void => {
      const seen = estimated(memory.counts, setting, () => 0);
      const rewards = memory.counts.rewards.map((sum, pair) => sum / Math.max(1, memory.counts.taken[pair]));
      const blend = () =>
        rewards.map(
          (reward, pair) =>
            memory.primary * reward + memory.auxiliary * memory.pays[pair] + memory.correction[pair],
        );
      const soft = { discount, temperature, sweeps: inner };
      const gradient = blendGradient(seen, blend(), soft);
      const along = (of: readonly number[]) => gradient.reduce((sum, each, pair) => sum + each * of[pair], 0);
      memory.primary += learned * step * along(rewards);
      memory.auxiliary += learned * step * along(memory.pays);
      gradient.forEach((each, pair) => (memory.correction[pair] += learned * step * each));
      memory.q = softPolicy(seen, blend(), soft).q;
      memory.isStale = false;
    };
    return {
      memory,
      act: (state, t) => {
        if (t === 0 && memory.isStale) improve();
        return draw.next() < explore ? draw.int(actions) : greedyAction(memory.q, state, actions, draw);
      },
      learn: (transition) => {
        if (counted(memory.counts, actions, transition)) memory.isStale = true;
      },
      policy: () => (state) => greedyAction(memory.q, state, actions),
      facts: () => ({ primary: memory.primary, auxiliary: memory.auxiliary }),
    };
  },
});
