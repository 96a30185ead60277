import { describe, expect, it } from 'vitest';
import { d3rb } from '../../engine/plans/arena/d3rb.ts';
import type { RuleParams } from '../../engine/plans/arena/rule.ts';
import { allocation, arenaRules, coefficients, probabilities, type ArmDecision } from '../../engine/index.ts';

describe('an arena', () => {
  const params = { confidence: 0, explore: 0.5, eta: 2, seed: 3 };
  const all = (arms: number) => Array.from({ length: arms }, (_none, arm) => arm);
  /** Arms with fixed rewards: the candidates of the first pulls. */
  const played = (
    rule: string,
    means: readonly number[],
    pulls: number,
    {
      decisions = [],
      arms = means.length,
      ...own
    }: Partial<RuleParams> & { readonly decisions?: readonly ArmDecision[]; readonly arms?: number } = {},
  ) => {
    const rewards: number[] = [];
    const chosen = () => allocation(rule, arms, rewards, { ...params, ...own }, decisions);
    for (let at = 0; at < pulls; at++) rewards.push(means[chosen()[at]]);
    return chosen().slice(0, pulls);
  };
  const counts = (arms: readonly number[], of: number) =>
    Array.from({ length: of }, (_none, arm) => arms.filter((each) => each === arm).length);

  it('of regret balancing allocates fixed rewards 1 and 0 as worked out by hand', () => {
    // d doubles after pulls 2 and 5 of the worse arm, where d / √n < 1; it is pulled when √n of the better one
    // exceeds d √n of its own: after 9, 13, 17 and 81 pulls of that
    const arms = played('d3rb', [1, 0], 87);
    expect(arms.slice(0, 4)).toEqual([0, 1, 0, 1]);
    expect(arms.flatMap((arm, at) => (arm === 1 ? [at] : []))).toEqual([1, 3, 11, 16, 21, 86]);
    const pulls = arms.map((arm) => ({ arm, reward: 1 - arm }));
    expect(coefficients(pulls.slice(0, 3), 2, params)).toEqual([1, 1]);
    expect(coefficients(pulls.slice(0, 4), 2, params)).toEqual([1, 2]);
    expect(coefficients(pulls.slice(0, 22), 2, params)).toEqual([1, 4]);
  });

  it('of regret balancing treats equally good candidates equally, and the worst ones least', () => {
    expect(counts(played('d3rb', [0.5, 0.5, 0.5], 30), 3)).toEqual([10, 10, 10]);
    const [best, middle, worst] = counts(played('d3rb', [0.9, 0.6, 0.1], 300), 3);
    expect(best).toBeGreaterThan(middle);
    expect(middle).toBeGreaterThan(worst);
    expect(counts(played('d3rb', [1, 0], 60, { confidence: 10 }), 2)).toEqual([30, 30]);
  });

  it('of regret balancing gives eight rewards, three of them misleading, what ORSO’s closed form says', () => {
    // without width, a misleading one (0 against 1) doubles d after each pull at which d < √n, that is, from
    // d_min = ½ on: d = ½ after no pull; 1 after the first (½ < 1), 2 after the second (1 < √2), then 2 = √4 is
    // not enough, and 4 after the fifth. It is pulled when d √n falls below √n of the good ones, n ⁄ 4: n > 4 d² n
    const own = { regret: 0.5 };
    const pulls: { arm: number; reward: number }[] = [];
    while (pulls.length < 5 * 33 + 3 * 3) {
      const arm = d3rb.pick(pulls, all(8), { ...params, ...own });
      pulls.push({ arm, reward: Number(arm < 5) });
    }
    const arms = pulls.map(({ arm }) => arm);
    expect(arms.slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    // d² n: 1 · 1 after one pull, 4 · 2 after two, where good ones have n ⁄ 4: pulled at n = 5 (one before) and 33
    expect(counts(arms, 8)).toEqual([33, 33, 33, 33, 33, 3, 3, 3]);
    expect(coefficients(pulls, 8, { ...params, ...own })).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 2, 2, 2]);
    expect(counts(played('uniform', [1, 1, 1, 1, 1, 0, 0, 0], 24), 8)).toEqual(Array(8).fill(3));
  });

  it('of Exp3 has the probabilities of its formula', () => {
    expect(probabilities([], all(2), params)).toEqual([0.5, 0.5]);
    const [p] = probabilities([{ arm: 0, reward: 1 }], all(2), params);
    const first = 0.5 / (1 + Math.exp(-0.5)) + 0.25;
    expect(p).toBeCloseTo(first, 12);
    const [q] = probabilities(
      [
        { arm: 0, reward: 1 },
        { arm: 1, reward: 0.4 },
      ],
      all(2),
      params,
    );
    const log = 0.5 - (0.5 * 0.4) / ((1 - first) * 2);
    expect(q).toBeCloseTo(0.5 / (1 + Math.exp(-log)) + 0.25, 12);
    const drawn = counts(played('exp3', [1, 0], 200, { explore: 0.1 }), 2);
    expect(drawn[0]).toBeGreaterThan(140);
    expect(played('exp3', [1, 0], 50)).toEqual(played('exp3', [1, 0], 60).slice(0, 50));
  });

  it('of successive halving gives rungs to the best half, and the rest to the last', () => {
    expect(played('successive-halving', [0.1, 0.4, 0.2, 0.3], 9)).toEqual([0, 1, 2, 3, 1, 3, 1, 1, 1]);
  });

  it('of explore-then-commit gives all that is left to the best after its trials, whatever follows', () => {
    expect(played('explore-then-commit', [0.2, 0.9, 0.5], 10, { trials: 2 })).toEqual([
      0, 1, 2, 0, 1, 2, 1, 1, 1, 1,
    ]);
    // its regret is that of the trials: 2 · (.7 + .4)
    const lost = [0, 1, 2, 0, 1, 2, 1, 1].reduce((sum, arm) => sum + 0.9 - [0.2, 0.9, 0.5][arm], 0);
    expect(lost).toBeCloseTo(2 * (0.7 + 0.4), 12);
    // a candidate that fails after its trials keeps the budget
    expect(allocation('explore-then-commit', 2, [0.6, 0.5, 0, 0, 0], { ...params, trials: 1 })).toEqual([
      0, 1, 0, 0, 0, 0,
    ]);
  });

  describe.each(arenaRules.map(({ id }) => id))('by %s', (rule) => {
    const means = [0.9, 0.5, 0.1, 0.8];
    it('changes nothing that was handed out before a decision', () => {
      const decisions: ArmDecision[] = [
        { at: 7, arm: 0, mode: 'paused' },
        { at: 9, arm: 2, mode: 'pinned' },
        { at: 12, arm: 3, mode: 'free' },
      ];
      const [before, after] = [
        played(rule, means, 7, { arms: 3 }),
        played(rule, means, 20, { arms: 3, decisions }),
      ];
      expect(after.slice(0, 7)).toEqual(before);
      expect(after.slice(7)).not.toContain(0);
      expect(after.slice(0, 12)).not.toContain(3);
      expect(after.slice(12)).toContain(3);
    });
    it('gives a pinned candidate an equal share at least', () => {
      const decisions: ArmDecision[] = [{ at: 4, arm: 2, mode: 'pinned' }];
      const arms = played(rule, means, 24, { decisions });
      for (let from = 4; from < 24; from += 4)
        expect(arms.slice(4, from + 4).filter((arm) => arm === 2).length).toBeGreaterThanOrEqual(
          (from - 4) / 4 + 1,
        );
    });
    it('goes on with a candidate that is freed again', () => {
      const decisions: ArmDecision[] = [
        { at: 0, arm: 0, mode: 'paused' },
        { at: 8, arm: 0, mode: 'free' },
      ];
      const arms = played(rule, means, 16, { decisions });
      expect(arms.slice(0, 8)).not.toContain(0);
      expect(arms.slice(8)).toContain(0);
    });
  });

  it('of Exp3 takes a pinned budget as one that was certain', () => {
    const pulls = [{ arm: 1, reward: 1, among: [0, 1], isPinned: true }];
    const grown = Math.exp(0.5 / 2);
    expect(probabilities(pulls, all(2), params)[1]).toBeCloseTo(0.5 * (grown / (1 + grown)) + 0.25, 12);
  });
});
