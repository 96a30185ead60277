/** The command `results`: views of a run’s results. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { smallSpec } from '../support/workspace.ts';

it('prints the views that a run has, and refuses others', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const at = ['--workspace', join(folder, 'workspace')];
  const path = join(folder, 'spec.json');
  const measured = {
    ...smallSpec({ budget: { steps: 1, batch: 4 } }),
    sampling: { maxTokens: 4 },
    evaluation: { problems: 4, samples: 2 },
    evaluations: [{ name: 'again', world: { id: 'toy/copy' }, problems: 2, samples: 1 }],
  };
  writeFileSync(path, JSON.stringify(measured));
  const ran = await cli('run', path, ...at, '--json');
  expect(ran.code, ran.said).toBe(0);
  const [{ id }] = (await cli('runs', ...at, '--json')).value as { id: string }[];

  const all = await cli('results', id, ...at);
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/^Evaluation of the policy\nstep +problems +pass@1/);
  // a line with fewer cells leaves the other columns aligned
  const [, titles, cells] = all.out.split('\n');
  expect(cells[titles.indexOf('tokens')]).toMatch(/\S/);
  expect(cells.slice(titles.indexOf('tokens') - 2, titles.indexOf('tokens'))).toBe('  ');
  expect(all.out).toMatch(/\n\nFurther evaluations\nstep +evaluation +measure +value\n1 +again +pass_at_1/);
  expect(Object.keys((await cli('results', id, ...at, '--json')).value as object)).toEqual([
    'evaluation',
    'further',
  ]);
  expect((await cli('results', id, 'further', ...at, '--json')).value).toMatchObject([
    { step: 1, evaluations: [{ name: 'again' }] },
  ]);

  const without = await cli('results', id, 'gallery', ...at);
  expect(without.code).not.toBe(0);
  expect(without.said).toContain("The run has no results of the view 'gallery'.");
  expect((await cli('results', id, 'tables', ...at)).said).toContain("There is no view 'tables'.");
  expect((await cli('results', id, ...at, '--limit', '0')).said).toContain('--limit must be');
  expect((await cli('results', 'nobody', ...at)).code).not.toBe(0);
});
