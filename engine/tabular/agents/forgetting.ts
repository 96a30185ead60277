import { count, defineAgent, share } from '../kernel/agent.ts';
import { counted, newCounts } from '../kernel/counts.ts';
import { hazardsOf } from '../kernel/hazards.ts';
import { improve } from '../kernel/q-learning.ts';
import { filled, greedyAction } from '../kernel/tables.ts';

export const forgetting = defineAgent({
  id: 'forgetting',
  title: 'Optimistic forgetting',
  summary:
    'Labels the states before a violation unsafe, and keeps out of them. Labels of states that were no hazard ' +
    'themselves are forgotten after a while, so that the safe set can grow.',
  cites: 'Safe Reinforcement Learning with Minimal Supervision, with labels of states in place of a network',
  params: {
    logged: share(
      0.1,
      'Share of the steps, at the beginning, of random behaviour that gives the first labels.',
    ),
    hazards: share(
      0.1,
      'Share of states that are hazards, drawn so that a safe way to a reward remains.',
      0.5,
    ),
    blame: count(3, 'States before a violation that are labelled with it.'),
    keep: count(10, 'Episodes after which the label of a state that was no hazard is forgotten.'),
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random one of the actions that are held safe.'),
  },
  open: (setting, { logged, hazards: part, blame, keep, rate, epsilon }) => {
    const { states, actions, draw, steps, model } = setting;
    const memory = {
      ...{ q: filled(states * actions), counts: newCounts(setting), hazards: hazardsOf(model, part, draw) },
      // [states]: episode of the last label, −1 for none; a hazard that was entered is told for good
      ...{ labelled: filled(states, -1), entered: filled(states), path: [] as number[] },
      ...{ step: 0, episode: 0, violations: 0, gaveUp: false },
    };
    const isUnsafe = (state: number): boolean =>
      memory.entered[state] === 1 ||
      (memory.labelled[state] >= 0 && memory.episode - memory.labelled[state] <= keep);
    /** Actions that are not known to lead to an unsafe state; all, if that leaves none. */
    const held = (state: number): number[] => {
      const every = Array.from({ length: actions }, (_, action) => action);
      const safe = every.filter(
        (action) =>
          !memory.counts.nexts[state * actions + action].some(([next]) => next >= 0 && isUnsafe(next)),
      );
      return safe.length > 0 ? safe : every;
    };
    const isLogging = () => memory.step < logged * steps;
    const best = (state: number, among: readonly number[], isRandom: boolean): number => {
      const row = filled(actions, -Infinity);
      for (const action of among) row[action] = memory.q[state * actions + action];
      return greedyAction(row, 0, actions, isRandom ? draw : undefined);
    };
    const violate = (at: number): void => {
      if (!isLogging()) memory.violations++;
      memory.entered[at] = 1;
      for (const state of memory.path.slice(-blame)) memory.labelled[state] = memory.episode;
      memory.gaveUp = true;
    };
    return {
      memory,
      act: (state) => {
        if (isLogging()) return draw.int(actions);
        const among = held(state);
        return draw.next() < epsilon ? draw.pick(among) : best(state, among, true);
      },
      learn: ({ snapshot: _, ...step }) => {
        counted(memory.counts, actions, step);
        improve(memory.q, setting, step, step.reward, rate);
        if (memory.path.at(-1) !== step.state) memory.path.push(step.state);
        memory.gaveUp = false;
        if (!step.isTerminal && memory.hazards.includes(step.next)) violate(step.next);
        memory.step++;
        if (!step.isLast && !memory.gaveUp) return;
        memory.path = [];
        memory.episode++;
      },
      givesUp: () => memory.gaveUp,
      policy: () => (state) => best(state, held(state), false),
      facts: () => ({
        violations: memory.violations,
        unsafe: Array.from({ length: states }, (_, state) => state).filter(isUnsafe).length,
      }),
    };
  },
});
