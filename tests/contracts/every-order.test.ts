/**
 * Every order of the labeling queue: repeatable, each unlabeled item once, whatever the queue, and no answer
 * from numbers that are none.
 */
import { describe, expect, test } from 'vitest';
import { orders, type Order, type Queue } from '../../engine/labeling/index.ts';
import { stream } from '../../engine/random/random.ts';
import { rejected } from '../support/errors.ts';

const WIDTH = 4;

/** A queue with all that an order may need; every third item has a label. */
const queueOf = (count: number, seed = 1, isLabeled = (item: number) => item % 3 === 0): Queue => {
  const draw = stream(seed, 'queue', count);
  const probabilities = () => Float64Array.from({ length: count }, () => draw.next());
  return {
    count,
    labeled: Uint8Array.from({ length: count }, (_, item) => Number(isLabeled(item))),
    seed,
    features: { width: WIDTH, values: Float64Array.from({ length: count * WIDTH }, () => draw.normal()) },
    probabilities: probabilities(),
    ensemble: [probabilities(), probabilities(), probabilities()],
    gold: Array.from({ length: count }, (_, item) => item).filter((item) => item % 10 === 1),
  };
};
const without = (queue: Queue, need: keyof Queue): Queue => ({ ...queue, [need]: undefined });

const unlabeledOf = ({ count, labeled }: Queue) =>
  Array.from({ length: count }, (_, item) => item).filter((item) => labeled[item] === 0);
const rising = (items: readonly number[]) => items.toSorted((a, b) => a - b);

const covers = async (order: Order, queue: Queue): Promise<void> => {
  const entries = await order.order(queue);
  const items = entries.map(({ item }) => item);
  expect(new Set(items).size).toBe(items.length);
  const gold = new Set(order.id === 'gold' ? queue.gold : []);
  const fresh = entries.filter(({ kind }) => kind === 'new').map(({ item }) => item);
  expect(rising(fresh)).toEqual(unlabeledOf(queue).filter((item) => !gold.has(item)));
  for (const { item, kind } of entries) {
    if (kind === 'repeat') expect(queue.labeled[item]).toBe(1);
    if (kind === 'gold') expect(gold.has(item)).toBe(true);
  }
};

test('ids, titles and summaries are distinct', () => {
  for (const of of ['id', 'title', 'summary'] as const)
    expect(new Set(orders.map((order) => order[of])).size).toBe(orders.length);
});

describe.each(orders.map((order) => [order.id, order] as const))('%s', (_, order) => {
  test('lists each unlabeled item once, and other items only as what they are', () =>
    covers(order, queueOf(100)));
  test('takes queues of no, one and two items, all labeled or none', async () => {
    for (const count of [0, 1, 2])
      for (const labeled of [true, false])
        await covers(
          order,
          queueOf(count, 1, () => labeled),
        );
  });
  test('takes items that are all alike, and features of width 0', async () => {
    const queue = queueOf(30);
    const same = Float64Array.from({ length: 30 }, () => 0.5);
    await covers(order, {
      ...queue,
      features: { width: 2, values: new Float64Array(60) },
      probabilities: same,
      ensemble: [same, same],
    });
    await covers(order, { ...queue, features: { width: 0, values: new Float64Array(0) } });
    await covers(order, { ...queue, ensemble: [] });
  });
  test('repeats with the same seed, and changes ties with another', async () => {
    expect(await order.order(queueOf(60))).toEqual(await order.order(queueOf(60)));
    const same = Float64Array.from({ length: 60 }, () => 0.5);
    const alike = (seed: number): Queue => ({
      ...queueOf(60),
      seed,
      features: { width: 1, values: new Float64Array(60) },
      probabilities: same,
      ensemble: [same],
    });
    expect(await order.order(alike(1))).not.toEqual(await order.order(alike(2)));
  });
  test('does not change its queue', async () => {
    const queue = queueOf(40);
    await order.order(queue);
    expect(queue).toEqual(queueOf(40));
  });
  test.each(['features', 'probabilities', 'ensemble', 'gold'] as const)(
    'refuses a queue without %s exactly if it needs them',
    async (need) => {
      const asked = order.order(without(queueOf(10), need));
      if (order.needs.includes(need)) expect((await rejected(asked)).kind).toBe('unsupported');
      else await asked;
    },
  );
  test('refuses NaN and infinite features, and probabilities outside 0 to 1', async () => {
    const queue = queueOf(10);
    for (const bad of [Number.NaN, Infinity]) {
      const features = {
        width: WIDTH,
        values: Float64Array.from({ length: 10 * WIDTH }, (_, i) => (i === 7 ? bad : 1)),
      };
      expect((await rejected(order.order({ ...queue, features }))).kind).toBe('invalid-input');
    }
    for (const bad of [Number.NaN, -0.1, 1.1]) {
      const probabilities = Float64Array.from({ length: 10 }, () => bad);
      expect((await rejected(order.order({ ...queue, probabilities }))).kind).toBe('invalid-input');
      expect((await rejected(order.order({ ...queue, ensemble: [probabilities] }))).kind).toBe(
        'invalid-input',
      );
    }
  });
  test('refuses lists of the wrong length, and parameters that do not fit', async () => {
    const queue = queueOf(10);
    for (const wrong of [
      { ...queue, labeled: new Uint8Array(9) },
      { ...queue, probabilities: new Float64Array(3) },
      { ...queue, features: { width: WIDTH, values: new Float64Array(3) } },
      { ...queue, gold: [10] },
    ])
      expect((await rejected(order.order(wrong))).kind).toBe('invalid-input');
    expect((await rejected(order.order(queue, { unknown: 1 }))).kind).toBe('invalid-input');
  });
});
