import { beforeEach, describe, expect, test } from 'vitest';
import { createModel, type Model } from '../../../../engine/models/model.ts';
import { configOf } from '../../../../engine/models/config.ts';
import type { OpenFolder } from '../../../../engine/models/checkpoint.ts';
import { averaged } from '../../../../engine/rl/run/averaged.ts';

const shape = { family: 'gpt2', width: 8, layers: 1, heads: 1, context: 8 } as const;
const modelOf = (seed: number, width = 8): Model =>
  createModel(configOf({ ...shape, width }, 12, 'next-token'), seed);
const resources = { checkpoints: { start: '1', other: '2', wide: 'wide' } };
const open = ((folder: string) =>
  Promise.resolve({
    model: folder === 'wide' ? modelOf(1, 16) : modelOf(Number(folder)),
  })) as unknown as OpenFolder;
const place = { resources, open, where: 'models.policy' };

describe('an average of checkpoints', () => {
  let own: Model;
  beforeEach(() => {
    own = modelOf(0);
  });
  test('is each weight times its share, and its own with the rest', async () => {
    const made = await averaged(
      own,
      [
        { checkpointId: 'start', weight: 0.5 },
        { checkpointId: 'other', weight: 0.25 },
      ],
      place,
    );
    const [a, b] = [modelOf(1), modelOf(2)].map(({ parameters }) => parameters.flat);
    made.parameters.flat.forEach((value, p) =>
      expect(value).toBeCloseTo(0.25 * own.parameters.flat[p] + 0.5 * a[p] + 0.25 * b[p], 6),
    );
    // the arrays that it was opened with may be in use elsewhere
    expect(own.parameters.flat).toEqual(modelOf(0).parameters.flat);
  });
  test('with a share of 1 is the other, with 0 its own', async () => {
    const all = await averaged(own, [{ checkpointId: 'start', weight: 1 }], place);
    expect(all.parameters.flat).toEqual(modelOf(1).parameters.flat);
    const none = await averaged(own, [{ checkpointId: 'start', weight: 0 }], place);
    expect(none.parameters.flat).toEqual(own.parameters.flat);
  });
  test('of shares above 1, of another shape and of an unknown one is refused at its field', async () => {
    const refused = (checkpointId: string, weight: number) =>
      averaged(
        own,
        [
          { checkpointId, weight },
          { checkpointId: 'start', weight: 0.5 },
        ],
        place,
      );
    await expect(refused('other', 0.6)).rejects.toMatchObject({ where: 'models.policy.average' });
    await expect(refused('wide', 0.1)).rejects.toMatchObject({
      where: 'models.policy.average.0.checkpointId',
    });
    await expect(refused('nobody', 0.1)).rejects.toMatchObject({ kind: 'not-found' });
  });
});
