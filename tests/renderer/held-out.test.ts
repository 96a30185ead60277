import { describe, expect, it } from 'vitest';
import { tooFewPairs } from '../../renderer/features/runs/form/held-out.ts';
import { pairsOf } from '../../renderer/features/runs/form/model-defaults.ts';
import { labelSet } from '../support/launch-form.ts';

describe('held-out pairs of a judge', () => {
  it('are too few below 97, where the interval of .5 is wider than ±.10', () => {
    expect(tooFewPairs({ trained: 900, heldOut: 97 })).toBeNull();
    expect(tooFewPairs({ trained: 900, heldOut: 96 })).toMatch(/^About 96 pairs of 996 are held out/);
    // 1.96 · √(.25 / 17) = .238; 97 of 17 in 170 are 970
    expect(tooFewPairs({ trained: 153, heldOut: 17 })).toMatch(/known to ±\.24, .* Label about 970 pairs/);
  });
  it('are none, or unknown', () => {
    expect(tooFewPairs({ trained: 5, heldOut: 0 })).toMatch(/No pair is held out/);
    expect(tooFewPairs(null)).toBeNull();
  });
  it('are counted from the decided labels, or the pairs that they imply, and the held-out share', () => {
    const stock = { labelSets: [{ ...labelSet('set'), decided: 200 }], datasets: [] };
    const task = { kind: 'labels', labelSetId: 'set' };
    expect(pairsOf(stock, { ...task, heldout: 0.25 })).toEqual({ trained: 150, heldOut: 50 });
    const ranked = { ...stock, labelSets: [{ ...labelSet('set'), decided: 200, implied: 1200 }] };
    expect(pairsOf(ranked, { ...task, heldout: 0.25 })).toEqual({ trained: 900, heldOut: 300 });
    expect(pairsOf(stock, { kind: 'world', id: 'arithmetic' })).toBeNull();
  });
});
