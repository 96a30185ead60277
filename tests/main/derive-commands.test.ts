import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LineageGraph } from '../../preload/contract/lineage.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A workspace with 60 sums of three levels, two answers to each. */
async function prepared() {
  const folder = temporaryFolder();
  const workspace = join(folder, 'workspace');
  const run = (command: string, ...args: string[]) =>
    cli(command, ...args, '--workspace', workspace, '--json');
  const valueOf = async (command: string, ...args: string[]): Promise<unknown> => {
    const { code, value } = await run(command, ...args);
    expect({ code, value }).toMatchObject({ code: 0 });
    return value;
  };
  const made = async (command: string, ...args: string[]): Promise<Dataset> =>
    (await valueOf(command, ...args)) as Dataset;
  const file = join(folder, 'sums.jsonl');
  const rows = Array.from({ length: 60 }, (_none, at) => ({
    prompt: `What is ${at >> 1} + 1?`,
    completion: String(at),
    level: at % 3,
  }));
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  const { id } = await made('import', file);
  return { workspace, id, run, valueOf, made };
}

describe('the commands of derived datasets', () => {
  it('make datasets of a query, a sample and a mixture, rebuild them, and show where all is from', async () => {
    const { workspace, id, run, valueOf, made } = await prepared();
    const easy = await made('derive', id, '--query', 'level:0', '--name', 'easy', '--columns', 'level');
    expect(easy).toMatchObject({ name: 'easy', rows: 20 });
    const pilot = await made(
      'sample',
      id,
      '--rows',
      '6',
      '--by',
      'level',
      '--allocation',
      'equal',
      '--name',
      'pilot',
    );
    expect(pilot.rows).toBe(6);
    const { said, value } = await run(
      'mix',
      `${easy.id}=3`,
      pilot.id,
      '--rows',
      '40',
      '--repeat',
      '--name',
      'mixed',
    );
    expect(said).toContain('easy has 20 rows, 30 asked: drawn 1.5 times.');
    const mixed = value as Dataset;
    expect(mixed.rows).toBe(40);
    for (const each of [easy, pilot, mixed])
      expect(await valueOf('version', 'rebuild', each.id)).toMatchObject({ hash: each.hash, isSame: true });
    const { out } = await cli('lineage', mixed.id, '--workspace', workspace);
    expect(out).toMatch(/dataset easy[^]*dataset sums[^]*file sums\.jsonl[^]*dataset pilot/);
    const graph = await cli('lineage', mixed.id, '--graph', '--workspace', workspace);
    expect(graph.out).toMatch(/^digraph lineage \{[^]*n0 \[label="dataset mixed[^]*n\d+ -> n0;/);
    const { nodes, edges } = (await valueOf('lineage', id, '--graph')) as LineageGraph;
    expect(nodes[0]).toMatchObject({ id, kind: 'dataset' });
    expect([nodes.length, edges.length]).toEqual([5, 5]);
    expect(await valueOf('lineage', id)).toMatchObject({
      usedBy: [{ node: { name: 'pilot' } }, { node: { name: 'easy' } }],
    });
  });

  it('split the rows, list the parts and look for leaks; the sample of a plan is not made', async () => {
    const { id, valueOf } = await prepared();
    const splits = await valueOf(
      'split',
      id,
      '--parts',
      'train=.8,test=.2',
      '--seed',
      '3',
      '--stratify',
      'level',
    );
    expect(splits).toMatchObject([{ spec: { name: 'split', seed: 3 }, unassigned: 0 }]);
    expect(await valueOf('split', id)).toEqual(splits);
    expect(await valueOf('split', id, '--leakage')).toMatchObject({ keys: 0 });
    const { total } = (await valueOf('rows', id, '--query', 'split:train')) as { total: number };
    expect(total).toBe((splits as { parts: { rows: number }[] }[])[0].parts[0].rows);
    expect(await valueOf('sample', id, '--rows', '.5', '--plan')).toMatchObject({ rows: 30 });
    expect(await valueOf('sample', id, '--rows', '5', '--tag', 'pilot')).toMatchObject({
      event: 'tag',
      rows: 5,
    });
  });

  it('refuse unknown ids, parts without weights, and half rows', async () => {
    const { id, run } = await prepared();
    for (const [args, kind] of [
      [['derive', 'nobody', '--name', 'x'], 'not-found'],
      [['split', id, '--parts', 'train'], 'invalid-input'],
      [['split', id, '--parts', 'a=1,a=2'], 'invalid-input'],
      [['split', id, '--parts', 'a=0'], 'invalid-input'],
      [['sample', id, '--rows', '2.5', '--name', 'x'], 'invalid-input'],
      [['sample', id, '--given', 'many', '--name', 'x'], 'invalid-input'],
      [['mix', '=2', '--name', 'x'], 'invalid-input'],
      [['lineage', 'nobody'], 'not-found'],
    ] as const) {
      const [command, ...rest] = args;
      const { code, value } = await run(command, ...rest);
      expect({ args, code, value }).toMatchObject({ code: 1, value: { error: { kind } } });
    }
  });
});
