import { WhetstoneError } from '../../common/errors.ts';
import type { ControlWorld } from '../../control/index.ts';

/** A possible result of an action: its probability, reward, and the next state, −1 where the episode ends. */
export interface Outcome {
  readonly chance: number;
  readonly next: number;
  readonly reward: number;
}

/** Dynamics as a table. */
export interface Model {
  readonly states: number;
  readonly actions: number;
  readonly start: number;
  /** [states × actions]: chances of a row sum to 1; a row without outcomes belongs to a state never reached. */
  readonly outcomes: readonly (readonly Outcome[])[];
}

/** Number of actions. Throws `unsupported` for a world without countable states or choices. */
const actionsOf = (world: ControlWorld, where: string): number => {
  if (world.table && world.actions.kind === 'choices') return world.actions.names.length;
  throw new WhetstoneError('unsupported', `${world.id} has no countable states and actions.`, {
    where,
    hint: 'Take a world whose states can be numbered, such as control/four-rooms.',
  });
};

/** With probability `slip`, each action gives way to any of them: each keeps its own outcome, and a share of all. */
export const slippery = (model: Model, slip: number): Model => {
  if (slip === 0) return model;
  const { states, actions, outcomes } = model;
  const mixed = Array.from({ length: states * actions }, (_, pair): Outcome[] => {
    if (outcomes[pair].length === 0) return [];
    const first = pair - (pair % actions);
    const scaled = (from: number, weight: number) =>
      outcomes[from].map((each) => ({ ...each, chance: each.chance * weight }));
    return [
      ...scaled(pair, 1 - slip),
      ...Array.from({ length: actions }, (__, other) => scaled(first + other, slip / actions)).flat(),
    ];
  });
  return { ...model, outcomes: mixed };
};

/**
 * The dynamics of a world, by taking every action in every state that can be reached from its start; its step is
 * deterministic. Throws `unsupported` for a world without countable states and actions, or with several starts.
 */
export const modelOf = (world: ControlWorld, where = 'world'): Model => {
  const actions = actionsOf(world, where);
  const { size, indexOf } = world.table!;
  const begin = (draw: number): Float64Array => {
    const state = new Float64Array(world.stateSize);
    world.start(state, 0, () => draw);
    return state;
  };
  const first = begin(0.5);
  const start = indexOf(first, 0);
  if ([0.01, 0.25, 0.75, 0.99].some((draw) => indexOf(begin(draw), 0) !== start))
    throw new WhetstoneError('unsupported', `${world.id} has several start states.`, { where });
  const outcomes: Outcome[][] = Array.from({ length: size * actions }, () => []);
  const queue = [first];
  const seen = new Set([start]);
  for (const state of queue) {
    const index = indexOf(state, 0);
    for (let action = 0; action < actions; action++) {
      const after = state.slice();
      const reward = world.advance(after, 0, [action], 0);
      const next = world.isTerminal(after, 0) ? -1 : indexOf(after, 0);
      outcomes[index * actions + action].push({ chance: 1, next, reward });
      if (next < 0 || seen.has(next)) continue;
      seen.add(next);
      queue.push(after);
    }
  }
  return { states: size, actions, start, outcomes };
};

/** States that can be reached and are not terminal. */
export const reachable = ({ states, actions, outcomes }: Model): number[] =>
  Array.from({ length: states }, (_, state) => state).filter((state) => outcomes[state * actions].length > 0);

/** The dynamics with the results of a share of the pairs exchanged for those of any other pair. */
export const faulty = (
  { outcomes, ...model }: Model,
  wrong: number,
  draw: { next(): number; int(n: number): number },
): Model => ({
  ...model,
  outcomes: outcomes.map((row) => {
    if (row.length === 0 || draw.next() >= wrong) return row;
    const other = outcomes[draw.int(outcomes.length)];
    return other.length === 0 ? row : other;
  }),
});

/** The model in which each pair ends with probability p in the largest return, and else does what it did. */
export const raised = (model: Model, p: readonly number[], top: number): Model => ({
  ...model,
  outcomes: model.outcomes.map((row, pair) => [
    ...row.map((each) => ({ ...each, chance: each.chance * (1 - p[pair]) })),
    { chance: p[pair], next: -1, reward: top },
  ]),
});
