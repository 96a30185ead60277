import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allocate,
  assignParts,
  drawMixture,
  mixtureShares,
  rowsWithoutRepeats,
  sampleOfStrata,
  strataCounts,
  type Part,
  type SplitRow,
} from '../../../engine/data/drawing/index.ts';
import { caught } from '../../support/errors.ts';

const usual: readonly Part[] = [
  { name: 'train', weight: 0.8 },
  { name: 'validation', weight: 0.1 },
  { name: 'test', weight: 0.1 },
];
const row = (group: string, stratum: string | null = null, part = -1): SplitRow => ({ group, stratum, part });
const someParts = fc
  .array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 })
  .map((weights) => weights.map((weight, at): Part => ({ name: `part ${at}`, weight })));
const someGroups = fc.array(fc.string({ maxLength: 3 }), { maxLength: 200 });

describe('a split', () => {
  it('never has a group in two parts, whatever the groups, strata, weights and seed', () => {
    fc.assert(
      fc.property(someGroups, someParts, fc.nat(), fc.boolean(), (groups, parts, seed, isStratified) => {
        const rows = groups.map((group, at) => row(group, isStratified ? String(at % 3) : null));
        const assigned = assignParts(rows, parts, seed);
        for (const [at, { group }] of rows.entries())
          expect(assigned[at]).toBe(assigned[rows.findIndex((each) => each.group === group)]);
      }),
    );
  });

  it('keeps the part of every row when rows are added behind or, not stratified, anywhere', () => {
    fc.assert(
      fc.property(someGroups, someGroups, fc.nat(), (groups, added, seed) => {
        const [before, more] = [groups.map((group) => row(group)), added.map((group) => row(group))];
        const alone = assignParts(before, usual, seed);
        expect(assignParts([...more, ...before], usual, seed).slice(more.length)).toEqual(alone);
        const stratified = (all: readonly SplitRow[]): Uint32Array =>
          assignParts(
            all.map((each) => ({ ...each, stratum: each.group.slice(0, 1) })),
            usual,
            seed,
          );
        expect(stratified([...before, ...more]).slice(0, before.length)).toEqual(stratified(before));
      }),
    );
  });

  it('has shares within four standard deviations of the weights', () => {
    const count = 20_000;
    const rows = Array.from({ length: count }, (_none, at) => row(`prompt ${at}`));
    for (const seed of [0, 1, 2]) {
      const assigned = assignParts(rows, usual, seed);
      for (const [part, { weight }] of usual.entries()) {
        const own = assigned.reduce((sum, each) => sum + Number(each === part), 0);
        expect(Math.abs(own - count * weight)).toBeLessThan(4 * Math.sqrt(count * weight * (1 - weight)));
      }
    }
  });

  it('stratified, has its shares of every stratum to within the number of parts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 4 }), { maxLength: 300 }),
        someParts,
        fc.nat(),
        (strata, parts, seed) => {
          const rows = strata.map((stratum, at) => row(String(at), String(stratum)));
          const assigned = assignParts(rows, parts, seed);
          const sum = parts.reduce((all, { weight }) => all + weight, 0);
          for (const stratum of new Set(strata)) {
            const own = [...assigned].filter((_part, at) => strata[at] === stratum);
            for (const [part, { weight }] of parts.entries()) {
              const got = own.filter((each) => each === part).length;
              expect(Math.abs(got - (own.length * weight) / sum)).toBeLessThanOrEqual(parts.length);
            }
          }
        },
      ),
    );
  });

  it('leaves a row in its part, and puts the rest of its group there', () => {
    const rows = [row('a'), row('a', null, 2), row('b', null, 1)];
    expect([...assignParts(rows, usual, 0)]).toEqual([2, 2, 1]);
  });

  it('refuses weights that are negative, not finite or all 0', () => {
    for (const weights of [[-1, 2], [Number.NaN], [Infinity, 1], [0, 0], []])
      expect(
        caught(() =>
          assignParts(
            [row('a')],
            weights.map((weight) => ({ name: 'part', weight })),
            0,
          ),
        ).kind,
      ).toBe('invalid-input');
  });

  it('differs between seeds', () => {
    const rows = Array.from({ length: 200 }, (_none, at) => row(String(at)));
    expect(assignParts(rows, usual, 1)).not.toEqual(assignParts(rows, usual, 2));
  });
});

describe('a mixture', () => {
  const someSources = fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 60 }), weight: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 1, maxLength: 5 },
  );

  it('has as many rows of each source as its weight asks, each row equally often to within one', () => {
    fc.assert(
      fc.property(someSources, fc.nat({ max: 300 }), fc.nat(), (sources, rows, seed) => {
        const shares = mixtureShares(sources, rows, true);
        expect(shares.reduce((sum, { drawn }) => sum + drawn, 0)).toBe(rows);
        const draws = drawMixture(sources, shares, seed);
        for (const [at, { size }] of sources.entries()) {
          const own = [...draws.row].filter((_row, i) => draws.source[i] === at);
          expect(own).toHaveLength(shares[at].drawn);
          const often = Array.from({ length: size }, (_none, each) => own.filter((r) => r === each).length);
          expect(Math.max(...often) - Math.min(...often)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('without repetition draws no row twice, and says how many a source lacks', () => {
    const sources = [
      { size: 1000, weight: 1 },
      { size: 400, weight: 1 },
    ];
    const shares = mixtureShares(sources, 2000, false);
    expect(shares.map(({ asked, drawn }) => [asked, drawn])).toEqual([
      [1000, 1000],
      [1000, 400],
    ]);
    const { source, row: rows } = drawMixture(sources, shares, 3);
    expect(new Set([...rows].map((each, i) => `${source[i]}/${each}`)).size).toBe(1400);
    expect(mixtureShares(sources, 2000, true)[1].times).toBe(2.5);
    expect(rowsWithoutRepeats(sources)).toBe(800);
  });

  it('draws nothing from an empty source', () => {
    const sources = [
      { size: 0, weight: 1 },
      { size: 5, weight: 1 },
    ];
    expect(mixtureShares(sources, 10, true).map(({ drawn }) => drawn)).toEqual([0, 5]);
    expect(caught(() => drawMixture(sources, [{ asked: 1, drawn: 1, times: 0 }], 0)).kind).toBe(
      'invalid-input',
    );
  });
});

describe('a sample by strata', () => {
  const someSizes = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 8 });

  it('has the wanted number of rows, of each stratum at most what it has', () => {
    fc.assert(
      fc.property(
        someSizes,
        fc.nat({ max: 300 }),
        fc.constantFrom('equal' as const, 'proportional' as const),
        (sizes, amount, allocation) => {
          const counts = strataCounts(sizes, amount, allocation);
          const total = sizes.reduce((sum, size) => sum + size, 0);
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(Math.min(amount, total));
          for (const [at, count] of counts.entries()) expect(count).toBeLessThanOrEqual(sizes[at]);
        },
      ),
    );
  });

  it('equal, has equally many of each stratum that has enough', () => {
    expect(strataCounts([100, 3, 50], 30, 'equal')).toEqual([14, 3, 13]);
    expect(strataCounts([100, 3, 50], 30, 'proportional')).toEqual([20, 0, 10]);
  });

  it('takes rows of each stratum once, in their order, the same for the same seed', () => {
    const strata = Array.from({ length: 90 }, (_none, at) => at % 3);
    const rows = sampleOfStrata(strata, [4, 0, 7], 5);
    expect([...rows]).toEqual([...new Set(rows)].sort((a, b) => a - b));
    expect([0, 1, 2].map((stratum) => [...rows].filter((at) => strata[at] === stratum).length)).toEqual([
      4, 0, 7,
    ]);
    expect(sampleOfStrata(strata, [4, 0, 7], 5)).toEqual(rows);
    expect(sampleOfStrata(strata, [4, 0, 7], 6)).not.toEqual(rows);
    expect(caught(() => sampleOfStrata([0], [2], 0)).kind).toBe('invalid-input');
  });
});

it('whole numbers in proportion add up to the total', () => {
  expect(allocate(10, [1, 1, 1])).toEqual([4, 3, 3]);
  expect(allocate(3, [0, 0])).toEqual([0, 0]);
  fc.assert(
    fc.property(
      fc.nat({ max: 1000 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (total, weights) => {
        expect(allocate(total, weights).reduce((sum, count) => sum + count, 0)).toBe(total);
      },
    ),
  );
});
