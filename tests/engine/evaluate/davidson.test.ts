import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bradleyTerryFit, davidsonFit } from '../../../engine/evaluate/index.ts';

interface Numbers {
  readonly wins: number[][];
  readonly ties: number[][];
  readonly abilities: number[];
  readonly nu: number;
  readonly standardErrors: number[];
}
const numbers = JSON.parse(
  readFileSync(new URL('../../support/oracles/davidson.json', import.meta.url), 'utf8'),
) as Numbers;

describe('Davidson’s model', () => {
  it('has the abilities, ties and standard errors that SciPy finds', () => {
    const fit = davidsonFit(numbers.wins, numbers.ties);
    for (const [at, ability] of numbers.abilities.entries()) {
      expect(fit.abilities[at]).toBeCloseTo(ability, 6);
      expect(Math.sqrt(fit.covariance[at][at])).toBeCloseTo(numbers.standardErrors[at], 4);
    }
    expect(fit.ties).toBeCloseTo(numbers.nu, 6);
  });

  it('of two items is ln of the ratio of their wins, with ν = ties over the root of their product', () => {
    const fit = davidsonFit(
      [
        [0, 8],
        [2, 0],
      ],
      [
        [0, 6],
        [6, 0],
      ],
    );
    expect(fit.abilities[1]).toBeCloseTo(Math.log(2 / 8), 10);
    expect(fit.ties).toBeCloseTo(6 / Math.sqrt(16), 10);
  });

  it('is Bradley–Terry’s without ties', () => {
    const none = numbers.ties.map((row) => row.map(() => 0));
    const fit = davidsonFit(numbers.wins, none);
    const plain = bradleyTerryFit(numbers.wins);
    expect(fit.ties).toBe(0);
    for (const [at, ability] of plain.abilities.entries()) {
      expect(fit.abilities[at]).toBeCloseTo(ability, 9);
      expect(Math.sqrt(fit.covariance[at][at])).toBeCloseTo(plain.standardErrors[at], 9);
    }
  });

  it('refuses ties alone, an item that never lost, and a table of ties that is not symmetric', () => {
    const none = [
      [0, 0],
      [0, 0],
    ];
    expect(() =>
      davidsonFit(
        [
          [0, 3],
          [0, 0],
        ],
        none,
      ),
    ).toThrow('never lost');
    expect(() =>
      davidsonFit(none, [
        [0, 3],
        [3, 0],
      ]),
    ).toThrow('No comparison has a winner.');
    expect(() =>
      davidsonFit(none, [
        [0, 1],
        [2, 0],
      ]),
    ).toThrow('not symmetric');
  });
});
