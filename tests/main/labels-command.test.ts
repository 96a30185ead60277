import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { labelsCommand } from '../../main/commands/labels.ts';
import { createFolder } from '../../main/store/folder.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest } from '../support/workspace.ts';

/** A workspace with a dataset, and the command `labels` on it. */
async function commandForTest() {
  const folder = join(temporaryFolder(), 'work');
  const { store, close } = await createFolder(folder);
  const dataset = await datasetForTest(store);
  await close();
  const run = async <T>(action: string, values: Record<string, string> = {}): Promise<T> =>
    (
      await labelsCommand.run({
        positionals: [action],
        values: { workspace: folder, ...values },
        json: true,
        log: () => undefined,
      })
    ).value as T;
  return { dataset, run };
}

describe('the command labels', () => {
  it('creates a set, decides an item, undoes, redoes and reviews', async () => {
    const { dataset, run } = await commandForTest();
    const options = JSON.stringify({ reasons: ['shorter'] });
    const { id: set } = await run<{ id: string }>('create', { dataset, options });
    const { pairId: item } = await run<{ pairId: string }>('next', { set });
    const details = JSON.stringify({ strength: 3, reasons: ['shorter'] });
    const decided = { item, verdict: 'left', details, labeler: 'ann' };
    expect(await run('decide', decided)).toMatchObject({ labeled: 1 });
    expect(await run('undo', { set })).toBeNull();
    expect(await run('undo', { set, labeler: 'ann' })).toMatchObject({ pairId: item });
    expect(await run('redo', { set, labeler: 'ann' })).toMatchObject({ pairId: item, choice: 'left' });
    const filter = JSON.stringify({ reason: 'shorter' });
    expect(await run('review', { set, filter })).toMatchObject({ total: 1 });
    expect(await run('labelers', { set })).toEqual([{ labeler: 'ann', labeled: 1 }]);
  });

  it('names the flag and the field that is wrong', async () => {
    const { dataset, run } = await commandForTest();
    for (const [values, where] of [
      [{ dataset, options: '{' }, '--options'],
      [{ dataset, options: '{"overlap":0}' }, '--options.overlap'],
      [{ dataset, mode: 'guess' }, '--mode'],
    ] as const)
      expect(await rejected(run('create', values))).toMatchObject({ kind: 'invalid-input', where });
    expect((await rejected(run('undecided'))).hint).toContain('sets, create');
  });
});
