import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endMarks, startKinds } from '../../preload/wire/start-kinds.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesIn, smallSpec } from '../support/workspace.ts';

const { signal } = new AbortController();

/** Services with the real engine and a finished run that restarts from its own answers (Satori). */
async function restarted(folder: string): Promise<{ bench: OpenServices; runId: string }> {
  const bench = await servicesIn(folder, { engine: null });
  const spec = smallSpec({
    method: {
      id: 'satori',
      params: { groupSize: 2, step: 'token', right: 0.99, refresh: 1, good: 0.25, bad: 0.5, depth: 2 },
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
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-origins-'));
  let own: Awaited<ReturnType<typeof restarted>>;
  beforeAll(async () => {
    own = await restarted(folder);
  }, 60_000);
  afterAll(async () => {
    await own.bench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const page = (query: string, ids: string[] | null = null) =>
    own.bench.api.samples.page({
      runIds: [own.runId],
      sort: null,
      view: 'answers',
      promptId: null,
      equalTo: null,
      query,
      ids,
      asOf: null,
      offset: 0,
      limit: 500,
    });

  it('is stored, found, and kept by datasets and their files', async () => {
    const { bench, runId } = own;
    const { api } = bench;
    const { samples } = await page('');
    const byId = new Map(samples.map((sample) => [sample.id, sample]));
    const begun = samples.filter(({ origin }) => origin !== undefined);
    expect(begun.length).toBeGreaterThan(8);
    for (const { origin, completion, promptId, runId: of } of begun) {
      const parent = byId.get(origin?.parent ?? '');
      expect(parent?.promptId).toBe(promptId);
      expect(origin?.from).toEqual({
        runId: of,
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
    const stored = await facts(datasetId);
    const ids = new Set(stored.map(([id]) => id));
    expect(stored.filter(([, parent]) => parent !== null && ids.has(parent))).toHaveLength(begun.length);
    for (const format of ['jsonl', 'parquet'])
      expect(await facts(await copied(bench, datasetId, format)), format).toEqual(stored);
  }, 60_000);

  it('is counted with how they ended, and each count can be listed', async () => {
    const { api } = own.bench;
    const { samples } = await page('');
    const nameOf = (correct: boolean | null) => (correct === null ? 'unmarked' : correct ? 'right' : 'wrong');
    const startOf = ({ origin }: (typeof samples)[number]) =>
      origin === undefined ? 'prompt' : nameOf(origin.from?.correct ?? null);
    const found = await api.startStates.ofRun({ runId: own.runId });
    const [matrix] = found?.matrices ?? [];
    expect(found?.matrices.map(({ purpose }) => purpose)).toEqual(['train']);
    for (const [s, kind] of startKinds.entries())
      for (const [e, end] of endMarks.entries()) {
        const these = samples.filter((each) => startOf(each) === kind && nameOf(each.correct) === end);
        expect(matrix.answers[s][e], `${kind} to ${end}`).toBe(these.length);
        const { total } = await page(`purpose=train start=${kind} is:${end}`);
        expect(total, `${kind} to ${end}`).toBe(these.length);
      }
    const isThere = (counts: readonly number[]) => counts.some((n) => n > 0);
    expect(matrix.answers.filter(isThere).length).toBeGreaterThan(2);
    expect(endMarks.filter((_end, e) => isThere(matrix.answers.map((row) => row[e]))).length).toBeGreaterThan(
      1,
    );
    // the windows have every answer once
    const inWindows = found?.windows.answers.flat(2) ?? [];
    expect(inWindows.reduce((sum, n) => sum + n, 0)).toBe(samples.length);
    const steps = [...(found?.windows.steps ?? [])];
    expect(steps).toEqual([...new Set(samples.map(({ step }) => step))].sort((a, b) => a - b));
    // answers of one line, which are kept whole if they were truncated behind their last character
    const byId = new Map(samples.map((sample) => [sample.id, sample]));
    const begun = samples.flatMap(({ origin }) => origin ?? []);
    const cut = begun.filter(
      ({ parent, characters }) => (byId.get(parent ?? '')?.completion.length ?? 0) > characters,
    );
    const kept = begun.length - cut.length;
    const depths = [
      { lines: 0, answers: kept },
      { lines: 1, answers: cut.length },
    ];
    expect(found?.depths).toEqual(depths.filter(({ answers }) => answers > 0));
    expect((await page('back=1')).total).toBe(cut.length);
  });

  it('is nothing where all answers began at their prompts', async () => {
    const { api } = own.bench;
    const spec = smallSpec({ budget: { steps: 1, batch: 4 }, evaluation: { problems: 0 } });
    const { runId } = await api.runs.launch({ spec });
    await own.bench.waitForRun(runId, () => undefined);
    expect(await api.startStates.ofRun({ runId })).toBeNull();
  });
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
