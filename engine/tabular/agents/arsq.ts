import { count, defineAgent, positive, share, type Transition } from '../kernel/agent.ts';
import { descend, digitsOf, nodesOf, softHalves } from '../kernel/digits.ts';
import { valueIteration } from '../kernel/plan.ts';
import { drawn, filled, greedyAction } from '../kernel/tables.ts';

type Seen = Omit<Transition, 'snapshot'>;

export const arsq = defineAgent({
  id: 'arsq',
  title: 'ARSQ',
  summary:
    'Chooses an action digit by digit, from coarse to fine, by soft advantages that depend on the digits before; one ' +
    'soft value is learned from a log and from fresh steps.',
  cites:
    'Learning from Suboptimal Data in Continuous Control via Auto-Regressive Soft Q-Network; an action’s number in ' +
    'binary in place of bins',
  params: {
    joint: share(1, 'Below ½ a digit’s advantages do not depend on those before it.'),
    logged: share(0.1, 'Share of the steps, at the beginning, that go into the log.'),
    random: share(0.8, 'Share of random actions in the logged behaviour; the others are optimal.'),
    replay: count(4, 'Logged steps that are learned again with each fresh one.', 1000),
    tau: positive(0.005, 'Temperature τ of soft values.'),
    rate: share(0.3, 'Share of the error by which value and advantages move.'),
  },
  open: (setting, { joint, logged, random, replay, tau, rate }) => {
    const { states, actions, discount, draw, steps, model } = setting;
    const nodes = nodesOf(actions);
    const optimal = valueIteration(model, discount).q;
    const memory = {
      ...{ values: filled(states), logits: filled(2 * states * nodes), log: [] as Seen[], step: 0 },
    };
    /** Place of a digit’s two logits; without what came before, all nodes of one depth share them. */
    const placeOf = (state: number, node: number): number => {
      const shared = 2 ** Math.floor(Math.log2(node + 1)) - 1;
      return 2 * (state * nodes + (joint < 0.5 ? shared : node));
    };
    const halvesAt = (state: number, node: number, sizes: readonly [number, number]) => {
      const at = placeOf(state, node);
      return { at, ...softHalves([memory.logits[at], memory.logits[at + 1]], sizes, tau) };
    };
    const improve = ({ state, action, reward, next, isTerminal }: Seen): void => {
      const digits = digitsOf(action, actions);
      let [at, q] = [0, memory.values[state]];
      const moved: (() => void)[] = [];
      descend(actions, (node, sizes) => {
        const half = halvesAt(state, node, sizes);
        const [, bit] = digits[at++];
        q += half.advantages[bit];
        // dA(bit)/d(logit b) = 1[b = bit] − π(b)
        for (const b of [0, 1])
          moved.push(
            () => (memory.logits[half.at + b] += rate * error * ((b === bit ? 1 : 0) - half.policy[b])),
          );
        return bit;
      });
      const error = reward + (isTerminal ? 0 : discount * memory.values[next]) - q;
      for (const move of moved) move();
      memory.values[state] += rate * error;
    };
    const isLogging = () => memory.step < logged * steps;
    const greedy = (state: number): number =>
      descend(actions, (node, sizes) => {
        const { advantages } = halvesAt(state, node, sizes);
        return advantages[1] > advantages[0] ? 1 : 0;
      }).action;
    return {
      memory,
      act: (state) => {
        if (isLogging())
          return draw.next() < random ? draw.int(actions) : greedyAction(optimal, state, actions);
        return descend(actions, (node, sizes) => drawn(halvesAt(state, node, sizes).policy, draw)).action;
      },
      learn: ({ snapshot: _, ...step }) => {
        if (isLogging()) memory.log.push(step);
        memory.step++;
        improve(step);
        for (let again = 0; again < replay && memory.log.length > 0; again++) improve(draw.pick(memory.log));
      },
      policy: () => greedy,
    };
  },
});
