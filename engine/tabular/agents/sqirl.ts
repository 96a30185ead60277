import { count, defineAgent } from '../kernel/agent.ts';
import { counted, newCounts, type Counts } from '../kernel/counts.ts';
import { leastLookahead } from '../kernel/plan.ts';
import { filled } from '../kernel/tables.ts';

interface Seen {
  readonly state: number;
  readonly action: number;
  readonly reward: number;
  readonly next: number;
}

export const sqirl = defineAgent({
  id: 'sqirl',
  title: 'SQIRL',
  summary:
    'Values of random behaviour, a few steps of fitted Q-iteration on them, a greedy choice for one time step, ' +
    'then the next. It works where the effective horizon is short.',
  cites: 'Laidlaw et al. 2024 (arXiv:2312.08369), with averages as regression',
  params: {
    k: count(2, 'Steps of lookahead: 1 is greedy on the values of random behaviour.'),
    episodes: count(25, 'Episodes for each time step.'),
  },
  open: (setting, { k, episodes }) => {
    const { states, actions, draw } = setting;
    const fresh = () => ({
      ...{
        seen: 0,
        toGo: filled(states * actions),
        ahead: Array.from({ length: k }, () => newCounts(setting)),
      },
    });
    const memory = { plan: [] as number[][], stage: fresh(), episode: [] as Seen[] };
    /** Mean of r + V(s′) over what was seen; −1e300 for an action that was not. */
    const means = ({ taken, rewards, nexts }: Counts, values: readonly number[]): number[] =>
      taken.map((n, pair) => {
        if (n === 0) return -1e300;
        return (
          nexts[pair].reduce(
            (sum, [next, times]) => sum + (next < 0 ? 0 : times * values[next]),
            rewards[pair],
          ) / n
        );
      });
    const bestOf = (q: readonly number[], state: number) => q.slice(state * actions, (state + 1) * actions);
    const endStage = (): void => {
      const { ahead, toGo } = memory.stage;
      // the last of the k steps: what random behaviour earned from there on
      let q = toGo.map((sum, pair) =>
        ahead[k - 1].taken[pair] === 0 ? -1e300 : sum / ahead[k - 1].taken[pair],
      );
      for (let step = k - 2; step >= 0; step--) {
        const values = Array.from({ length: states }, (_, state) =>
          Math.max(0 * state - 1e300, ...bestOf(q, state)),
        );
        q = means(
          ahead[step],
          values.map((value) => (value === -1e300 ? 0 : value)),
        );
      }
      memory.plan.push(
        Array.from({ length: states }, (_, state) => {
          const row = bestOf(q, state);
          return row.indexOf(Math.max(...row));
        }),
      );
      memory.stage = fresh();
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
