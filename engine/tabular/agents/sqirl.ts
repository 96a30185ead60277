import { count, defineAgent, type Transition } from '../kernel/agent.ts';
import { counted } from '../kernel/counts.ts';
import { lookahead, newStage } from '../kernel/lookahead.ts';
import { leastLookahead } from '../kernel/plan.ts';
import { greedyAction } from '../kernel/tables.ts';

type Seen = Pick<Transition, 'state' | 'action' | 'reward' | 'next'>;

export const sqirl = defineAgent({
  id: 'sqirl',
  title: 'SQIRL',
  summary:
    'Values of random behaviour, a few steps of fitted Q-iteration on them, a greedy choice for one time step, ' +
    'then the next. It works where the effective horizon is short.',
  cites: 'Laidlaw et al. 2024 (arXiv:2312.08369), with averages as regression',
  params: {
    k: count(2, 'Steps of lookahead: 1 is greedy on the values of random behaviour.', 1000),
    episodes: count(25, 'Episodes for each time step.'),
  },
  open: (setting, { k, episodes }) => {
    const { states, actions, draw } = setting;
    const memory = { plan: [] as number[][], stage: newStage(setting, k), episode: [] as Seen[] };
    const endStage = (): void => {
      const q = lookahead(memory.stage, setting);
      memory.plan.push(Array.from({ length: states }, (_, state) => greedyAction(q, state, actions)));
      memory.stage = newStage(setting, k);
    };
    return {
      memory,
      act: (state, t) => memory.plan[t]?.[state] ?? draw.int(actions),
      learn: ({ state, action, reward, next, isLast }) => {
        const { stage, plan, episode } = memory;
        episode.push({ state, action, reward, next });
        if (!isLast) return;
        episode.slice(plan.length, plan.length + k).forEach((step, offset) => {
          const at = plan.length + offset;
          counted(stage.ahead[offset], actions, { ...step, isTerminal: at === episode.length - 1 });
          if (offset === k - 1)
            stage.toGo[step.state * actions + step.action] += episode
              .slice(at)
              .reduce((sum, each) => sum + each.reward, 0);
        });
        memory.episode = [];
        if (++stage.seen >= episodes && plan.length < setting.limit) endStage();
      },
      policy: () => (state, t) => memory.plan[t]?.[state] ?? 0,
      facts: () => ({ planned: memory.plan.length, needed: leastLookahead(setting.model, setting.limit) }),
    };
  },
});
