import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StagedAnswers } from '../../main/use-cases/answers/staged.ts';
import { servicesForTest } from '../support/workspace.ts';

const row = (prompt: string, correct: boolean, extra: Record<string, unknown>) => ({
  promptId: prompt,
  prompt,
  answer: correct ? 'right' : 'wrong',
  reference: null,
  correct,
  source: 'run',
  extra,
});

it('the pairs of a dataset have the weight and the soft label of their right row', async () => {
  const { services } = await servicesForTest();
  const staged = await StagedAnswers.open(services.store, { name: 'pairs', source: 'run', why: '' });
  const labels = [
    { 'pair weight': 0.25, 'pair agreement': 0.75 },
    { 'pair weight': 0 },
    { 'pair weight': 7, 'pair agreement': 'no' },
    { score: 1 },
  ];
  await staged.append(
    labels.flatMap((extra, at) => [row(`p${at}`, true, extra), row(`p${at}`, false, { 'pair weight': 1 })]),
  );
  const { id } = await staged.finish();
  const { path } = await services.store.datasets.exportPreferences(id);
  const pairs = readFileSync(join(services.folder, path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { promptId: string; weight?: number; agreement?: number });
  expect(pairs.map(({ promptId, weight, agreement }) => [promptId, weight, agreement])).toEqual([
    ['p0', 0.25, 0.75],
    ['p1', 0, undefined],
    ['p2', undefined, undefined],
    ['p3', undefined, undefined],
  ]);
});
