/** A reward’s code on answers of a task before a run has any: those of a world, or rows of a dataset. */
import { expect, it } from 'vitest';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { triedOn } from '../../preload/wire/tried-on.ts';
import { rejected } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { servicesForTest } from '../support/workspace.ts';

const row = (at: number, own: Partial<DatasetRow>): DatasetRow => ({
  row: at,
  line: at + 1,
  promptId: `p${at}`,
  prompt: `question ${at}`,
  answer: '',
  reference: null,
  correct: null,
  source: 'test',
  ...own,
});

it('tries code on the first rows of a dataset, answered by themselves or by their references', async () => {
  const {
    api,
    services: { store },
  } = await servicesForTest({ engine: null });
  const datasetId = await store.datasets.stage({ name: 'own', source: 'test' });
  const rows = [
    row(0, { answer: 'seven', reference: '7' }),
    row(1, { reference: '12' }),
    // no text, and one longer than a policy writes
    row(2, {}),
    row(3, { answer: 'y'.repeat(30_000) }),
    ...[4, 5, 6, 7].map((at) => row(at, { answer: 'x' })),
  ];
  await store.datasets.append(datasetId, rows, []);
  await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
  const tried = await api.rewards.trySnippet({
    code: '(row) => row.reference.length + row.completion.length',
    task: { kind: 'dataset', datasetId },
  });
  expect(tried.map(({ completion, value }) => [completion, value])).toEqual([
    ['seven', 6],
    ['12', 4],
    ...Array(3).fill(['x', null]),
  ]);
  expect(tried[2].error?.message).toContain('null');
  const ofNone = api.rewards.trySnippet({ code: '() => 1', task: { kind: 'dataset', datasetId: 'none' } });
  expect(await rejected(Promise.resolve(ofNone))).toMatchObject({ kind: 'not-found' });
});

it('tries none for rows that a plan makes, nor where a run reads a version or a part alone', () => {
  const task = (own: object) => ({ kind: 'dataset', datasetId: 'd', ...own }) as RunSpec['task'];
  expect(triedOn(task({}))).toEqual({ kind: 'dataset', datasetId: 'd' });
  for (const own of [{ datasetId: { node: 'rows' } }, { version: 'v' }, { trainPart: 'train' }])
    expect(triedOn(task(own))).toBeNull();
});

it('tries code on demonstrations of a world', async () => {
  const { api } = await servicesForTest({ engine: null });
  const tried = await api.rewards.trySnippet({
    code: '(row) => row.completion.length',
    task: { kind: 'world', id: 'toy/copy', params: { length: 3 } },
  });
  expect(tried.map(({ value, error }) => [value, error])).toEqual(Array(5).fill([3, null]));
});
