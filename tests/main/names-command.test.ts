import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { datasetsCommand } from '../../main/commands/datasets.ts';
import { mixCommand } from '../../main/commands/derive.ts';
import { labelsCommand } from '../../main/commands/labels.ts';
import { withIds } from '../../main/commands/names.ts';
import { rowsCommand } from '../../main/commands/rows.ts';
import type { Command } from '../../main/commands/command.ts';
import { createFolder } from '../../main/store/folder.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest } from '../support/workspace.ts';

const run = async <T>(command: Command, positionals: readonly string[], values = {}): Promise<T> => {
  const given = await withIds(command, { positionals, values });
  return (await command.run({ ...given, json: true, log: () => undefined })).value as T;
};

/** A workspace with as many datasets as asked for, all of one name. */
async function workspaceForTest(count = 1) {
  const workspace = join(temporaryFolder(), 'work');
  const { store, close } = await createFolder(workspace);
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push(await datasetForTest(store));
  const { name } = await store.datasets.get(ids[0]);
  await close();
  return { workspace, ids, name };
}

describe('names of datasets and label sets on the command line', () => {
  it('stand for ids, alone and with a version and a weight', async () => {
    const { workspace, ids, name } = await workspaceForTest();
    const [byId, byName] = [
      await run(rowsCommand, [ids[0]], { workspace }),
      await run(rowsCommand, [name], { workspace }),
    ];
    expect(byName).toEqual(byId);
    const values = { workspace };
    const { positionals } = await withIds(mixCommand, {
      positionals: [`${name}@v1=2`, `${name}=1`, name],
      values,
    });
    expect(positionals).toEqual([`${ids[0]}@v1=2`, `${ids[0]}=1`, ids[0]]);
  });

  it('name label sets by flag and as the second word, but not the file of an import', async () => {
    const { workspace, ids, name } = await workspaceForTest();
    const { id } = await run<{ id: string }>(labelsCommand, ['create'], {
      workspace,
      dataset: name,
      name: 'team',
    });
    const labeled = { workspace, set: 'team' };
    expect((await withIds(labelsCommand, { positionals: ['next'], values: labeled })).values.set).toBe(id);
    expect(
      (await withIds(labelsCommand, { positionals: ['quality', 'team'], values: { workspace } })).positionals,
    ).toEqual(['quality', id]);
    expect(
      (await withIds(labelsCommand, { positionals: ['import', 'team'], values: labeled })).positionals,
    ).toEqual(['import', 'team']);
    expect(ids).not.toContain(id);
  });

  it('open the workspace only where there is a name among the arguments that may be one', async () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, 'workspace.db'), 'no database');
    const values = { workspace, query: 'length>2' };
    const id = '01a2228d-b277-7834-8b22-b4b2c3516d27';
    for (const [command, ...positionals] of [
      [datasetsCommand, 'list'],
      [rowsCommand, id],
      [mixCommand, `${id}@v1=2`, id],
      [labelsCommand, 'next'],
    ] as const)
      expect((await withIds(command, { positionals, values })).positionals).toEqual(positionals);
    const named = await rejected(withIds(mixCommand, { positionals: [id, 'stories=1'], values }));
    expect(named.message).toMatch(/workspace|database/);
  });

  it('are refused if unknown, with those that exist, and if several have them, with their ids', async () => {
    const { workspace, ids, name } = await workspaceForTest(2);
    const unknown = await rejected(run(rowsCommand, ['nowhere'], { workspace }));
    expect(unknown.message).toBe("There is no dataset 'nowhere' in the workspace.");
    expect(unknown.facts.hint).toBe(`It has: ${name}.`);
    const several = await rejected(run(rowsCommand, [name], { workspace }));
    expect(several.message).toBe(`2 datasets are named '${name}'.`);
    for (const id of ids) expect(several.facts.hint).toContain(id);
  });
});

describe('the command datasets', () => {
  it('lists, renames and removes by name', async () => {
    const { workspace, ids, name } = await workspaceForTest();
    await run(datasetsCommand, ['rename', name, 'other name'], { workspace });
    expect(await run(datasetsCommand, ['list'], { workspace })).toMatchObject([
      { id: ids[0], name: 'other name' },
    ]);
    await run(datasetsCommand, ['remove', 'other name'], { workspace });
    expect(await run(datasetsCommand, ['list'], { workspace })).toEqual([]);
  });

  it('refuses an action that it does not have, and one with too few arguments', async () => {
    const { workspace, ids } = await workspaceForTest();
    for (const given of [['drop', ids[0]], ['rename', ids[0]], ['toString']])
      expect((await rejected(run(datasetsCommand, given, { workspace }))).kind).toBe('invalid-input');
  });
});
