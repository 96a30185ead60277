import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Choice, LabelSet } from '../../preload/contract/labels.ts';
import { defaultOptions } from '../../preload/wire/label-options.ts';
import { Bulk, type BulkPort } from '../../renderer/features/labeling/bulk.svelte.ts';
import { bulkVerdicts } from '../../renderer/features/labeling/bulk-verdicts.ts';
import { labelModes, ModeId } from '../../engine/schema/labeling/index.ts';

/** A set of items in memory that implements the contract, and can be set to fail. */
async function begin(count: number) {
  const decided = new Map<number, Choice>();
  const events: number[] = [];
  const far = { refuse: false, parts: [] as number[] };
  const progress = async () => ({ pairs: count, labeled: decided.size, perMinute: null, leftShare: null });
  const port: BulkPort = {
    labels: { set: async () => ({ id: 's', name: 's' }) as LabelSet, progress },
    labelBulk: {
      find: async ({ state = 'open', text = '' }) =>
        Array.from({ length: count }, (_none, at) => at).filter(
          (at) => (state === 'all' || decided.has(at) === (state === 'mine')) && `item ${at}`.includes(text),
        ),
      items: async ({ positions }) =>
        positions.map((position) => ({
          position,
          prompt: `item ${position}`,
          answers: [],
          choice: decided.get(position) ?? null,
        })),
      decide: async ({ positions, choice }) => {
        if (far.refuse) throw new WhetstoneError('disk-full', 'The disk is full.');
        far.parts.push(positions.length);
        const sequences = positions.map((position) => {
          decided.set(position, choice);
          return events.push(position) - 1;
        });
        return { sequences, progress: await progress() };
      },
      undo: async ({ sequences }) => {
        for (const each of sequences) decided.delete(events[each]);
        return { undone: sequences.length, progress: await progress() };
      },
    },
  };
  const bulk = new Bulk('s', 'me', port);
  await bulk.start();
  return { bulk, decided, far };
}

describe('a bulk pass', () => {
  it('decides the selected items alike, else the one at the cursor, and goes on', async () => {
    const { bulk, decided } = await begin(10);
    await bulk.decide('tie', 'tie');
    expect([...decided]).toEqual([[0, 'tie']]);
    bulk.move(1);
    bulk.move(2, true);
    expect([...bulk.selected]).toEqual([2, 3, 4]);
    bulk.move(-1);
    bulk.toggle();
    expect([...bulk.selected]).toEqual([2, 4]);
    await bulk.decide('left is better', 'left');
    expect([...decided.keys()]).toEqual([0, 2, 4]);
    expect([bulk.positions, bulk.selected.size]).toEqual([[1, 3, 5, 6, 7, 8, 9], 0]);
  });

  it('takes each action back as a whole, the newest first', async () => {
    const { bulk, decided } = await begin(10);
    bulk.selectAll();
    await bulk.decide('skip', 'skip');
    expect([decided.size, bulk.cursor, bulk.positions]).toEqual([10, null, []]);
    await bulk.undo();
    expect([decided.size, bulk.positions.length, bulk.actions.length]).toEqual([0, 10, 0]);
    await bulk.undo();
    expect(bulk.error).toBeNull();
  });

  it('keeps the selection if the decisions were not written', async () => {
    const { bulk, decided, far } = await begin(10);
    far.refuse = true;
    bulk.selectAll();
    await bulk.decide('skip', 'skip');
    expect([bulk.error?.kind, bulk.selected.size, decided.size, bulk.busy]).toEqual([
      'disk-full',
      10,
      0,
      false,
    ]);
  });

  it('divides many items into parts, between which it can be stopped', async () => {
    const { bulk, far } = await begin(5000);
    bulk.selectAll();
    const running = bulk.decide('skip', 'skip');
    expect(bulk.busy).toBe(true);
    bulk.clear();
    await running;
    expect(far.parts).toEqual([2000]);
    expect([bulk.actions[0].sequences.length, bulk.positions.length]).toEqual([2000, 3000]);
  });

  it('has for every mode only decisions that the mode accepts', () => {
    for (const id of ModeId.options) {
      const mode = labelModes.find((each) => each.id === id);
      const keys = bulkVerdicts(id, defaultOptions).flatMap((each) => each.keys);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { choice, value } of bulkVerdicts(id, defaultOptions)) {
        if (choice === 'skip') continue;
        const schema = mode?.value?.(1, defaultOptions, ['a text']) ?? null;
        expect(choice === 'answered').toBe(schema !== null);
        expect(schema?.safeParse(value).success ?? true).toBe(true);
      }
    }
  });
});
