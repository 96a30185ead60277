import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { tooFewPairs } from '../../renderer/features/runs/form/held-out.ts';
import { pairsOf, stockFor } from '../../renderer/features/runs/form/model-defaults.ts';
import { noFindings } from '../support/findings.ts';
import { catalogue, labelSet } from '../support/launch-form.ts';

const unmarked: Dataset = {
  id: 'd',
  name: 'd',
  source: 'd.jsonl',
  hash: 'd',
  createdAt: 1,
  rows: 500,
  doctor: noFindings,
};

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
  it('are unknown for a dataset that was curated after its import', () => {
    const datasets = [{ ...unmarked, doctor: { ...noFindings, pairs: 100 }, curated: true }];
    const task = { kind: 'dataset', datasetId: 'd', heldout: 0.5 };
    expect(pairsOf({ labelSets: [], datasets }, task)).toBeNull();
  });
});

describe('a dataset without marks at its import', () => {
  const offered = (curated: boolean) =>
    catalogue.taskKinds
      .filter(({ offeredBy }) => offeredBy.includes('dataset'))
      .map((kind) => {
        const datasets = [{ ...unmarked, ...(curated && { curated }) }];
        return [kind.trainsOn, stockFor({ catalogue, datasets, labelSets: [] }, kind).datasets.length];
      });
  it('is offered for marked answers and pairs once it was curated', () => {
    expect(new Set(offered(true).map(([, count]) => count))).toEqual(new Set([1]));
    for (const [trainsOn, count] of offered(false))
      expect(count).toBe(trainsOn === 'pairs' || trainsOn === 'graded' ? 0 : 1);
  });
});
