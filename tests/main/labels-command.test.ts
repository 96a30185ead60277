import { writeFileSync } from 'node:fs';
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
  const run = async <T>(action: string, values: Record<string, string | boolean> = {}): Promise<T> =>
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

describe('the command labels, about trust', () => {
  /** A set with an overlap of two, decided differently by Ann and Ben; returns its items. */
  async function disputedSet() {
    const { dataset, run } = await commandForTest();
    const shares = { repeats: '0.1', 'repeat-after': '5', 'gold-share': '0.2', consensus: 'majority' };
    const options = JSON.stringify({ overlap: 2 });
    const { id: set, options: chosen } = await run<{ id: string; options: object }>('create', {
      dataset,
      options,
      ...shares,
      'per-prompt': '1',
    });
    const items: string[] = [];
    for (const [labeler, verdict] of [
      ['ann', 'a'],
      ['ben', 'b'],
    ]) {
      const { pairId: item } = await run<{ pairId: string }>('next', { set, labeler });
      items.push(item);
      await run('decide', { item, verdict, labeler });
    }
    return { run, set, chosen, items };
  }

  it('takes shares and the consensus as flags, and refuses wrong ones by name', async () => {
    const { run, set, chosen } = await disputedSet();
    expect(chosen).toMatchObject({ repeats: 0.1, repeatAfter: 5, gold: 0.2, consensus: 'majority' });
    expect(await run('options', { set, repeats: '0' })).toMatchObject({ options: { repeats: 0, gold: 0.2 } });
    for (const [flag, value] of [
      ['repeats', '0.6'],
      ['repeat-after', '2.5'],
      ['gold-share', '1,5'],
      ['consensus', 'loudest'],
    ])
      expect(await rejected(run('options', { set, [flag]: value }))).toMatchObject({
        kind: 'invalid-input',
        where: `--${flag}`,
      });
  });

  it('marks gold, lists disputes, adjudicates from a file or one item, and reports the quality', async () => {
    const { run, set, items } = await disputedSet();
    const [item] = items;
    expect(await run('gold', { set, item, verdict: 'b' })).toEqual({ gold: 1 });
    expect(await run('gold', { set })).toMatchObject([{ pairId: item, verdict: 'b', source: 'command' }]);
    expect(await run('disputed', { set })).toMatchObject([{ pairId: item }]);
    const path = join(temporaryFolder(), 'decisions.jsonl');
    writeFileSync(path, `${JSON.stringify({ pairId: item, verdict: 'b' })}\r\n{"pairId":"x"}\n`);
    expect(await rejected(run('adjudicate', { set, file: path }))).toMatchObject({ where: `${path}:2` });
    expect(await run('disputed', { set })).toHaveLength(1);
    writeFileSync(path, JSON.stringify({ pairId: item, verdict: 'b', rationale: 'by the source' }));
    expect(await run('adjudicate', { set, file: path, labeler: 'judge' })).toMatchObject({ labeled: 1 });
    expect(await run('disputed', { set })).toEqual([]);
    expect(await run('decide', { item, verdict: 'tie', labeler: 'judge', adjudicate: true })).toMatchObject({
      labeled: 1,
    });
    expect(await run('quality', { set })).toMatchObject({
      shared: 1,
      disputed: 1,
      adjudicated: 1,
      goldItems: 1,
      labelers: [
        { labeler: 'ann', gold: { rate: 0, n: 1 } },
        { labeler: 'ben', gold: { rate: 1, n: 1 } },
      ],
    });
    expect(await run('gold', { set, remove: true })).toEqual({ gold: 0 });
  });
});
