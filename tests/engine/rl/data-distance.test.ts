import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { dataDistances } from '../../../engine/rl/tools/data-distance.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { lastCheckpoint, runInto, toyModel } from '../../support/toy-run.ts';

const copy = { world: { id: 'toy/copy', params: { letters: 4, length: 3, wrong: 0 } } };
let device: Device;
let folder: string;
let checkpoint: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-distance-'));
  const spec = checkSpec({
    method: { id: 'sft' },
    models: toyModel,
    task: { kind: 'world', ...copy.world },
    sampling: { maxTokens: 4 },
    budget: { steps: 1, batch: 2 },
    evaluation: { problems: 0 },
  });
  checkpoint = lastCheckpoint((await runInto(device, spec, join(folder, 'run'))).seen);
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});
const textsOf = (prompt: string, answer: string) => ({
  texts: Array.from({ length: 8 }, () => ({ prompt, answer })),
});

describe('the distance of data', () => {
  test('is small for other draws of the same data, and larger the more it differs', async () => {
    const input = { folder: checkpoint, from: copy, texts: 64, seed: 3 };
    const to = [copy, textsOf('abc>', 'abc'), textsOf('aaa>', 'aaa')];
    const [same, one, far] = await dataDistances(device, { ...input, to });
    expect(same).toBeLessThan(0.5);
    expect(one).toBeGreaterThan(same);
    expect(far).toBeGreaterThan(one);
    expect(await dataDistances(device, { ...input, to })).toEqual([same, one, far]);
  });
  test('needs texts on both sides, and more than one to start from', async () => {
    const input = { folder: checkpoint, texts: 8, seed: 0 };
    await expect(dataDistances(device, { ...input, from: copy, to: [{ texts: [] }] })).rejects.toThrow(
      'no texts',
    );
    await expect(
      dataDistances(device, { ...input, from: textsOf('abc>', 'abc'), to: [copy] }),
    ).rejects.toThrow('the same to the model');
  });
});
