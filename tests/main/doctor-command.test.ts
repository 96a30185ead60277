import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rewardOf } from '../../main/commands/column.ts';
import { cli } from '../support/cli.ts';
import { caught } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { planted, plantedFile, plantedRecords } from '../support/planted-rows.ts';

describe('the data doctor of the command line', () => {
  it('examines a dataset, repairs a finding into a version, and computes a column', async () => {
    const folder = temporaryFolder();
    const workspace = ['--workspace', join(folder, 'w')];
    const path = join(folder, 'planted.jsonl');
    writeFileSync(path, plantedFile);
    const { id } = (await cli('import', path, ...workspace, '--json')).value as { id: string };
    const unexamined = await cli('doctor', id, '--last', ...workspace, '--json');
    expect(unexamined.value).toMatchObject({ error: { kind: 'not-found' } });

    const { value, said } = await cli('doctor', id, '--against', 'toy/copy', ...workspace, '--json');
    expect(value).toMatchObject({
      stale: 'fresh',
      summary: { rows: plantedRecords.length, against: ['toy/copy'] },
    });
    expect(said).toContain('duplicates: ');
    const text = await cli('doctor', id, '--last', ...workspace);
    expect(text.out).toMatch(/Near duplicates +2 rows +1 cluster .*finding:near-duplicates/);
    const rows = await cli('rows', id, '--query', 'finding:near-duplicates', ...workspace, '--json');
    expect((rows.value as { rows: { row: number }[] }).rows.map(({ row }) => row)).toEqual([
      ...planted['near-duplicates'],
    ]);
    const fixed = await cli(
      'doctor',
      id,
      '--fix',
      'near-duplicates',
      '--version',
      'clean',
      ...workspace,
      '--json',
    );
    expect(fixed.value).toMatchObject({ event: { event: 'exclude', rows: 1 }, version: { name: 'clean' } });

    const column = ['--name', 'size', '--code', 'answer.length', ...workspace, '--json'];
    expect((await cli('column', id, ...column, '--preview')).value).toMatchObject({ rows: { length: 10 } });
    const done = await cli('column', id, ...column);
    expect([done.code, done.value]).toMatchObject([
      0,
      { rows: plantedRecords.length - 1, faults: { count: 0 } },
    ]);
    const none = await cli('column', id, '--name', 'x', '--reward', 'exact', ...workspace);
    expect([none.code, none.out]).toEqual([1, expect.stringContaining('The row has no reference.')]);
  }, 120_000);

  it.each([
    [['doctor', 'D', '--fix', 'nothing', '--workspace', 'w'], "no finding 'nothing'"],
    [['doctor', 'D', '--fix', 'leaks:mend', '--workspace', 'w'], "no repair 'mend'"],
    [['doctor', '--workspace', 'w'], 'given 0 arguments'],
    [['answers', 'R', '--workspace', 'w'], '--to is missing'],
  ])('refuses %j', async (args, word) => {
    const { code, value } = await cli(...args, '--json');
    expect(code).toBe(1);
    expect((value as { error: { message: string } }).error.message).toContain(word);
  });

  it('reads a reward by its id, without `match/`, or as JSON', () => {
    expect(rewardOf('exact')).toEqual({ id: 'match/exact', params: {} });
    expect(rewardOf('length')).toEqual({ id: 'length', params: {} });
    expect(rewardOf('{"id": "match/pattern", "params": {"a": 1}}')).toEqual({
      id: 'match/pattern',
      params: { a: 1 },
    });
    expect(caught(() => rewardOf('{"id"'))).toMatchObject({ kind: 'invalid-input', where: '--reward' });
  });
});
