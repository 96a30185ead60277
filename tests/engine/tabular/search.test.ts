/** Agents that search for what is new: in graphs of places, and over policies. */
import { describe, expect, it } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { encoded, fitEncoder, newEncoder, novelty } from '../../../engine/tabular/kernel/descriptors.ts';
import { newPlaces, nextPlace, walked } from '../../../engine/tabular/kernel/places.ts';
import { TabularRun, type TabularSpec } from '../../../engine/tabular/run.ts';
import { chain, worldOfArrows } from './tiny.ts';

const seeds = [0, 1, 2, 3, 4];

describe('toponav', () => {
  it('makes a place of what is first met far from all, and finds ways between places', () => {
    const places = newPlaces(12, 0);
    const isNew = [1, 2, 3, 4, 5, 6].map((next, at) => walked(places, at, next, 2));
    expect(isNew).toEqual([false, false, true, false, false, true]);
    expect(places.states).toEqual([0, 3, 6]);
    expect(places.placeOf.slice(0, 8)).toEqual([0, 0, 0, 1, 1, 1, 2, -1]);
    // back, and on by another way: no state that is known becomes a place
    [5, 4, 3].forEach((next, at) => walked(places, 6 - at, next, 2));
    expect(places.states.length).toBe(3);
    expect(places.ways).toEqual([[1], [2], [1]]);
    expect([nextPlace(places, 0, 2), nextPlace(places, 2, 1), nextPlace(places, 1, 0)]).toEqual([1, 1, 0]);
  });

  it('finds the treasure of the deep sea with every seed, and without its travels seldom', () => {
    const found = (travel: number) =>
      seeds.filter((seed) => {
        const spec = { agent: 'toponav', world: 'deep-sea', steps: 6000, seed, params: { travel } };
        return new TabularRun(spec).result().firstSuccess !== null;
      }).length;
    expect(found(1)).toBe(5);
    expect(found(0)).toBeLessThan(3);
  });
});

describe('stax', () => {
  it('learns a space that keeps the direction along which inputs differ most', () => {
    const draw = stream(0, 'test');
    const encoder = newEncoder(4, 1, draw);
    const direction = [0.5, -0.5, 0.5, 0.5];
    const input = () => {
      const far = draw.normal();
      return direction.map((each) => 2 + far * each + 0.1 * draw.normal());
    };
    for (let turn = 0; turn < 3000; turn++) fitEncoder(encoder, input(), 0.02);
    const [row] = encoder.weights;
    expect(Math.hypot(...row)).toBeCloseTo(1, 1);
    expect(Math.abs(row.reduce((sum, each, at) => sum + each * direction[at], 0))).toBeGreaterThan(0.99);
    const along = direction.map((each) => 2 + 3 * each);
    expect(encoded(encoder, along).error).toBeLessThan(0.4);
    // a surprise: as far from the mean, across the direction
    expect(encoded(encoder, [2, 2, 4.1, -0.1]).error).toBeGreaterThan(2.5);
    expect(
      novelty(
        [0, 0],
        [
          [3, 4],
          [0, 1],
          [0, 2],
        ],
        2,
      ),
    ).toBe(1.5);
  });

  it('gets to the end of a corridor that pays nothing before; neither reward alone nor chance does', () => {
    const found = (params: TabularSpec['params']) =>
      seeds.filter((seed) => {
        const spec = { agent: 'stax', world: 'chain', steps: 12_000, seed, params };
        return new TabularRun(spec, chain(14)).result().return === 1;
      }).length;
    expect(found({})).toBe(5);
    expect(found({ novel: 0 })).toBe(0);
    // every child is drawn anew: 1 of 2¹⁴ goes all the way
    expect(found({ mutate: 1 })).toBeLessThan(3);
  });

  it('raises a reward that it found with its emitters, more than by novelty alone', () => {
    // a corridor, then choices of which each may add to the reward
    const [corridor, rungs] = [6, 16];
    const world = worldOfArrows(
      [
        ...Array.from({ length: corridor }, (_, at) => [{ to: at + 1 }, { to: Math.max(0, at - 1) }]),
        ...Array.from({ length: rungs }, (_, at) => {
          const to = at === rungs - 1 ? -1 : corridor + at + 1;
          const [good, bad] = [{ to, reward: 1 / rungs }, { to }];
          return at % 2 === 0 ? [good, bad] : [bad, good];
        }),
      ],
      100,
    );
    const mean = (emit: number) =>
      seeds.reduce((sum, seed) => {
        const spec = { agent: 'stax', world: 'ladder', steps: 10_000, seed, params: { emit } };
        return sum + new TabularRun(spec, world).result().return / seeds.length;
      }, 0);
    expect(mean(0.5)).toBeGreaterThan(0.95);
    expect(mean(0)).toBeLessThan(0.9);
  });
});
