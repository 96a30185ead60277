import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultFolder } from '../../main/services/default-folder.ts';
import { createFolder } from '../../main/store/folder.ts';
import { temporaryFolder } from '../support/folder.ts';

it('offers Whetstone/first, then the next free name; an empty folder is free, a file or a workspace is not', async () => {
  const home = temporaryFolder();
  const own = (name: string) => join(home, 'Whetstone', name);
  expect(defaultFolder(home)).toBe(own('first'));
  mkdirSync(own('first'), { recursive: true });
  expect(defaultFolder(home)).toBe(own('first'));
  await (await createFolder(own('first'), '')).close();
  expect(defaultFolder(home)).toBe(own('workspace-2'));
  writeFileSync(own('workspace-2'), '');
  expect(defaultFolder(home)).toBe(own('workspace-3'));
});
