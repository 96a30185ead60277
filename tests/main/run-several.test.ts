import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { smallSpec } from '../support/workspace.ts';

const write = (): { spec: string; at: string[]; workspace: string } => {
  const folder = temporaryFolder();
  const [spec, workspace] = [join(folder, 'spec.json'), join(folder, 'w')];
  writeFileSync(
    spec,
    JSON.stringify({ ...smallSpec(), name: 'rates', seed: 5, budget: { steps: 1, batch: 2 } }),
  );
  return { spec, workspace, at: ['--workspace', workspace, '--json'] };
};

describe('run with --seeds and --vary', () => {
  it('makes one run of each combination', async () => {
    const { spec, at } = write();
    const { value } = await cli(
      'run',
      spec,
      '--seeds',
      '2',
      '--vary',
      'optimizer.learningRate=0.003, 1e-3',
      ...at,
    );
    expect(value).toMatchObject(
      [
        [0.003, 5],
        [0.003, 6],
        [0.001, 5],
        [0.001, 6],
      ].map(([learningRate, seed]) => ({
        run: {
          state: 'done',
          name: `rates (learning rate ${learningRate}, seed ${seed})`,
          spec: { seed, optimizer: { learningRate } },
        },
      })),
    );
  });
  it('joins the values of a setting that is named twice', async () => {
    const { spec, at } = write();
    const vary = (value: string) => ['--vary', `budget.batch=${value}`];
    const { value } = await cli('run', spec, ...vary('2'), ...vary('3'), ...at);
    expect(value).toMatchObject([
      { run: { spec: { budget: { batch: 2 } } } },
      { run: { spec: { budget: { batch: 3 } } } },
    ]);
  });
  it.each([
    ['optimizer.learningRate=0,0003', '--vary', /number/],
    ['optimizer.learningRate=', '--vary', /not a setting with values/],
    ['=1', '--vary', /not a setting with values/],
    ['0.1', '--vary', /not a setting with values/],
    ['budget.batch=1, 2, x', '--vary', /number/],
    [
      `seed=${Array.from({ length: 65 }, (_, seed) => seed).join(', ')}`,
      '--vary',
      /makes 65 runs; at most 64/,
    ],
  ])('rejects “%s” before anything is opened', async (given, where, message) => {
    const { spec, at, workspace } = write();
    const { code, value } = await cli('run', spec, '--vary', given, ...at);
    expect([code, value]).toMatchObject([
      1,
      { error: { kind: 'invalid-input', where, message: expect.stringMatching(message) } },
    ]);
    expect(existsSync(workspace)).toBe(false);
  });
  it.each([
    ['budget.batch=2, 0', 'budget.batch'],
    ['budget.bacth=2, 3', 'budget'],
  ])('starts none of the runs if one of them is invalid: %s', async (given, where) => {
    const { spec, at } = write();
    const { code, value } = await cli('run', spec, '--vary', given, ...at);
    expect([code, value]).toMatchObject([
      1,
      { error: { kind: 'invalid-input', where: expect.stringContaining(where) } },
    ]);
    expect((await cli('runs', ...at)).value).toEqual([]);
  });
});
