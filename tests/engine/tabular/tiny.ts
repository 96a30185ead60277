/** Small control worlds for tests of tabular agents. */
import type { ControlWorld } from '../../../engine/control/index.ts';

interface Step {
  readonly to: number;
  readonly reward?: number;
}

/** A world by its arrows: `arrows[state][action]`; −1 ends the episode. It begins in state 0. */
export const worldOfArrows = (arrows: readonly (readonly Step[])[], limit = 20): ControlWorld => {
  const ends = arrows.length;
  return {
    ...{
      id: 'test/arrows',
      title: 'Arrows',
      summary: '',
      cites: '',
      observations: ['state'],
      limit,
      stateSize: 1,
    },
    actions: { kind: 'choices', names: arrows[0].map((_, action) => `${action}`) },
    start: (state, at) => {
      state[at] = 0;
    },
    observe: (state, at, out, to) => {
      out[to] = state[at];
    },
    advance: (state, at, actions, from) => {
      const { to, reward = 0 } = arrows[state[at]][actions[from]];
      state[at] = to < 0 ? ends : to;
      return reward;
    },
    isTerminal: (state, at) => state[at] === ends,
    table: { size: ends + 1, indexOf: (state, at) => state[at] },
  };
};

/** One choice among arms with fixed rewards. */
export const bandit = (rewards: readonly number[]): ControlWorld =>
  worldOfArrows([rewards.map((reward) => ({ to: -1, reward }))], 1);

/** A chain of states: the first action goes on, the second back; 1 at its end. */
export const chain = (length: number, limit = 4 * length): ControlWorld =>
  worldOfArrows(
    Array.from({ length }, (_, at) => [
      at === length - 1 ? { to: -1, reward: 1 } : { to: at + 1 },
      { to: Math.max(0, at - 1) },
    ]),
    limit,
  );
