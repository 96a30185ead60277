import { count, defineAgent, share } from '../kernel/agent.ts';
import { filed, newArchive, pickedCell } from '../kernel/archive.ts';
import { copyOf, followed, newBackward, placeOf, type Backward, type Way } from '../kernel/backward.ts';
import { greedyPolicy } from '../kernel/plan.ts';
import { improve } from '../kernel/q-learning.ts';
import { epsilonGreedy, filled } from '../kernel/tables.ts';

export const goExplore = defineAgent({
  id: 'go-explore',
  title: 'Go-Explore',
  summary:
    'Archives the best way to each state, restores the world to a rarely chosen one and explores from there; ' +
    'then learns a policy backwards along the best way.',
  cites: 'Ecoffet et al. 2019 (arXiv:1901.10995)',
  params: {
    explore: count(10, 'Random steps after a return.'),
    robustify: share(0.5, 'Share of the steps, at the end, in which a policy learns along the best way.'),
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random action while the policy learns.'),
  },
  open: (setting, { explore, robustify, rate, epsilon }) => {
    const { states, actions, steps, draw, model } = setting;
    const memory = {
      ...{ q: filled(states * actions), archive: newArchive<Way>(), best: newArchive<Way>(), step: 0 },
      ...{ way: { places: [], earned: [] } as Way, left: explore, backward: null as Backward | null },
    };
    filed(memory.archive, model.start, 0, 0, () => copyOf(memory.way));
    return {
      memory,
      act: (state) =>
        memory.backward ? epsilonGreedy(memory.q, state, actions, epsilon, draw) : draw.int(actions),
      learn: ({ snapshot, ...step }) => {
        const { way, backward } = memory;
        memory.step++;
        improve(memory.q, setting, step, step.reward, rate);
        if (backward) return followed(backward, step.reward, step.isLast);
        memory.left--;
        const score = (way.earned.at(-1) ?? 0) + step.reward;
        if (step.isLast) return void filed(memory.best, 0, score, way.places.length, () => copyOf(way));
        way.places.push(snapshot());
        way.earned.push(score);
        filed(memory.archive, step.next, score, way.places.length, () => copyOf(way));
      },
      returnTo: () => {
        const [best] = memory.best.cells;
        if (!memory.backward && best && memory.step >= (1 - robustify) * steps)
          memory.backward = newBackward(best.entry, best.score);
        if (memory.backward) return placeOf(memory.backward);
        memory.way = copyOf(pickedCell(memory.archive, draw).entry);
        memory.left = explore;
        return memory.way.places.at(-1) ?? null;
      },
      givesUp: () => !memory.backward && memory.left <= 0,
      policy: () => greedyPolicy(memory.q, actions),
      facts: () => ({ cells: memory.archive.cells.length }),
    };
  },
});
