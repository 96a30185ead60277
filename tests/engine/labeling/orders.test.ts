import { describe, expect, test } from 'vitest';
import { kMeans, orderOf, orders, type Queue } from '../../../engine/labeling/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { rejected } from '../../support/errors.ts';

const queueOf = (queue: Partial<Queue> & { readonly count: number }): Queue => ({
  labeled: new Uint8Array(queue.count),
  seed: 1,
  ...queue,
});
const itemsOf = async (id: string, queue: Queue, params?: unknown) =>
  (await orderOf(orders, id).order(queue, params)).map(({ item }) => item);
const line = (...values: number[]) => ({ values: Float64Array.from(values), width: 1 });

test('random puts every item first about equally often', async () => {
  const first = new Float64Array(5);
  for (let seed = 0; seed < 500; seed++) first[(await itemsOf('random', queueOf({ count: 5, seed })))[0]]++;
  first.forEach((n) => expect(Math.abs(n - 100)).toBeLessThan(40));
});

test('most uncertain begins where the judge is nearest to even, on either side', async () => {
  const probabilities = Float64Array.of(0.9, 0.45, 0.02, 0.52, 0.2);
  expect(await itemsOf('uncertain', queueOf({ count: 5, probabilities }))).toEqual([3, 1, 4, 0, 2]);
});

test('disagreement begins where heads contradict one another, not where all are unsure', async () => {
  const ensemble = [Float64Array.of(0.5, 0.99, 0.9, 0.6), Float64Array.of(0.5, 0.01, 0.9, 0.4)];
  expect((await itemsOf('disagreement', queueOf({ count: 4, ensemble }))).slice(0, 2)).toEqual([1, 3]);
});

test('expected model change is 2 p (1 − p) times the length of the features', async () => {
  const probabilities = Float64Array.of(0.5, 0.5, 0.9, 0.99);
  const features = { width: 2, values: Float64Array.of(0.4, 0.4, 4, 4, 40, 40, 0, 1) };
  // times the same factor, as both features have nearly the same mean square: 0.5 · 0.4, 0.5 · 4, 0.18 · 40, …
  expect(await itemsOf('model-change', queueOf({ count: 4, features, probabilities }))).toEqual([2, 1, 0, 3]);
  const rescaled = { width: 2, values: features.values.map((x, at) => (at % 2 === 0 ? 1000 * x : x)) };
  expect(await itemsOf('model-change', queueOf({ count: 4, features: rescaled, probabilities }))).toEqual([
    2, 1, 0, 3,
  ]);
});

describe('novelty', () => {
  test('goes to the farthest from what is labeled, then from what was chosen', async () => {
    const features = line(0, 1, 10, 11, 5);
    const labeled = Uint8Array.of(1, 0, 0, 0, 0);
    expect(await itemsOf('novelty', queueOf({ count: 5, features, labeled }))).toSatisfy(
      // items 1 and 2 are equally far from their neighbours
      ([first, second, ...rest]: number[]) => first === 3 && second === 4 && rest.length === 2,
    );
  });
  test('covers better than a random choice: greedy k-centre is within twice the best radius', async () => {
    const draw = stream(2, 'points');
    const values = Float64Array.from({ length: 300 }, () => draw.normal());
    const radius = (chosen: readonly number[]) =>
      Math.max(...values.map((x) => Math.min(...chosen.map((item) => Math.abs(x - values[item])))));
    const queue = queueOf({ count: 300, features: { values, width: 1 } });
    const best = radius((await itemsOf('novelty', queue)).slice(0, 8));
    for (let seed = 0; seed < 5; seed++)
      expect(best).toBeLessThanOrEqual(radius((await itemsOf('random', { ...queue, seed })).slice(0, 8)));
  });
  test('queues the items after the first ones by their distance to those', async () => {
    const features = line(0, 1, 10, 11, 5);
    const labeled = Uint8Array.of(1, 0, 0, 0, 0);
    const items = await itemsOf('novelty', queueOf({ count: 5, features, labeled }), { ahead: 1 });
    // after 11: 5 is 5 away from 0, 1 and 10 are 1 away from 0 and 11
    expect(items.slice(0, 2)).toEqual([3, 4]);
  });
});

/** Three far groups of 60, 30 and 10 items. */
const groups = {
  values: Float64Array.from({ length: 100 }, (_, i) => (i < 60 ? 0 : i < 90 ? 100 : 200) + (i % 7) / 10),
  width: 1,
};
const groupOf = (item: number) => (item < 60 ? 0 : item < 90 ? 1 : 2);
const countsOf = (items: readonly number[]) =>
  [0, 1, 2].map((group) => items.filter((item) => groupOf(item) === group).length);

describe('by cluster', () => {
  test('k-means finds far groups, and the same ones with the same seed', async () => {
    const of = await kMeans(groups, 3, 5);
    for (let i = 0; i < 100; i++)
      for (let j = 0; j < i; j++) expect(of[i] === of[j]).toBe(groupOf(i) === groupOf(j));
    expect(await kMeans(groups, 3, 5)).toEqual(of);
    expect(await kMeans({ values: new Float64Array(0), width: 3 }, 3, 5)).toHaveLength(0);
  });
  test('takes from each cluster in proportion to its size, at every point of the queue', async () => {
    const items = await itemsOf('by-cluster', queueOf({ count: 100, features: groups }), { clusters: 3 });
    for (const n of [10, 20, 50]) {
      const found = countsOf(items.slice(0, n));
      [0.6, 0.3, 0.1].forEach((share, group) =>
        expect(Math.abs(found[group] - share * n)).toBeLessThanOrEqual(1),
      );
    }
  });
  test('counts labels already given', async () => {
    const labeled = Uint8Array.from({ length: 100 }, (_, item) => Number(item < 20));
    const items = await itemsOf('by-cluster', queueOf({ count: 100, features: groups, labeled }), {
      clusters: 3,
    });
    expect(countsOf(items.slice(0, 12))[0]).toBe(0);
  });
});

describe('items that are mixed in', () => {
  const labeled = Uint8Array.from({ length: 300 }, (_, item) => Number(item < 100));
  test('repeats are the chosen share of the queue, spread over it, each labeled item once at most', async () => {
    const entries = await orderOf(orders, 'repeats').order(queueOf({ count: 300, labeled }), { share: 0.2 });
    const at = entries.flatMap(({ kind }, i) => (kind === 'repeat' ? [i] : []));
    expect(Math.abs(at.length / entries.length - 0.2)).toBeLessThan(0.02);
    for (let from = 0; from + 50 <= entries.length; from += 50) {
      const own = at.filter((i) => i >= from && i < from + 50).length;
      expect(Math.abs(own - 10)).toBeLessThanOrEqual(1);
    }
    // places cannot be foretold
    expect(new Set(at.slice(1).map((i, k) => i - at[k])).size).toBeGreaterThan(2);
  });
  test('gold is the chosen share, and leaves the rest of the queue when there is no more', async () => {
    const gold = Array.from({ length: 10 }, (_, i) => 100 + i);
    const entries = await orderOf(orders, 'gold').order(queueOf({ count: 300, labeled, gold }), {
      share: 0.1,
    });
    const at = entries.flatMap(({ kind }, i) => (kind === 'gold' ? [i] : []));
    expect(at).toHaveLength(10);
    expect(at[9]).toBeLessThan(100);
    expect(entries).toHaveLength(200);
  });
  test('keep the order of the others, and need what that needs', async () => {
    const probabilities = Float64Array.from({ length: 300 }, (_, item) => 0.5 + item / 1000);
    const queue = queueOf({ count: 300, labeled, probabilities });
    const entries = await orderOf(orders, 'repeats').order(queue, { over: 'uncertain' });
    expect(entries.filter(({ kind }) => kind === 'new').map(({ item }) => item)).toEqual(
      await itemsOf('uncertain', queue),
    );
    const asked = orderOf(orders, 'repeats').order(queueOf({ count: 300, labeled }), { over: 'uncertain' });
    expect((await rejected(asked)).kind).toBe('unsupported');
  });
});
