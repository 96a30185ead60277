import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { createAdapter } from '../../../engine/models/adapters/lora.ts';
import { openModelFolder, writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { rejected } from '../../support/errors.ts';
import { writeModelFolder } from '../../support/model-folder.ts';

const settings = { vocab_size: 430, torch_dtype: 'float32' };

describe('an export', () => {
  it('of an unmodified model keeps every bit of its weights, its configuration and its tokenizer', async () => {
    const root = temporaryFolder();
    const folder = writeModelFolder(join(root, 'model'), { settings: { vocab_size: 430 }, dtype: 'F16' });
    const { path } = await calls.export({ folder, to: join(root, 'out'), merge: false });
    for (const name of ['model.safetensors', 'config.json', 'tokenizer.json', 'tokenizer_config.json'])
      expect((await readFile(join(path, name))).equals(await readFile(join(folder, name)))).toBe(true);
  });

  it('reports its progress, and leaves nothing behind when stopped', async () => {
    const root = temporaryFolder();
    const folder = writeModelFolder(join(root, 'model'), { settings });
    const reports: { written: number; total: number }[] = [];
    const { bytes } = await calls.export(
      { folder, to: join(root, 'out'), merge: false, dtype: 'BF16' },
      undefined,
      (progress) => reports.push(progress),
    );
    expect(reports.length).toBeGreaterThan(10);
    expect(reports.map(({ written }) => written)).toEqual(
      reports.map(({ written }) => written).toSorted((a, b) => a - b),
    );
    expect(reports.at(-1)).toEqual({
      written: reports[0].total,
      total: 2 * (await readModelFolder(folder)).parameters.size,
    });
    expect(bytes).toBeGreaterThan(reports[0].total);
    const stop = new AbortController();
    const stopped = calls.export(
      { folder, to: join(root, 'half'), merge: false },
      stop.signal,
      ({ written, total }) => {
        if (written > total / 2) stop.abort();
      },
    );
    expect(await rejected(stopped)).toMatchObject({ kind: 'cancelled', where: join(root, 'half') });
    expect((await readdir(root)).sort()).toEqual(['model', 'out']);
  });

  it('in a chosen type rounds each weight to the nearest value and records the type in the configuration', async () => {
    const root = temporaryFolder();
    const folder = writeModelFolder(join(root, 'model'), { settings });
    const before = await readModelFolder(folder);
    const { path, bytes } = await calls.export({
      folder,
      to: join(root, 'out'),
      merge: false,
      dtype: 'BF16',
    });
    const after = await readModelFolder(path);
    expect(JSON.parse(after.origin!.config)).toEqual({
      ...(JSON.parse(before.origin!.config) as object),
      torch_dtype: 'bfloat16',
    });
    after.parameters.flat.forEach((value, i) => {
      expect(Math.abs(value - before.parameters.flat[i])).toBeLessThanOrEqual(
        2 ** -8 * Math.abs(before.parameters.flat[i]),
      );
    });
    expect(after.parameters.flat).not.toEqual(before.parameters.flat);
    expect(bytes).toBeLessThan((await calls.export({ folder, to: join(root, 'whole'), merge: false })).bytes);
  });

  it('of an adapter alone is a PEFT folder; choosing its type is rejected, and so is merging a whole model', async () => {
    const root = temporaryFolder();
    const folder = writeModelFolder(join(root, 'model'), { settings });
    const { model, tokenizer } = await openModelFolder(folder);
    const adapter = createAdapter(
      model,
      { rank: 2, alpha: 4, rsLora: false, targets: ['all-linear'], base: 'float32' },
      { seed: 1, base: { path: folder, hash: null } },
    );
    await writeCheckpoint(join(root, 'run', 'adapter'), {
      model: { ...model, adapter },
      tokenizer,
      state: { step: 1 },
    });
    const request = { folder: join(root, 'run', 'adapter'), merge: false } as const;
    const { path } = await calls.export({ ...request, to: join(root, 'far', 'away', 'adapter') });
    const files = await readdir(path);
    expect(files).toEqual(
      expect.arrayContaining(['adapter_config.json', 'adapter_model.safetensors', 'tokenizer.json']),
    );
    expect(files).not.toContain('state.json');
    expect((await openModelFolder(path)).model.adapter?.parameters.flat).toEqual(adapter.parameters.flat);
    expect(await rejected(calls.export({ ...request, to: join(root, 'half'), dtype: 'F16' }))).toMatchObject({
      kind: 'invalid-input',
      where: 'dtype',
    });
    expect(await rejected(calls.export({ folder, to: join(root, 'merged'), merge: true }))).toMatchObject({
      kind: 'invalid-input',
      where: folder,
    });
  });

  it('never overwrites an existing folder, nor deletes another program’s partial folder', async () => {
    const root = temporaryFolder();
    const folder = writeModelFolder(join(root, 'model'), { settings });
    expect(await rejected(calls.export({ folder, to: folder, merge: false }))).toMatchObject({
      kind: 'conflict',
      where: folder,
    });
    await mkdir(join(root, 'out.partial', 'mine'), { recursive: true });
    expect(await rejected(calls.export({ folder, to: join(root, 'out'), merge: false }))).toMatchObject({
      kind: 'conflict',
      where: join(root, 'out.partial'),
    });
    expect(await readdir(join(root, 'out.partial'))).toEqual(['mine']);
  });

  it('reports a value that float16 cannot represent', async () => {
    const root = temporaryFolder();
    const folder = writeModelFolder(join(root, 'model'), { settings });
    const { model, tokenizer } = await openModelFolder(folder);
    model.parameters.view('model.norm.weight')[0] = 70_000;
    await writeCheckpoint(join(root, 'large'), { model, tokenizer });
    const error = await rejected(
      calls.export({ folder: join(root, 'large'), to: join(root, 'out'), merge: false, dtype: 'F16' }),
    );
    expect(error).toMatchObject({
      kind: 'numeric',
      where: 'model.norm.weight',
      message: expect.stringContaining('70000') as unknown,
    });
    expect(await readdir(root)).not.toContain('out');
  });
});
