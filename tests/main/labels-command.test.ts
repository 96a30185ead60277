import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { labelExportCommand } from '../../main/commands/label-export.ts';
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
  return { dataset, run, workspace: folder };
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

  it('decides in bulk, takes it back, and imports what it exported', async () => {
    const { dataset, run, workspace } = await commandForTest();
    const { id: set } = await run<{ id: string }>('create', { dataset, mode: 'correctness' });
    const { pairId: item } = await run<{ pairId: string }>('next', { set });
    const value = JSON.stringify({ correct: false, firstWrong: 0 });
    await run('decide', { item, verdict: 'answered', value, labeler: 'ann' });
    const correct = { set, verdict: 'answered', value: '{"correct":true}', labeler: 'ann' };
    const { sequences } = await run<{ sequences: number[] }>('bulk', correct);
    expect(sequences.length).toBeGreaterThan(0);
    const undo = { set, value: JSON.stringify(sequences), labeler: 'ann' };
    expect(await run('bulk-undo', undo)).toEqual({ undone: sequences.length });
    const path = join(temporaryFolder(), 'labels.jsonl');
    await labelExportCommand.run({
      positionals: [path],
      values: { workspace, set },
      json: true,
      log: () => undefined,
    });
    const imported = await labelsCommand.run({
      positionals: ['import', path],
      values: { workspace, set, as: 'ben' },
      json: true,
      log: () => undefined,
    });
    expect(imported.value).toMatchObject({ labels: 1, added: 1, stored: true, labelers: ['ben'] });
    expect(imported.text).toContain('1 of 1 labels imported');
    expect(await rejected(run('import', { set }))).toMatchObject({ kind: 'invalid-input' });
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
