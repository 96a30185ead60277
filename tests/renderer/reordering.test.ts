import { describe, expect, it } from 'vitest';
import { Labeling } from '../../renderer/features/labeling/labeling.svelte.ts';
import { reordered } from '../../renderer/features/labeling/reordering.ts';
import { Far } from '../support/label-port.ts';

const items = (...ids: string[]) => ids.map((pairId) => ({ pairId }));
const idsOf = (list: readonly { pairId: string }[]): string => list.map(({ pairId }) => pairId).join('');
const firstTwo = (_item: unknown, at: number): boolean => at < 2;

describe('a queue that was ordered anew', () => {
  it('keeps the items on the screen, and takes the others in the new order', () => {
    const before = items('a', 'b', 'c', 'd');
    const now = { before, now: before, writing: [] };
    expect(idsOf(reordered(now, items('d', 'e', 'c'), firstTwo))).toBe('abdec');
  });

  it('never shows an item again that was decided while the order was fetched', () => {
    const during = { before: items('a', 'b', 'c', 'd'), now: items('c', 'd'), writing: ['b'] };
    expect(idsOf(reordered(during, items('a', 'b', 'c', 'e', 'd'), firstTwo))).toBe('cde');
  });

  it('does so on the labeling screen', async () => {
    const far = new Far(200);
    const labeling = new Labeling('set', far, { now: () => 0, afterPaint: (done) => done() });
    await labeling.start();
    far.pairs.reverse();
    await labeling.reorder();
    expect(labeling.queue.slice(0, 4).map(({ position }) => position)).toEqual([0, 1, 199, 198]);
    await labeling.press('left');
    await labeling.press('left');
    expect(labeling.current?.position).toBe(199);
  });
});
