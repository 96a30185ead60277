import { describe, expect, test } from 'vitest';
import { confidentLearning } from '../../../engine/data/index.ts';
import { fitHead, judged, learningCurve, type LabeledPairs } from '../../../engine/labeling/index.ts';
import { followed } from '../../../engine/pace/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { rejected } from '../../support/errors.ts';

/** Pairs of a labeler with hidden weights, who errs in a share of them. */
const labeled = (
  count: number,
  width: number,
  noise = 0,
  seed = 1,
): LabeledPairs & { readonly wrong: ReadonlySet<number> } => {
  const draw = stream(seed, 'labeled pairs');
  const hidden = Array.from({ length: width }, () => draw.normal());
  const differences = Float64Array.from(
    { length: count * width },
    (_, at) => draw.normal() * (1 + (at % width)),
  );
  const wrong = new Set<number>();
  const targets = Float64Array.from({ length: count }, (_, p) => {
    const margin = hidden.reduce((sum, w, f) => sum + (w * differences[p * width + f]) / (1 + f), 0);
    if (draw.next() < noise) wrong.add(p);
    return Number(margin > 0 !== wrong.has(p));
  });
  return {
    differences,
    width,
    targets,
    prompts: Array.from({ length: count }, (_, p) => `prompt ${p >> 1}`),
    wrong,
  };
};

describe('a head', () => {
  test('judges left-out prompts as the labeler does, whatever the scale of the features', async () => {
    const pairs = labeled(400, 6);
    const head = await fitHead(pairs);
    expect(head.heldout?.accuracy).toBeGreaterThan(0.93);
    expect(head.heldout?.labels).toBe(400);
    const { probabilities, ensemble } = judged(head, pairs.differences);
    const right = pairs.targets.filter((target, p) => probabilities[p] > 0.5 === (target === 1)).length;
    expect(right / 400).toBeGreaterThan(0.95);
    expect(ensemble).toHaveLength(8);
  });
  test('finds nothing in labels without a signal: its interval holds one half', async () => {
    const pairs = labeled(300, 8, 0.5, 3);
    const { heldout } = await fitHead(pairs);
    expect(heldout?.interval[0]).toBeLessThan(0.5);
    expect(heldout?.interval[1]).toBeGreaterThan(0.45);
  });
  test('has an ensemble that agrees more, the more labels there are', async () => {
    const spread = async (count: number) => {
      const pairs = labeled(count, 5, 0.1);
      const { ensemble } = judged(await fitHead(pairs), labeled(100, 5, 0, 9).differences);
      return Array.from({ length: 100 }, (_, p) => {
        const own = ensemble.map((head) => head[p]);
        return Math.max(...own) - Math.min(...own);
      }).reduce((a, b) => a + b, 0);
    };
    expect(await spread(800)).toBeLessThan(await spread(60));
  });
  test('repeats bit for bit with the same seed', async () => {
    const pairs = labeled(80, 4, 0.1);
    expect(await fitHead(pairs, { seed: 5 })).toEqual(await fitHead(pairs, { seed: 5 }));
  });
  test('weights labels: a label of weight 0 counts for nothing', async () => {
    const pairs = labeled(100, 3);
    const half = Float64Array.from({ length: 100 }, (_, p) => Number(p < 50));
    const spoiled = pairs.targets.map((target, p) => (p < 50 ? target : 1 - target));
    const { weights } = await fitHead({ ...pairs, targets: spoiled, weights: half });
    const { probabilities } = judged({ weights, ensemble: [] }, pairs.differences);
    const right = pairs.targets.filter((target, p) => probabilities[p] > 0.5 === (target === 1)).length;
    expect(right).toBeGreaterThan(85);
  });
  test('takes pairs of one prompt, without a held-out accuracy', async () => {
    const pairs = { ...labeled(10, 2), prompts: Array<string>(10).fill('one') };
    const { heldout, probabilities } = await fitHead(pairs);
    expect([heldout, probabilities]).toEqual([null, null]);
  });
  test('gives confident learning the probabilities by which it finds wrong labels', async () => {
    const pairs = labeled(500, 6, 0.08, 4);
    const { probabilities } = await fitHead(pairs);
    const { wrong } = confidentLearning({
      ids: pairs.prompts.map((_, p) => `${p}`),
      labels: pairs.targets,
      probabilities: [...(probabilities ?? [])].flatMap((p) => [1 - p, p]),
      classes: 2,
    });
    const found = wrong.slice(0, 20).filter(({ id }) => pairs.wrong.has(Number(id))).length;
    expect(found).toBeGreaterThanOrEqual(17);
  });
  test('refuses one label, NaN features, and lists of unequal lengths', async () => {
    const pairs = labeled(10, 2);
    const bad = async (change: Partial<LabeledPairs>) =>
      (await rejected(fitHead({ ...pairs, ...change }))).where;
    expect(
      await bad({ targets: new Float64Array(1), differences: new Float64Array(2), prompts: ['a'] }),
    ).toBe('labels');
    expect(await bad({ differences: new Float64Array(20).fill(Number.NaN) })).toBe('features');
    expect(await bad({ differences: new Float64Array(19) })).toBe('features');
    expect(await bad({ prompts: ['a'] })).toBe('features');
    expect(await bad({ targets: new Float64Array(10).fill(2) })).toBe('labels');
    expect(await bad({ weights: new Float64Array(10).fill(-1) })).toBe('weights');
  });
  test('is cancelled between two pieces of its work', async () => {
    const stop = AbortSignal.abort();
    expect((await rejected(followed({ stop }, () => fitHead(labeled(50, 3))))).kind).toBe('cancelled');
  });
});

test('a learning curve rises with the labels, and ends near the accuracy of the whole fit', async () => {
  const pairs = labeled(400, 10, 0.05, 6);
  const { penalty, heldout } = await fitHead(pairs);
  const curve = await learningCurve(pairs, [10, 80, 400], { penalty });
  expect(curve.map(({ labels }) => labels)).toEqual([10, 80, 400]);
  expect(curve[2].accuracy).toBeGreaterThan(curve[0].accuracy);
  expect(Math.abs(curve[2].accuracy - (heldout?.accuracy ?? 0))).toBeLessThan(0.03);
  for (const { accuracy, interval } of curve) {
    expect(interval[0]).toBeLessThanOrEqual(accuracy);
    expect(interval[1]).toBeGreaterThanOrEqual(accuracy);
  }
  expect((await rejected(learningCurve(pairs, [0], { penalty }))).where).toBe('sizes');
});
