import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import type { OpenServices } from '../../main/headless/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { smallSpec, servicesForTest } from '../support/workspace.ts';

const { signal } = new AbortController();

/** Services with the real engine and a finished run that restarts from its own answers (Satori). */
async function restarted(): Promise<{ bench: OpenServices; runId: string }> {
  const bench = await servicesForTest({ engine: null });
  const spec = smallSpec({
    method: {
      id: 'satori',
      params: { step: 'token', right: 0.99, refresh: 1, good: 0.25, bad: 0.5, depth: 1 },
    },
    budget: { steps: 20, batch: 16 },
    sampling: { maxTokens: 6 },
    evaluation: { problems: 0 },
  });
  const { runId } = await bench.api.runs.launch({ spec });
  const run = await bench.waitForRun(runId, () => undefined);
  expect(run.state).toBe('done');
  return { bench, runId };
}

describe('where answers began', () => {
  it('is stored, found, and kept by datasets and their files', async () => {
    const { bench, runId } = await restarted();
    const { api } = bench;
    const whole = { runIds: [runId], sort: null, view: 'answers' as const, promptId: null, equalTo: null };
    const page = (query: string, ids: string[] | null = null) =>
      api.samples.page({ ...whole, query, ids, asOf: null, offset: 0, limit: 500 });
    const { samples } = await page('');
    const byId = new Map(samples.map((sample) => [sample.id, sample]));
    const begun = samples.filter(({ origin }) => origin !== undefined);
    expect(begun.length).toBeGreaterThan(8);
    for (const { origin, completion, promptId, runId: own } of begun) {
      const parent = byId.get(origin?.parent ?? '');
      expect(parent?.promptId).toBe(promptId);
      expect(origin?.from).toEqual({
        runId: own,
        step: parent?.step,
        sample: parent?.sample,
        correct: parent?.correct,
      });
      expect(origin?.tokens).toBeGreaterThan(0);
      const given = completion.slice(0, origin?.characters);
      expect(parent?.completion.slice(0, origin?.characters)).toBe(given);
    }
    const found = await page('given>0');
    expect(found.samples.map(({ id }) => id).sort()).toEqual(begun.map(({ id }) => id).sort());
    const [{ origin }] = begun;
    expect((await page('', [origin?.parent ?? ''])).samples).toMatchObject([{ id: origin?.parent }]);
    // the same facts where pages of compared runs read them
    const plain = await api.runs.samples({
      runIds: [runId],
      purpose: null,
      promptId: null,
      step: null,
      order: 'newest',
      offset: 0,
      limit: 500,
    });
    expect(new Map(plain.samples.map((sample) => [sample.id, sample.origin]))).toEqual(
      new Map(samples.map((sample) => [sample.id, sample.origin])),
    );

    const datasetId = await saved(bench, runId);
    const facts = async (id: string) =>
      (await api.rows.page({ id, query: '', sort: null, offset: 0, limit: 500 })).rows.map(({ extra }) => [
        extra?.['answer id'],
        extra?.['parent answer'] ?? null,
        extra?.['start state'] ?? null,
        extra?.['given tokens'] ?? null,
      ]);
    const own = await facts(datasetId);
    const ids = new Set(own.map(([id]) => id));
    expect(own.filter(([, parent]) => parent !== null && ids.has(parent))).toHaveLength(begun.length);
    for (const format of ['jsonl', 'parquet'])
      expect(await facts(await copied(bench, datasetId, format)), format).toEqual(own);
  }, 60_000);
});

async function saved({ api }: OpenServices, runId: string): Promise<string> {
  const input = {
    from: { kind: 'run', runId, purpose: 'train' },
    name: 'restarts',
    keep: 'nothing',
  } as const;
  for await (const progress of api.answers.save({ ...input, operators: [] }, signal))
    if (progress.state === 'done') return progress.dataset.id;
  throw new Error('it ended without a result');
}

/** The id of a dataset that was written as a file and imported again. */
async function copied({ api }: OpenServices, datasetId: string, format: string): Promise<string> {
  const path = join(temporaryFolder(), `answers.${format}`);
  for await (const progress of api.exports.write(
    { from: { kind: 'dataset', id: datasetId }, format, path },
    signal,
  ))
    expect(progress.state).not.toBe('failed');
  let id = '';
  for await (const progress of api.datasets.import({ path, name: format, keepGoodLines: false }, signal))
    if (progress.state === 'done') ({ id } = progress.dataset);
  return id;
}
