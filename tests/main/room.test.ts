import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFolder, openFolder } from '../../main/store/folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, smallSpec } from '../support/workspace.ts';

const entry = fileURLToPath(new URL('../../main/cli.ts', import.meta.url));

/** True if the shell can limit the size of the files that its children write. */
const noLimit =
  spawnSync('sh', ['-c', 'ulimit -f 100 && test "$(ulimit -f)" = 100']).status === 0
    ? null
    : 'there is no sh with ulimit -f';

interface Outcome {
  readonly code: number | null;
  readonly value: unknown;
}

/** Runs the command line in a shell with a file-size limit, in blocks of 512 bytes. */
function cli(blocks: number | 'unlimited', ...args: string[]): Outcome {
  const { status, stdout } = spawnSync(
    'sh',
    ['-c', `ulimit -f ${blocks} && exec "$@"`, 'sh', process.execPath, entry, ...args, '--json'],
    {
      encoding: 'utf8',
      env: { ...process.env, WHETSTONE_CONFIG_DIR: temporaryFolder() },
      maxBuffer: 1 << 26,
    },
  );
  return { code: status, value: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') };
}

/** Two and a half megabytes of rows. */
function rowsFile(): string {
  const path = join(temporaryFolder(), 'rows.jsonl');
  const row = (i: number) =>
    JSON.stringify({ prompt: `question ${i}`, completion: `answer ${i} ${'x'.repeat(400)}` });
  writeFileSync(path, Array.from({ length: 6000 }, (_none, i) => row(i)).join('\n'));
  return path;
}

const full = { code: 1, value: { error: { kind: 'disk-full', hint: expect.any(String) as string } } };

/** Checks that the existing data is there, the failed import is not, and both work once there is space. */
async function expectUntouched(path: string, datasetId: string): Promise<void> {
  const { store, close } = await openFolder(path);
  expect((await store.datasets.list()).map(({ id }) => id)).toEqual([datasetId]);
  expect(
    (await store.datasets.rows({ id: datasetId, offset: 0, limit: 10, search: '', show: 'all' })).total,
  ).toBe(12);
  await close();
}

describe('a file-size limit', () => {
  it('ends an import with disk-full, and stores nothing of it', async ({ skip }) => {
    if (noLimit) skip(noLimit);
    const path = join(temporaryFolder(), 'workspace');
    const before = await createFolder(path);
    const datasetId = await datasetForTest(before.store);
    await before.close();
    const file = rowsFile();
    expect(cli(2048, 'import', file, '--workspace', path)).toMatchObject(full);
    await expectUntouched(path, datasetId);
    expect(cli('unlimited', 'import', file, '--workspace', path)).toMatchObject({
      code: 0,
      value: { rows: 6000 },
    });
  });

  it('that prevents the creation of a workspace leaves a folder in which one can be created later', ({
    skip,
  }) => {
    if (noLimit) skip(noLimit);
    const path = join(temporaryFolder(), 'workspace');
    const file = rowsFile();
    expect(cli(64, 'import', file, '--workspace', path)).toMatchObject(full);
    expect(cli('unlimited', 'import', file, '--workspace', path)).toMatchObject({
      code: 0,
      value: { rows: 6000 },
    });
  });

  it('fails a run whose checkpoint does not fit, and leaves no part of it; with enough space the run can be repeated', async ({
    skip,
  }) => {
    if (noLimit) skip(noLimit);
    const home = temporaryFolder();
    const path = join(home, 'workspace');
    await (await createFolder(path)).close();
    const spec = join(home, 'run.json');
    // 1.6 MB of parameters: above the limit
    const models = {
      policy: {
        kind: 'new',
        architecture: { width: 128, layers: 2, heads: 4, context: 32 },
        tokenizer: { kind: 'characters' },
      },
    } as const;
    writeFileSync(
      spec,
      JSON.stringify(smallSpec({ models, sampling: { maxTokens: 8 }, budget: { steps: 3, batch: 4 } })),
    );
    expect(cli(2048, 'run', spec, '--workspace', path)).toMatchObject(full);
    const { store, close } = await openFolder(path);
    const [run] = await store.runs.list(false);
    expect(run).toMatchObject({ state: 'failed', step: 3, error: { kind: 'disk-full' } });
    expect(await store.checkpoints.list(null)).toEqual([]);
    expect(readdirSync(join(path, 'artifacts', 'runs', run.id, 'checkpoints'))).toEqual([]);
    await close();
    expect(cli('unlimited', 'run', spec, '--workspace', path)).toMatchObject({
      code: 0,
      value: { run: { state: 'done' }, checkpoints: [{ final: true }] },
    });
  });
});

describe('a full disk', () => {
  it('ends an import with disk-full; once there is space, the existing data is there and the failed import is not', async ({
    skip,
  }) => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      skip('only root on Linux can mount a small disk');
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], { encoding: 'utf8' });
    if (mounted.status !== 0) skip(`a small disk cannot be mounted here: ${mounted.stderr?.trim()}`);
    onTestFinished(() => void spawnSync('umount', [disk]));
    const path = join(disk, 'workspace');
    const before = await createFolder(path);
    const datasetId = await datasetForTest(before.store);
    await before.close();
    const file = rowsFile();
    expect(cli('unlimited', 'import', file, '--workspace', path)).toMatchObject(full);
    expect(spawnSync('mount', ['-o', 'remount,size=32m', disk]).status).toBe(0);
    await expectUntouched(path, datasetId);
    expect(cli('unlimited', 'import', file, '--workspace', path)).toMatchObject({
      code: 0,
      value: { rows: 6000 },
    });
  });
});
