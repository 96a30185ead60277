import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LogImportResult } from '../../../preload/contract/logs.ts';
import { cli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/folder.ts';

const logs = fileURLToPath(new URL('../../support/oracles/logs/', import.meta.url));
const errorOf = (value: unknown) => (value as { readonly error: { kind: string; where: string } }).error;

describe('the commands import-logs and export-logs', () => {
  it('import a folder, list its runs, and write one of them for another tool, which is imported again', async () => {
    const home = temporaryFolder();
    const at = ['--workspace', join(home, 'work')];
    const first = await cli('import-logs', logs, ...at, '--json');
    expect(first.code, first.said).toBe(0);
    const { runs } = first.value as LogImportResult;
    expect(runs).toHaveLength(10);
    const run = runs.find(({ name }) => name === 'dpo, seed 1');
    const to = join(home, 'offline');
    const written = await cli('export-logs', run?.id ?? '', '--to', to, ...at, '--format', 'wandb');
    expect(written).toMatchObject({ code: 0 });
    expect(written.out).toContain('123 points of 1 run written');
    const again = await cli('import-logs', to, '--workspace', join(home, 'other'), '--name', 'mine');
    expect(again.out).toContain('mine: 123 points from Weights & Biases');
  });

  it('say in the text what was not read', async () => {
    const home = temporaryFolder();
    const path = join(home, 'run-live.wandb');
    writeFileSync(path, readFileSync(join(logs, 'run-fixed.wandb')).subarray(0, 9000));
    const { out } = await cli('import-logs', path, '--workspace', join(home, 'work'));
    expect(out).toMatch(/damaged: .*run-live\.wandb, byte \d+: the last record is incomplete/);
  });

  it('exit with 1 and a typed error, and write nothing, for an unknown run, format or path', async () => {
    const home = temporaryFolder();
    const at = ['--workspace', join(home, 'work'), '--json'];
    const path = join(home, 'verl.log');
    cpSync(join(logs, 'verl.log'), path);
    expect((await cli('import-logs', path, ...at)).code).toBe(0);
    const to = join(home, 'x.csv');
    for (const [args, kind] of [
      [['import-logs', path], 'conflict'],
      [['import-logs', join(home, 'nowhere')], 'not-found'],
      [['export-logs', 'nobody', '--to', to], 'not-found'],
      [['export-logs', 'nobody', '--to', to, '--format', 'xlsx'], 'invalid-input'],
      [['export-logs', 'nobody'], 'invalid-input'],
    ] as const) {
      const { code, value } = await cli(...args, ...at);
      expect([args.join(' '), code, errorOf(value).kind]).toEqual([args.join(' '), 1, kind]);
    }
    expect(existsSync(to)).toBe(false);
  });
});
