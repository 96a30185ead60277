/** Worlds with countable states: shortest ways and returns by enumeration. */
import { describe, expect, it } from 'vitest';
import { controlWorldById, controlWorlds, type ControlWorld } from '../../../engine/control/index.ts';

const countable = controlWorlds.filter(({ table }) => table);
const choices = ({ actions }: ControlWorld): number =>
  actions.kind === 'choices' ? actions.names.length : 0;
const started = (world: ControlWorld): Float64Array => {
  const state = new Float64Array(world.stateSize);
  world.start(state, 0, () => 0.5);
  return state;
};
const after = (world: ControlWorld, state: Float64Array, action: number) => {
  const next = state.slice();
  return { reward: world.advance(next, 0, [action], 0), next };
};

/** Steps from the start to each state that can be reached, by its text, up to terminal ones. */
const distances = (world: ControlWorld) => {
  const found = new Map([[started(world).join(), { steps: 0, state: started(world) }]]);
  for (const { steps, state } of found.values()) {
    if (world.isTerminal(state, 0)) continue;
    for (let action = 0; action < choices(world); action++) {
      const { next } = after(world, state, action);
      if (!found.has(next.join())) found.set(next.join(), { steps: steps + 1, state: next });
    }
  }
  return [...found.values()];
};

describe('worlds with countable states', () => {
  it.each(countable.map((world) => [world.id, world] as const))('%s numbers its states', (_id, world) => {
    const indices = distances(world).map(({ state }) => world.table!.indexOf(state, 0));
    expect(new Set(indices).size).toBe(indices.length);
    expect(Math.min(...indices)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...indices)).toBeLessThan(world.table!.size);
  });

  it.each([
    ['control/four-rooms', 20],
    // 4 to the key, 6 to the door, 5 to the goal
    ['control/key-door', 15],
    ['control/deep-sea', 10],
  ])('%s ends after %i steps at the earliest', (id, steps) => {
    const world = controlWorldById(id, 'world');
    const ends = distances(world).filter(({ state }) => world.isTerminal(state, 0));
    expect(Math.min(...ends.map((each) => each.steps))).toBe(steps);
  });

  it('reach every open cell of the four rooms, and not the goal without the key', () => {
    const rooms = controlWorldById('control/four-rooms', 'world');
    expect(distances(rooms)).toHaveLength(rooms.table!.size);
    const locked = distances(controlWorldById('control/key-door', 'world'));
    // behind the door there are 15 cells and the door itself, with the key alone
    const column = ({ state }: { readonly state: Float64Array }) => state[0] % 10;
    expect(locked.filter((each) => each.state[1] === 0 && column(each) >= 5)).toEqual([]);
    expect(locked.filter((each) => each.state[1] === 1 && column(each) >= 5)).toHaveLength(16);
  });

  it('hide the treasure of the deep sea from all but one of 1,024 ways', () => {
    const world = controlWorldById('control/deep-sea', 'world');
    const returns = Array.from({ length: 1024 }, (_, way) => {
      let [state, total] = [started(world), 0];
      for (let row = 0; row < 10; row++) {
        const { reward, next } = after(world, state, (way >> row) & 1);
        [state, total] = [next, total + reward];
      }
      expect(world.isTerminal(state, 0)).toBe(true);
      return total;
    });
    expect(returns.filter((total) => total > 0)).toHaveLength(1);
    expect(Math.max(...returns)).toBeCloseTo(1 - 0.01, 12);
    expect(Math.min(...returns)).toBeGreaterThan(-0.01);
  });
});
