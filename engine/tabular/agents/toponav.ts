import { count, defineAgent, share } from '../kernel/agent.ts';
import { newPlaces, nextPlace, walked } from '../kernel/places.ts';
import { greedyPolicy } from '../kernel/plan.ts';
import { improve } from '../kernel/q-learning.ts';
import { drawn, epsilonGreedy, filled } from '../kernel/tables.ts';

export const toponav = defineAgent({
  id: 'toponav',
  title: 'TopoNav',
  summary:
    'Grows a graph of places, travels to a rarely chosen one by subgoals along the graph, and explores from there; ' +
    'the last objective in the order is the task itself.',
  cites:
    'TopoNav: Topological Navigation for Efficient Exploration in Sparse Reward Environments, with tables per place',
  params: {
    travel: share(
      1,
      'Chance that an episode travels to a place first, until a reward is found; 0 leaves it out.',
    ),
    task: share(0.5, 'Chance that an episode follows the task’s values once a reward was found.'),
    apart: count(2, 'Steps from the last place after which a state that is new becomes a place.'),
    patience: count(20, 'Steps to a subgoal before the travel ends and exploration begins.'),
    ahead: share(0.9, 'Discount of the subgoals’ values.', 0.999),
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random action.'),
  },
  open: (setting, { travel, task, apart, patience, ahead, rate, epsilon }) => {
    const { states, actions, draw, model } = setting;
    const inward = { actions, discount: ahead };
    const memory = {
      ...{ q: filled(states * actions), places: newPlaces(states, model.start), isFound: false },
      // [places][states × actions]: values of reaching a place, paid 1
      ...{ toPlace: [filled(states * actions)], target: -1, subgoal: -1, left: 0, isTask: false },
    };
    const begin = (): void => {
      const { places } = memory;
      places.away = 0;
      memory.isTask = memory.isFound && draw.next() < task;
      memory.target = -1;
      if (memory.isTask || draw.next() >= travel) return;
      memory.target = drawn(
        places.sent.map((times) => 1 / (1 + times) ** 2),
        draw,
      );
      places.sent[memory.target]++;
      memory.subgoal = nextPlace(places, 0, memory.target);
      memory.left = patience;
    };
    /** Moves on to the next subgoal of the way; the travel ends at its target or when patience does. */
    const travelled = (at: number): void => {
      const { places } = memory;
      if (places.states[memory.target] === at || --memory.left <= 0) memory.target = -1;
      else if (places.states[memory.subgoal] === at) {
        memory.subgoal = nextPlace(places, places.placeOf[at], memory.target);
        memory.left = patience;
      }
    };
    return {
      memory,
      act: (state, t) => {
        if (t === 0) begin();
        if (memory.target >= 0)
          return epsilonGreedy(memory.toPlace[memory.subgoal], state, actions, epsilon, draw);
        return memory.isTask ? epsilonGreedy(memory.q, state, actions, epsilon, draw) : draw.int(actions);
      },
      learn: ({ snapshot: _, ...step }) => {
        improve(memory.q, setting, step, step.reward, rate);
        memory.isFound ||= step.reward > 0;
        if (step.isTerminal) return;
        if (walked(memory.places, step.state, step.next, apart))
          memory.toPlace.push(filled(states * actions));
        memory.toPlace.forEach((values, place) => {
          const isThere = memory.places.states[place] === step.next;
          improve(values, inward, { ...step, isTerminal: isThere }, isThere ? 1 : 0, rate);
        });
        if (memory.target >= 0) travelled(step.next);
      },
      policy: () => greedyPolicy(memory.q, actions),
      facts: () => ({ places: memory.places.states.length }),
    };
  },
});
