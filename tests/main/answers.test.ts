import { describe, expect, it } from 'vitest';
import type { AnswersProgress } from '../../preload/contract/answers.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { checkSpec, promptIdOf } from '../../engine/index.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import { openWorldById } from '../../engine/worlds/index.ts';
import { withReferences } from '../../main/use-cases/answers/references.ts';
import { noFindings } from '../support/findings.ts';
import { rejected } from '../support/errors.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, servicesForTest, smallSpec } from '../support/workspace.ts';

const { signal } = new AbortController();
type Save = Parameters<OpenServices['api']['answers']['save']>[0];

async function saved({ api }: OpenServices, input: Pick<Save, 'from' | 'name'> & Partial<Save>) {
  for await (const progress of api.answers.save({ keep: 'nothing', operators: [], ...input }, signal))
    if (progress.state === 'done') return progress;
  throw new Error('it ended without a result');
}
/** A run with answers to one prompt, of these scores by the verifier. */
async function answered(
  { services }: OpenServices,
  spec: RunSpec,
  prompt: string,
  scores: readonly number[],
) {
  const { id: runId } = await services.store.runs.create(spec, []);
  const attempt = await services.store.runs.beginAttempt(runId, null);
  const rows = scores.map((verifier, sample) => ({
    ...trajectory({ id: `${runId} ${sample}` }),
    promptId: promptIdOf(prompt),
    prompt,
    completion: `answer ${sample}`,
    sample,
    purpose: 'sample' as const,
    scores: { verifier },
  }));
  const event = { runId, attempt, role: 'policy', step: 1, sequence: 1, at: 1 } as const;
  await services.store.events.commit([{ ...event, type: 'trajectories', rows }]);
  return { kind: 'run', runId } as const;
}
async function shown({ api }: OpenServices, from: Parameters<typeof api.answers.showable>[0]['from']) {
  for await (const progress of api.answers.showable({ from }, signal))
    if (progress.state === 'done') return progress;
  throw new Error('it ended without a count');
}
const rowsOf = async ({ api }: OpenServices, id: string) =>
  (await api.rows.page({ id, query: '', sort: null, offset: 0, limit: 500 })).rows;

/** A dataset of prompts in the alphabet of the copying world, two rows of each, with the reference `ab`. */
const promptsFor = (bench: OpenServices, count: number): Promise<string> =>
  rowsFor(
    bench,
    Array.from({ length: count }, (_none, at) => promptAt(at)),
  );

async function rowsFor(
  { services }: OpenServices,
  prompts: readonly string[],
  reference = 'ab',
): Promise<string> {
  const { datasets } = services.store;
  const id = await datasets.stage({ name: 'prompts', source: 'test' });
  const rows = Array.from({ length: 2 * prompts.length }, (_none, row) => {
    const prompt = prompts[row >> 1];
    const facts = { promptId: promptIdOf(prompt), prompt, reference, correct: null, source: 'test' };
    return { row, line: row + 1, answer: ['ab', 'cd'][row % 2], ...facts };
  });
  await datasets.append(id, rows, []);
  await datasets.finish(id, { hash: 'h', doctor: noFindings });
  return id;
}
/** The letters a to d as the digits of a number. */
const promptAt = (at: number): string =>
  `${at
    .toString(4)
    .padStart(4, '0')
    .replaceAll(/\d/g, (digit) => 'abcd'[Number(digit)])}>`;

/** Services with the real engine, and a small finished run on the copying world. */
async function trained(): Promise<{ bench: OpenServices; runId: string; checkpointId: string }> {
  const bench = await servicesForTest({ engine: null });
  const spec = smallSpec({
    method: { id: 'reinforce' },
    budget: { steps: 3, batch: 4 },
    sampling: { maxTokens: 6 },
    evaluation: { problems: 0 },
  });
  const { runId } = await bench.api.runs.launch({ spec });
  const run = await bench.waitForRun(runId, () => undefined);
  expect(run.state).toBe('done');
  const [{ id: checkpointId }] = await bench.services.store.checkpoints.list(runId);
  return { bench, runId, checkpointId };
}

describe('answers of a run', () => {
  it('become rows with their scores, step and run, in the order of the run', async () => {
    const { bench, runId } = await trained();
    const { samples } = await bench.api.runs.samples({
      runIds: [runId],
      purpose: 'train',
      promptId: null,
      step: null,
      order: 'oldest',
      limit: 500,
      offset: 0,
    });
    const { dataset } = await saved(bench, {
      from: { kind: 'run', runId, purpose: 'train' },
      name: 'sampled',
    });
    const train = samples.filter(({ purpose }) => purpose === 'train');
    expect(dataset).toMatchObject({ name: 'sampled', rows: train.length, source: `run ${runId}` });
    const rows = await rowsOf(bench, dataset.id);
    expect(
      rows.map(({ prompt, answer, source, extra }) => [prompt, answer, source, extra?.step, extra?.run]),
    ).toEqual(train.map(({ prompt, completion, step }) => [prompt, completion, 'small', step, runId]));
    const verdict = { 1: true, 0: false };
    expect(rows.map(({ correct }) => correct)).toEqual(
      train.map(({ scores }) => verdict[scores.verifier as 0 | 1] ?? null),
    );
    expect(dataset.doctor.answers).toBe(train.length);
  }, 60_000);

  it('go through operators, which are checked before any answer is read', async () => {
    const bench = await servicesForTest();
    const { services, api } = bench;
    const { id: runId } = await services.store.runs.create(parsedSpec(), []);
    const attempt = await services.store.runs.beginAttempt(runId, null);
    const rows = ['cd', 'ab', 'ab'].map((completion, sample) => ({
      ...trajectory({ id: `answer ${sample}` }),
      prompt: 'ab>',
      completion,
      sample,
      purpose: 'sample' as const,
      scores: { verifier: Number(completion === 'ab') },
    }));
    const event = { runId, attempt, role: 'policy', step: 1, sequence: 1, at: 1 } as const;
    await services.store.events.commit([{ ...event, type: 'trajectories', rows }]);
    const from = { kind: 'run', runId } as const;
    const operators = [{ id: 'show', params: { attempts: 2 } }];
    const { dataset } = await saved(bench, { from, name: 'mutation', operators });
    expect((await rowsOf(bench, dataset.id)).map(({ prompt, answer }) => [prompt, answer])).toEqual([
      ['ab>cd;ab;', 'ab'],
    ]);
    for (const [wrong, where] of [
      [[{ id: 'none', params: {} }], 'operators.0.id'],
      [[{ id: 'show', params: { attempts: 0 } }], 'operators.0.params.attempts'],
      [[{ id: 'show', params: { attempts: 4 } }], 'operators'],
    ] as const)
      expect(await rejected(saved(bench, { from, name: 'wrong', operators: [...wrong] }))).toMatchObject({
        kind: 'invalid-input',
        where,
      });
    expect((await api.datasets.list({})).map(({ name }) => name)).toEqual(['mutation']);
  });

  it('show attempts before what the task of their run gives, where none is right', async () => {
    const bench = await servicesForTest();
    const datasetId = await rowsFor(bench, ['ab>', 'cd>']);
    const world = { kind: 'world', id: 'sorting', params: { method: 'none', levels: 1 } } as const;
    const { prompt } = openWorldById(world.id, world.params).problem('train', 2, 0);
    const wanted = prompt.slice('sort '.length, -1).split(' ').toSorted().join(' ');
    for (const [task, asked, reference] of [
      [{ kind: 'dataset', datasetId, heldout: 0.2 }, 'cd>', 'ab'],
      [world, prompt, `#${wanted}`],
    ] as const) {
      const spec = { ...parsedSpec(), task, seed: 0, budget: { ...parsedSpec().budget, steps: 2, batch: 4 } };
      const from = await answered(bench, checkSpec({ ...spec, sampling: {} }), asked, [0, 0, 0.5]);
      const counted = await shown(bench, from);
      expect(counted).toMatchObject({ answers: 3, evaluated: 0, attempt: '{attempt} ' });
      expect(counted.prompts).toEqual([{ target: 'reference', answers: 3, prompts: 1 }]);
      const operators = [{ id: 'show', params: { attempts: 3, fallback: true } }];
      const { dataset } = await saved(bench, { from, name: 'mutation', operators });
      const rows = await rowsOf(bench, dataset.id);
      expect(rows.map(({ answer }) => answer)).toEqual([reference]);
      expect(rows[0].prompt).toBe(`${asked}answer 0;answer 1;answer 2;`);
    }
  });

  it('have the references of their own run, where two runs ask one prompt of other datasets', async () => {
    const bench = await servicesForTest();
    const rows: { promptId: string; reference: null; correct: null; extra: { run: string } }[] = [];
    for (const reference of ['ab', 'cd']) {
      const datasetId = await rowsFor(bench, ['ab>'], reference);
      const task = { kind: 'dataset', datasetId, heldout: 0.2 } as const;
      const { id: run } = await bench.services.store.runs.create(checkSpec({ ...parsedSpec(), task }), []);
      rows.push({ promptId: promptIdOf('ab>'), reference: null, correct: null, extra: { run } });
    }
    const found = await withReferences(bench.services.store, rows, signal);
    expect(found.map(({ reference }) => reference)).toEqual(['ab', 'cd']);
  });

  it('are refused without any, and leave no dataset', async () => {
    const bench = await servicesForTest();
    const { id } = await bench.services.store.runs.create(parsedSpec(), []);
    const none = rejected(saved(bench, { from: { kind: 'run', runId: id }, name: 'none' }));
    expect(await none).toMatchObject({ kind: 'not-found', where: id });
    expect(await bench.api.datasets.list({})).toEqual([]);
  });
});

describe('answers of a model', () => {
  it('are k to each distinct prompt, the same for the same seed, with provenance and reward', async () => {
    const { bench, checkpointId } = await trained();
    const datasetId = await promptsFor(bench, 4);
    const from = {
      kind: 'model',
      model: { kind: 'checkpoint', id: checkpointId },
      datasetId,
      query: '-prompt="aaad>"',
      samples: 3,
      temperature: 1,
      maxTokens: 5,
      seed: 7,
      reward: { id: 'match/exact', params: {} },
    } as const;
    const first = await saved(bench, { from, name: 'first' });
    const rows = await rowsOf(bench, first.dataset.id);
    expect(rows.map(({ prompt, extra }) => [prompt, extra?.sample])).toEqual(
      [0, 1, 2].flatMap((at) => [0, 1, 2].map((sample) => [promptAt(at), sample])),
    );
    expect(rows.every(({ reference, extra }) => reference === 'ab' && extra?.seed === 7)).toBe(true);
    expect(rows.map(({ correct, extra }) => correct === (extra?.reward === 1))).not.toContain(false);
    const again = await saved(bench, { from, name: 'again' });
    expect((await rowsOf(bench, again.dataset.id)).map(({ answer }) => answer)).toEqual(
      rows.map(({ answer }) => answer),
    );
    expect(again.dataset.hash).toBe(first.dataset.hash);
    const empty = rejected(saved(bench, { from: { ...from, query: 'nothing-like-it' }, name: 'none' }));
    expect(await empty).toMatchObject({ kind: 'invalid-input' });
  }, 60_000);

  it('leave out and name the prompts that it cannot read, or that are too long for it', async () => {
    const { bench, checkpointId } = await trained();
    const long = `${'abcd'.repeat(5000)}>`;
    const datasetId = await rowsFor(bench, ['aaaa>', 'a 7 b>', 'bbbb>', long]);
    const from = {
      kind: 'model',
      model: { kind: 'checkpoint', id: checkpointId },
      datasetId,
      query: '',
      samples: 2,
      temperature: 1,
      maxTokens: 5,
      seed: 7,
    } as const;
    const { dataset, leftOut } = await saved(bench, { from, name: 'some' });
    expect((await rowsOf(bench, dataset.id)).map(({ prompt }) => prompt)).toEqual([
      'aaaa>',
      'aaaa>',
      'bbbb>',
      'bbbb>',
    ]);
    expect(leftOut).toEqual({
      count: 2,
      first: [
        { row: 2, message: expect.stringMatching(/alphabet|encode|character/) as string },
        { row: 6, message: expect.stringMatching(/20\d\d\d tokens/) as string },
      ],
    });
    const none = rejected(saved(bench, { from: { ...from, query: 'prompt="a 7 b>"' }, name: 'none' }));
    expect(await none).toMatchObject({ kind: 'invalid-input', where: 'row 3' });
  }, 60_000);

  it('that are cancelled keep nothing, or the part that is done, as was asked', async () => {
    const { bench, checkpointId } = await trained();
    const datasetId = await promptsFor(bench, 150);
    const from = {
      kind: 'model',
      model: { kind: 'checkpoint', id: checkpointId },
      datasetId,
      query: '',
      samples: 2,
      temperature: 1,
      maxTokens: 4,
      seed: 0,
    } as const;
    const cancelled = async (keep: Save['keep']): Promise<AnswersProgress | null> => {
      for await (const progress of bench.api.answers.save(
        { from, name: `kept ${keep}`, keep, operators: [] },
        signal,
      ))
        return progress;
      return null;
    };
    for (const keep of ['nothing', 'done'] as const) {
      expect(await cancelled(keep)).toMatchObject({ state: 'saving', total: 150 });
      await bench.api.answers.settle({});
    }
    const kept = (await bench.api.datasets.list({})).filter(({ name }) => name.startsWith('kept'));
    expect(kept).toHaveLength(1);
    const [, done] = /^kept done \((\d+) of 150\)$/.exec(kept[0].name) ?? [];
    expect(Number(done)).toBeGreaterThan(0);
    expect(kept[0].rows).toBe(2 * Number(done));
  }, 60_000);
});

describe('columns by a model', () => {
  it('are perplexities, pass rates and spreads of a policy', async () => {
    const { bench, checkpointId } = await trained();
    const { api } = bench;
    const datasetId = await promptsFor(bench, 2);
    const model = { kind: 'checkpoint', id: checkpointId } as const;
    const compute = async (
      name: string,
      definition: Parameters<typeof api.columns.compute>[0]['definition'],
    ) => {
      for await (const progress of api.columns.compute(
        { id: datasetId, name, definition, query: '', author: 'me' },
        signal,
      ))
        if (progress.state === 'done') return progress;
      throw new Error('it ended without a result');
    };
    const sampling = {
      model,
      reward: { id: 'match/exact', params: {} },
      samples: 4,
      temperature: 1,
      maxTokens: 4,
      seed: 0,
    };
    const perplexity = await compute('ppl', { by: 'perplexity', model });
    await compute('passes', { by: 'pass-rate', ...sampling });
    await compute('spread', { by: 'spread', ...sampling });
    const rows = await rowsOf(bench, datasetId);
    expect(perplexity).toMatchObject({ rows: 4, faults: { count: 0 } });
    for (const { extra } of rows) {
      // an untrained policy over seven tokens
      expect(Number(extra?.ppl)).toBeGreaterThan(2);
      expect(Number(extra?.ppl)).toBeLessThan(20);
      const [passes, spread] = [Number(extra?.passes), Number(extra?.spread)];
      // of 0 and 1 with this mean
      expect(spread).toBeCloseTo(Math.sqrt((passes * (1 - passes) * 4) / 3), 12);
    }
    expect(rows[0].extra?.passes).toBe(rows[1].extra?.passes);
    const policy = rejected(compute('score', { by: 'model', model }));
    expect(await policy).toMatchObject({ kind: 'unsupported' });
  }, 60_000);
});
