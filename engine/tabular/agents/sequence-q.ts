import { count, defineAgent, share } from '../kernel/agent.ts';
import { counted, newCounts } from '../kernel/counts.ts';
import { improve } from '../kernel/q-learning.ts';
import { filled, greedyAction } from '../kernel/tables.ts';

export const sequenceQ = defineAgent({
  id: 'sequence-q',
  title: 'Sequence RL',
  summary:
    'Sees one state and emits several actions. The critic judges every action; a learned model fills in the ' +
    'states between, in training alone.',
  cites: 'Patel and Siegelmann 2024 (arXiv:2410.08979), with tables for actor, critic and model',
  params: {
    length: count(4, 'Actions that one decision emits.', 1000),
    rate: share(0.5, 'Share of the error by which a value moves.'),
    epsilon: share(0.1, 'Chance of a random action.'),
  },
  open: (setting, { length: emitted, rate, epsilon }) => {
    const { states, actions, draw } = setting;
    const memory = {
      ...{ q: filled(states * actions), counts: newCounts(setting) },
      // [states]: the actions that the actor emits there; empty where it has not been
      ...{ sequences: Array.from({ length: states }, (): number[] => []), decided: [] as number[] },
    };
    /** The actions that the critic prefers along the states that the model expects. */
    const improved = (from: number): number[] => {
      const sequence: number[] = [];
      for (let state = from; sequence.length < emitted;) {
        const action = greedyAction(memory.q, state, actions, draw);
        sequence.push(action);
        const nexts = memory.counts.nexts[state * actions + action];
        const [likely] = nexts.toSorted(([, a], [, b]) => b - a)[0] ?? [-1];
        if (likely < 0) break;
        state = likely;
      }
      return sequence;
    };
    return {
      memory,
      act: (state, t) => {
        if (t % emitted === 0) memory.decided = [...memory.sequences[state]];
        const action = memory.decided[t % emitted];
        return action === undefined || draw.next() < epsilon ? draw.int(actions) : action;
      },
      learn: (step) => {
        counted(memory.counts, actions, step);
        improve(memory.q, setting, step, step.reward, rate);
        memory.sequences[step.state] = improved(step.state);
      },
      policy: () => {
        let decided: readonly number[] = [];
        return (state, t) => {
          if (t % emitted === 0) decided = memory.sequences[state];
          return decided[t % emitted] ?? 0;
        };
      },
    };
  },
});
