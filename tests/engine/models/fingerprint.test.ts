import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { fingerprintOf } from '../../../engine/models/fingerprint.ts';
import { decodeSafetensors, encodeSafetensors } from '../../../engine/models/weights/safetensors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { rejected } from '../../support/errors.ts';
import { writeAdapterFolder, writeModelFolder } from '../../support/model-folder.ts';

const later = 60_000;
const made = () => writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } });
/** Changes one byte of a file and restores its modification time. */
const flip = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  const { atimeMs, mtimeMs } = await stat(path);
  bytes[bytes.length - 2] ^= 1;
  await writeFile(path, bytes);
  await utimes(path, atimeMs / 1000, mtimeMs / 1000);
};

describe('the files of a model folder', () => {
  it('have a hash of their contents, independent of the folder’s location and of modification times', async () => {
    const [a, b] = [await fingerprintOf(made(), null), await fingerprintOf(made(), null)];
    expect(a.hash).toBe(b.hash);
    expect(a.bytes).toBe(a.files.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('are not read again unless they have changed', async () => {
    const folder = made();
    const { files, hash } = await fingerprintOf(folder, null);
    // no contents have this hash, so finding it again shows that the stored hash was reused
    const believed = files.map((file) => ({ ...file, sha256: 'f'.repeat(64), hashedAt: Date.now() + later }));
    expect(
      (await fingerprintOf(folder, null, believed)).files.every(({ sha256 }) => sha256 === 'f'.repeat(64)),
    ).toBe(true);
    // hashed within a clock tick of its last change: the file could have changed again unnoticed
    const fresh = files.map((file) => ({ ...file, sha256: 'f'.repeat(64), stamp: file.stamp, hashedAt: 0 }));
    expect((await fingerprintOf(made(), null, fresh)).hash).toBe(hash);
  });

  it('differ after a change of one byte, even with the old modification time', async () => {
    const folder = made();
    const { files, hash } = await fingerprintOf(folder, null);
    const known = files.map((file) => ({ ...file, hashedAt: Date.now() + later }));
    expect(await calls.recheck({ folder, hash, files: known })).toEqual(known);
    await flip(join(folder, 'model.safetensors'));
    expect(await rejected(calls.recheck({ folder, hash, files: known }))).toMatchObject({
      kind: 'conflict',
      where: folder,
      hint: expect.stringContaining('add the folder again') as unknown,
    });
  });

  it('are the same after only their times changed, or without stored hashes', async () => {
    const folder = made();
    const { files, hash } = await fingerprintOf(folder, null);
    const known = files.map((file) => ({ ...file, hashedAt: Date.now() + later }));
    await utimes(join(folder, 'config.json'), 1, 1);
    const now = await calls.recheck({ folder, hash, files: known });
    expect(now.filter((file, at) => file.stamp !== known[at].stamp).map(({ path }) => path)).toEqual([
      join(folder, 'config.json'),
    ]);
    expect(await calls.recheck({ folder, hash, files: [] })).toHaveLength(files.length);
  });

  it('include a file added later: a chat template changes the model’s prompts', async () => {
    const folder = made();
    const { files, hash } = await fingerprintOf(folder, null);
    await writeFile(join(folder, 'chat_template.jinja'), '{{ messages[0].content }}');
    expect(await rejected(calls.recheck({ folder, hash, files }))).toMatchObject({ kind: 'conflict' });
  });

  it('include the index of sharded weights, and a folder is still recognised by the older hash without it', async () => {
    const folder = made();
    const single = join(folder, 'model.safetensors');
    const index = join(folder, 'model.safetensors.index.json');
    const [[first, tensor], ...others] = [...decodeSafetensors(await readFile(single), single)];
    await rm(single);
    await writeFile(join(folder, 'a.safetensors'), encodeSafetensors({ [first]: tensor }));
    await writeFile(join(folder, 'b.safetensors'), encodeSafetensors(Object.fromEntries(others)));
    const weight_map = {
      [first]: 'a.safetensors',
      ...Object.fromEntries(others.map(([name]) => [name, 'b.safetensors'])),
    };
    const write = (total_size: number) =>
      writeFile(index, JSON.stringify({ metadata: { total_size }, weight_map }));
    await write(1);
    const { hash, withoutIndex, files } = await fingerprintOf(folder, null);
    expect([files.map(({ path }) => path).includes(index), hash === withoutIndex]).toEqual([true, false]);
    expect(await calls.recheck({ folder, hash, files })).toHaveLength(files.length);
    const before = files.filter(({ path }) => path !== index);
    const seen = await calls.recheck({ folder, hash: withoutIndex, files: before });
    expect(seen).toHaveLength(files.length);
    await write(2);
    for (const stored of [hash, withoutIndex])
      expect(await rejected(calls.recheck({ folder, hash: stored, files: seen }))).toMatchObject({
        kind: 'conflict',
        where: folder,
      });
  });

  it('of an adapter include those of its model', async () => {
    const base = made();
    const folder = await writeAdapterFolder(join(temporaryFolder(), 'adapter'), { base, named: base });
    const { hash, files, adapter } = await calls.inspect({ folder });
    const request = { folder, base: { path: adapter!.base, hash: adapter!.baseHash }, hash, files };
    expect(await calls.recheck(request)).toHaveLength(files.length);
    await flip(join(base, 'model.safetensors'));
    expect(await rejected(calls.recheck(request))).toMatchObject({ kind: 'conflict', where: base });
  });
});

describe('an adapter’s model', () => {
  it('is found by an absolute path or a path relative to the adapter’s folder, never to the working folder', async () => {
    const root = temporaryFolder();
    const base = writeModelFolder(join(root, 'models', 'base'), { settings: { vocab_size: 430 } });
    const found = async (named: string, bases: { name: string; folder: string }[] = []) =>
      (
        await calls.inspect({
          folder: await writeAdapterFolder(join(root, 'adapters', 'one'), { base, named }),
          bases,
        })
      ).adapter?.base;
    expect(await found(base)).toBe(base);
    expect(await found('../../models/base')).toBe(base);
    // `tests` is a folder of the working folder
    expect(await rejected(found('tests'))).toMatchObject({
      kind: 'not-found',
      where: join(root, 'adapters', 'one'),
      hint: expect.stringContaining('Add the base model’s folder') as unknown,
    });
    expect(await found('owner/tiny', [{ name: 'owner/tiny', folder: base }])).toBe(base);
    expect(await found('/elsewhere/base', [{ name: 'another', folder: base }])).toBe(base);
    const twin = writeModelFolder(join(root, 'twin', 'base'), { settings: { vocab_size: 430 } });
    expect(
      await rejected(
        found('gone/base', [
          { name: 'a', folder: base },
          { name: 'b', folder: twin },
        ]),
      ),
    ).toMatchObject({ kind: 'conflict' });
  });
});
