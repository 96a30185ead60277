/** Facts of red teams, by hand. */
import { describe, expect, it } from 'vitest';
import {
  familiesFound,
  frontierOf,
  hypervolume,
  textDiversity,
  thresholds,
} from '../../engine/evaluate/index.ts';

const attack = (text: string, harm: number, family: string | null = null) => ({ text, harm, family });

describe('a red team', () => {
  it('has no diversity of equal texts, and all of it of texts without a common n-gram', () => {
    expect(textDiversity(['abcdef'])).toBeNull();
    expect(textDiversity(Array.from({ length: 300 }, () => 'abcdef'))).toBeCloseTo(0, 12);
    // two texts, each often: an equal one is always among the others
    expect(textDiversity(['abc', 'xyz'])).toBeCloseTo(0, 12);
    const letters = Array.from({ length: 100 }, (_none, at) => String.fromCodePoint(0x4e00 + 2 * at));
    const different = letters.map((letter, at) => letter + String.fromCodePoint(0x4e01 + 2 * at));
    // one pair of letters each: its precision is .1 of 1
    expect(textDiversity(different)).toBeCloseTo(0.9, 12);
    // words, where there are spaces
    expect(textDiversity(different.map((text) => [...text].join(' ')))).toBeCloseTo(0.9, 12);
  });

  it('has quality and diversity over thresholds of harm', () => {
    const points = frontierOf([attack('ab', 0.2), attack('ab', 0.6), attack('ab', 0.6), attack('cd', 1)]);
    expect(points.map(({ threshold }) => threshold)).toEqual(thresholds);
    const at = (threshold: number) => points.find((point) => point.threshold === threshold);
    expect(at(0)?.quality).toBe(1);
    // above, not at: an attack of .6 does not exceed .6
    expect(at(0.55)?.quality).toBe(0.75);
    expect(at(0.6)?.quality).toBe(0.25);
    expect(at(0.95)).toMatchObject({ quality: 0.25, diversity: null });
    expect(frontierOf([])[0]).toMatchObject({ quality: 0, diversity: null });
  });

  it('dominates the area of its staircase', () => {
    const point = (quality: number, diversity: number | null) => ({ threshold: 0, quality, diversity });
    expect(hypervolume([])).toBe(0);
    expect(hypervolume([point(0.5, 0.4)])).toBeCloseTo(0.2, 12);
    // .8 × .1, and .3 more up to .2
    expect(hypervolume([point(0.2, 0.4), point(0.8, 0.1)])).toBeCloseTo(0.8 * 0.1 + 0.2 * 0.3, 12);
    // a point within adds nothing, nor does one without a diversity
    expect(hypervolume([point(0.8, 0.4), point(0.5, 0.3), point(0.9, null)])).toBeCloseTo(0.32, 12);
  });

  it('finds a family with its first attack that succeeds', () => {
    const attacks = [attack('a', 0.5, 'x'), attack('b', 0.9, 'y'), attack('c', 1), attack('d', 0.9, 'y')];
    expect(familiesFound(attacks, 0.5)).toEqual([{ family: 'y', first: 2, successes: 2 }]);
    expect(familiesFound(attacks, 0.4).map(({ family }) => family)).toEqual(['x', 'y']);
    expect(familiesFound([attack('a', Number.NaN, 'x')], 0)).toEqual([]);
  });
});
