import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../main/store/files.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

describe('a file that the user saves', () => {
  it('is replaced completely or not at all', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'kept.jsonl');
    writeFileSync(path, 'old');
    const broken = function* () {
      yield 'the first half, ';
      throw new Error('the reader broke');
    };
    expect((await rejected(writeWhole(path, broken()))).message).toBe('the reader broke');
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['kept.jsonl']]);
    await writeWhole(path, ['the first half, ', Buffer.from('and the second')]);
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([
      'the first half, and the second',
      ['kept.jsonl'],
    ]);
  });

  it.skipIf(process.platform === 'win32')('behind a link is replaced in place', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'far'));
    writeFileSync(join(folder, 'far', 'file'), 'old');
    symlinkSync(join(folder, 'far', 'file'), join(folder, 'link'));
    await writeWhole(join(folder, 'link'), ['new']);
    expect(readFileSync(join(folder, 'far', 'file'), 'utf8')).toBe('new');
  });

  it('reports an invalid path with a hint, for labels and for reports', async () => {
    const { api, services } = await servicesForTest();
    const datasetId = await datasetForTest(services.store);
    const set = await api.labels.createSet({
      name: '',
      from: { kind: 'dataset', datasetId },
      pairsPerPrompt: 1,
      onlyDiffering: false,
      seed: 0,
    });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const exported = (path: string) => rejected(Promise.resolve(api.labels.export({ setId: set.id, path })));
    expect(await exported(join(folder, 'nowhere', 'labels.jsonl'))).toMatchObject({
      kind: 'not-found',
      where: join(folder, 'nowhere', 'labels.jsonl'),
      hint: expect.any(String) as string,
    });
    expect(await exported(folder)).toMatchObject({
      kind: 'invalid-input',
      where: folder,
      message: expect.stringContaining('folder') as string,
    });
    expect(await exported(join(folder, 'file', 'labels.jsonl'))).toMatchObject({
      kind: 'invalid-input',
      where: join(folder, 'file', 'labels.jsonl'),
    });
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
