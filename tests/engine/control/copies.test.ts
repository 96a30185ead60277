/** Copies of every control world: determinism, ends, limits, restoring, refused actions. */
import { describe, expect, it } from 'vitest';
import {
  actionSize,
  controlWorldById,
  controlWorlds,
  Copies,
  type ControlWorld,
} from '../../../engine/control/index.ts';
import { uniform } from '../../../engine/random/random.ts';
import { caught } from '../../support/errors.ts';

/** Random actions of each copy at a step; they do not depend on the number of copies. */
const actionsAt = (world: ControlWorld, count: number, step: number): number[] =>
  Array.from({ length: count * actionSize(world.actions) }, (_, k) => {
    const drawn = uniform(1, 'actions', step, k);
    const { actions } = world;
    if (actions.kind === 'choices') return Math.floor(drawn * actions.names.length);
    const dimension = k % actions.low.length;
    return actions.low[dimension] + drawn * (actions.high[dimension] - actions.low[dimension]);
  });

describe.each(controlWorlds.map((world) => [world.id, world] as const))('copies of %s', (_id, world) => {
  const width = world.observations.length;

  it('have finite numbers, and episodes that end at the limit or before', () => {
    const copies = new Copies(world, 3, 5);
    const length = [0, 0, 0];
    let ended = 0;
    for (let t = 0; t < 2 * world.limit + 10; t++) {
      copies.step(actionsAt(world, 3, t));
      for (let copy = 0; copy < 3; copy++) {
        length[copy]++;
        const isOver = copies.terminated[copy] + copies.truncated[copy];
        expect(isOver).toBeLessThanOrEqual(1);
        if (copies.truncated[copy]) expect(length[copy]).toBe(world.limit);
        expect(length[copy]).toBeLessThanOrEqual(world.limit);
        if (isOver) [length[copy], ended] = [0, ended + 1];
      }
      expect([...copies.observations, ...copies.last, ...copies.rewards].every(Number.isFinite)).toBe(true);
    }
    expect(ended).toBeGreaterThanOrEqual(6);
  });

  it('do not depend on how many there are, nor begin each episode alike if starts are random', () => {
    const [one, many] = [new Copies(world, 1, 7), new Copies(world, 4, 7)];
    const starts = new Set([one.observations.join()]);
    for (let t = 0; t < world.limit + 5; t++) {
      const actions = actionsAt(world, 4, t);
      one.step(actions.slice(0, actionSize(world.actions)));
      many.step(actions);
      expect(one.observations).toEqual(many.observations.slice(0, width));
      expect(one.rewards[0]).toBe(many.rewards[0]);
      if (one.terminated[0] || one.truncated[0]) {
        expect(one.last).not.toEqual(one.observations);
        starts.add(one.observations.join());
      }
    }
    // worlds with countable states begin in one of them
    if (world.table) return;
    expect(starts.size).toBeGreaterThan(1);
    expect(new Copies(world, 1, 8).observations).not.toEqual(new Copies(world, 1, 7).observations);
  });

  it('go on with the same bits after they are restored', () => {
    const [whole, half] = [new Copies(world, 2, 3), new Copies(world, 2, 3)];
    for (let t = 0; t < 30; t++) for (const copies of [whole, half]) copies.step(actionsAt(world, 2, t));
    const later = new Copies(world, 2, 3);
    later.restore(JSON.parse(JSON.stringify(half.save())) as ReturnType<Copies['save']>);
    expect(later.observations).toEqual(whole.observations);
    for (let t = 30; t < world.limit + 40; t++) {
      for (const copies of [whole, later]) copies.step(actionsAt(world, 2, t));
      expect(later.observations).toEqual(whole.observations);
      expect(later.rewards).toEqual(whole.rewards);
    }
  });

  it('refuse what is no action before any of them has moved', () => {
    const copies = new Copies(world, 2, 1);
    const before = JSON.stringify(copies.save());
    const good = actionsAt(world, 2, 0);
    expect(caught(() => copies.step([...good.slice(1), Number.NaN]))).toMatchObject({
      kind: 'invalid-input',
      where: `actions.${good.length - 1}`,
    });
    expect(caught(() => copies.step(good.slice(1)))).toMatchObject({ where: 'actions' });
    if (world.actions.kind === 'choices')
      for (const wrong of [-1, 0.5, world.actions.names.length])
        expect(caught(() => copies.step([wrong, ...good.slice(1)]))).toMatchObject({ where: 'actions.0' });
    expect(JSON.stringify(copies.save())).toBe(before);
  });
});

describe('copies', () => {
  it('clip numbers to their bounds', () => {
    const world = controlWorldById('control/pendulum', 'world');
    const [within, beyond] = [new Copies(world, 1, 0), new Copies(world, 1, 0)];
    within.step([2]);
    beyond.step([Number.POSITIVE_INFINITY]);
    expect(beyond.observations).toEqual(within.observations);
    expect(beyond.rewards).toEqual(within.rewards);
  });

  it('refuse numbers of copies and saved states that do not fit', () => {
    const world = controlWorldById('control/cart-pole', 'world');
    for (const count of [0, 1.5, 65_537])
      expect(caught(() => new Copies(world, count, 0))).toMatchObject({ where: 'copies' });
    const saved = new Copies(world, 2, 0).save();
    expect(caught(() => new Copies(world, 3, 0).restore(saved))).toMatchObject({ where: 'state' });
  });

  it('are of a world that is known', () => {
    expect(caught(() => controlWorldById('control/none', 'task.id'))).toMatchObject({ where: 'task.id' });
  });
});
