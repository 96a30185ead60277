import { describe, expect, it } from 'vitest';
import { probeEffect } from '../../engine/probes/index.ts';

const prompts = Array.from({ length: 40 }, (_none, at) => `p${at >> 1}`);
const before = prompts.map((_prompt, at) => (at % 5) - 2);
/** Deviation of −2 … 2 as a sample of 40. */
const spread = Math.sqrt((2 * 40) / 39);

describe('the effect of a probe', () => {
  it('is the mean change in deviations of the scores, with the share of those that fell', () => {
    const after = before.map((score, at) => score - (at % 2 ? 0 : 1));
    const { n, effect, fell, interval } = probeEffect('lower', { before, after, prompts }, before);
    expect([n, fell]).toEqual([40, 0.5]);
    expect(effect).toBeCloseTo(-0.5 / spread, 12);
    // each prompt has one answer of each kind, and prompts are resampled whole
    expect(interval).toEqual([expect.closeTo(effect, 12), expect.closeTo(effect, 12)]);
  });

  it.each([
    ['same', 0, 'passed'],
    ['same', 0.5, 'failed'],
    ['same', -0.5, 'failed'],
    ['lower', -0.5, 'passed'],
    ['lower', 0, 'failed'],
    ['lower', 0.5, 'failed'],
  ] as const)('of an edit that expects %s and moves scores by %s is %s', (expects, change, verdict) => {
    const after = before.map((score) => score + change);
    expect(probeEffect(expects, { before, after, prompts }, before).verdict).toBe(verdict);
  });

  it('is unclear where the interval reaches over the bound', () => {
    const after = before.map((score, at) => score + (Number(prompts[at].slice(1)) % 2 ? 3 : -2.5));
    expect(probeEffect('same', { before, after, prompts }, before).verdict).toBe('unclear');
    expect(probeEffect('lower', { before, after, prompts }, before).verdict).toBe('unclear');
  });

  it('is refused where all answers have the same score', () => {
    const equal = before.map(() => 1);
    expect(() => probeEffect('same', { before: equal, after: equal, prompts }, equal)).toThrow(
      'All held-out answers have the same score.',
    );
  });
});
