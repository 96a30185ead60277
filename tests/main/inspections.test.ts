/** The pairs behind a reward model's inspection: stored whole, paged, sliced, saved and labeled. */
import { describe, expect, it } from 'vitest';
import type { ScoredRow } from '../../engine/evaluate/pairs/index.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import type { StoreClient } from '../../main/store/client.ts';
import type { PairFilter, PairOrder } from '../../engine/schema/inspected-pair.ts';
import { rejected } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { inspectedRun } from '../support/inspected.ts';
import { servicesForTest } from '../support/workspace.ts';

const count = 150;
const refusal = (call: () => unknown) => rejected((async () => await call())());

/** A dataset of two answers to each of many prompts, with a source, a level, a tag on some, and turns. */
async function rowsFor(store: StoreClient): Promise<string> {
  const id = await store.datasets.stage({ name: 'pairs', source: 'test' });
  const rows = Array.from({ length: 2 * count }, (_none, row) => {
    const prompt = row >> 1;
    return {
      row,
      line: row + 1,
      promptId: `p${prompt}`,
      prompt: `question ${prompt}`,
      answer: `${row % 2 === 0 ? 'good' : 'bad'} ${prompt}`,
      reference: null,
      correct: row % 2 === 0,
      source: prompt % 3 === 0 ? 'wiki' : 'web',
      extra: { level: prompt, writer: row % 2 === 0 ? 'ann' : 'bob' },
      ...(prompt % 5 === 0 && {
        messages: [
          { role: 'user' as const, content: 'first' },
          { role: 'assistant' as const, content: 'said' },
          { role: 'user' as const, content: `question ${prompt}` },
        ],
      }),
    };
  });
  await store.datasets.append(id, rows, []);
  await store.datasets.finish(id, { hash: 'h', doctor: noFindings });
  return id;
}

/** A scored pair of the rows 2i and 2i + 1; the model errs on every fourth one. */
const scoredPair = (i: number): ScoredRow => ({
  pairId: `${2 * i}-${2 * i + 1}`,
  promptId: `p${i}`,
  prompt: `question ${i}`,
  verdict: i % 2 === 0 ? 'a' : 'b',
  ...(() => {
    const good = {
      text: `good ${i}`,
      score: (i % 4 === 3 ? -1 : 1) * (1 + i / 100),
      tokens: 3 + (i % 7),
      correct: true,
    };
    const bad = { text: `bad ${i}`, score: 0, tokens: 4, correct: false };
    return i % 2 === 0 ? { a: good, b: bad } : { a: bad, b: good };
  })(),
});
const pairs = Array.from({ length: count }, (_none, i) => scoredPair(i));

async function ofDataset(bench: OpenServices, name = 'judge') {
  const { store } = bench.services;
  const datasetId = await rowsFor(store);
  const input = { kind: 'dataset', ref: datasetId, hash: 'h', artifact: null } as const;
  return { datasetId, ...(await inspectedRun(store, pairs, { name, inputs: [input] })) };
}

const pageOf = async (
  { api }: OpenServices,
  runId: string,
  filter: PairFilter = {},
  order: PairOrder = 'stored',
  offset = 0,
) => api.inspections.pairs({ runId, filter, order, offset, limit: 50 });

describe('the pairs of an inspection', () => {
  it('are stored with the run’s events, and paged in their order', async () => {
    const bench = await servicesForTest();
    const { runId, inspection } = await ofDataset(bench);
    expect(await bench.api.inspections.state({ runId })).toEqual({ pairs: count });
    const [first, last] = [await pageOf(bench, runId), await pageOf(bench, runId, {}, 'stored', 140)];
    expect(first.total).toBe(inspection.pairs);
    expect(first.pairs).toHaveLength(50);
    expect(last.pairs.map(({ position }) => position)).toEqual(
      Array.from({ length: 10 }, (_n, i) => 140 + i),
    );
    expect(first.pairs[3]).toMatchObject({
      pairId: '6-7',
      chosen: 'good 3',
      rejected: 'bad 3',
      verdict: 'b',
      margin: -1.03,
      certainty: null,
      chosenCorrect: true,
      label: null,
    });
  });

  it('are as many behind each mark as the stored inspection counts', async () => {
    const bench = await servicesForTest();
    const { runId, inspection } = await ofDataset(bench);
    for (const kind of ['margins', 'reliability'] as const)
      for (const [bin, { n }] of inspection[kind].entries())
        expect((await pageOf(bench, runId, { mark: { kind, bin } })).total).toBe(n);
    for (const [bin, { correct, wrong, unmarked }] of inspection.scores.entries())
      expect((await pageOf(bench, runId, { mark: { kind: 'scores', bin } })).answers).toBe(
        correct + wrong + unmarked,
      );
    for (const { name, n } of inspection.slices)
      expect((await pageOf(bench, runId, { mark: { kind: 'slice', by: 'inspected', name } })).total).toBe(n);
  });

  it('begin with the surest error, the hardest, or the largest disagreement', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    const first = async (order: PairOrder) => (await pageOf(bench, runId, {}, order)).pairs[0].position;
    expect(await first('surest-error')).toBe(147);
    expect(await first('disagreement')).toBe(147);
    expect(await first('hardest')).toBe(0);
    expect((await pageOf(bench, runId, { outcome: 'wrong' })).total).toBe(Math.floor(count / 4));
  });

  it('of an attempt that did not end are not shown, and those of the next one are', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const { runId } = await ofDataset(bench);
    await store.inspections.store(runId, 2, { from: 0, total: 2, rows: [] });
    expect(await store.inspections.of(runId)).toEqual({ attempt: 1, pairs: count });
  });

  it('go with their run', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    await bench.api.runs.remove({ id: runId });
    expect((await refusal(() => bench.api.inspections.state({ runId }))).kind).toBe('not-found');
  });

  it('are missing from an older inspection, which opens and says how to get them', async () => {
    const bench = await servicesForTest();
    const { runId } = await inspectedRun(bench.services.store, pairs, { withPairs: false });
    expect(await bench.api.rewards.inspect({ runId })).toMatchObject({ pairs: count });
    expect(await bench.api.inspections.state({ runId })).toEqual({ pairs: null });
    const error = await rejected(pageOf(bench, runId));
    expect(error).toMatchObject({ kind: 'not-found', hint: expect.stringContaining('again') as string });
  });

  it('refuse a slice or bin that there is not', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    for (const mark of [
      { kind: 'slice', by: 'source', name: 'nowhere' },
      { kind: 'margins', bin: 20 },
    ] as const)
      expect((await rejected(pageOf(bench, runId, { mark }))).kind).toBe('not-found');
  });
});

describe('slices', () => {
  const namesBy = async (bench: OpenServices, runId: string, by: string) =>
    (await bench.api.inspections.slices({ runId, by: [by] })).slices.map(({ name, n }) => [name, n]);

  it('are by source, tag, turns, length ratio and any column of the rows behind the pairs', async () => {
    const bench = await servicesForTest();
    const { runId, datasetId } = await ofDataset(bench);
    const change = { kind: 'tag', value: 'odd' } as const;
    const target = { rows: [0, 1, 2] };
    const { signal } = new AbortController();
    const asked = { id: datasetId, target, change, author: 'me' };
    const steps: unknown[] = [];
    for await (const step of bench.api.curation.change(asked, signal)) steps.push(step);
    expect(steps.length).toBeGreaterThan(0);
    const columns = (await bench.api.inspections.columns({ runId })).map(({ name }) => name);
    expect(columns).toEqual(
      expect.arrayContaining(['inspected', 'length ratio', 'tag', 'turns', 'source', 'level', 'writer']),
    );
    expect(await namesBy(bench, runId, 'source')).toEqual([
      ['web', 100],
      ['wiki', 50],
    ]);
    expect(await namesBy(bench, runId, 'tag')).toEqual([
      ['odd', 2],
      ['(none)', count - 2],
    ]);
    expect(await namesBy(bench, runId, 'turns')).toEqual([
      ['1', 120],
      ['2', 30],
    ]);
    expect(await namesBy(bench, runId, 'writer')).toEqual([['ann over bob', count]]);
    const [levels, ratios] = [
      await namesBy(bench, runId, 'level'),
      await namesBy(bench, runId, 'length ratio'),
    ];
    expect(levels).toHaveLength(4);
    for (const slices of [levels, ratios])
      expect(slices.reduce((sum, [, n]) => sum + Number(n), 0)).toBe(count);
  });

  it('open the pairs that they count', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    const { slices, tested } = await bench.api.inspections.slices({
      runId,
      by: ['source', 'level', 'turns'],
    });
    for (const { by, name, n } of slices)
      expect((await pageOf(bench, runId, { mark: { kind: 'slice', by, name } })).total).toBe(n);
    expect(tested).toBe(slices.length);
  });

  it('by labeler are those of the label set, which a pair leads back to', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const datasetId = await rowsFor(store);
    const set = await store.labelSets.create({
      name: 'set',
      from: { kind: 'dataset', datasetId },
      pairsPerPrompt: 1,
      onlyDiffering: true,
      seed: 0,
    });
    const { pairs: labeled } = await store.labelSets.pairs(set.id, 0, 200);
    const scored = labeled.map(({ pairId, promptId, prompt, a, b }): ScoredRow => {
      const answer = (text: string) => ({ text, score: text.length, tokens: 2, correct: null });
      return { pairId, promptId, prompt, verdict: 'a', a: answer(a), b: answer(b) };
    });
    for (const [at, { pairId }] of labeled.entries())
      await store.labels.decide({
        pairId,
        verdict: 'a',
        seconds: null,
        labeler: at < 100 ? 'ann' : 'bob',
        rationale: '',
      });
    const input = { kind: 'label-set', ref: set.id, hash: 'h', artifact: null } as const;
    const { runId } = await inspectedRun(store, scored, { inputs: [input] });
    expect(await namesBy(bench, runId, 'labeler')).toEqual([
      ['ann', 100],
      ['bob', 50],
    ]);
    expect(await namesBy(bench, runId, 'source')).toEqual([
      ['web', 100],
      ['wiki', 50],
    ]);
    const [first] = (await pageOf(bench, runId)).pairs;
    expect(first.label).toEqual({ setId: set.id, set: 'set', verdict: 'a' });
    await store.labels.decide({
      pairId: first.pairId,
      verdict: 'b',
      seconds: null,
      labeler: 'ann',
      rationale: '',
    });
    expect((await pageOf(bench, runId)).pairs[0].label?.verdict).toBe('b');
  });
});

describe('the pairs of a filter', () => {
  const errors = { outcome: 'wrong' } as const;

  it('become a dataset: two rows a pair in their order, with scores', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    const asked = { runId, filter: errors, order: 'surest-error', name: 'errors' } as const;
    const { id, rows } = await bench.api.inspections.toDataset(asked);
    expect(rows).toBe(2 * Math.floor(count / 4));
    const page = await bench.api.rows.page({ id, query: '', sort: null, offset: 0, limit: 2 });
    expect(page.rows.map(({ answer, correct, extra }) => [answer, correct, extra?.side])).toEqual([
      ['good 147', true, 'chosen'],
      ['bad 147', false, 'rejected'],
    ]);
    expect(page.rows[0].extra).toMatchObject({ run: runId, pair: '294-295' });
    expect(page.rows[0].extra?.margin).toBeCloseTo(-2.47, 12);
  });

  it('become a label set with exactly these pairs in their order, unlabeled', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    const asked = { runId, filter: errors, order: 'surest-error', name: 'Disagreements of judge' } as const;
    const set = await bench.api.inspections.toLabels(asked);
    expect(set).toMatchObject({ name: 'Disagreements of judge', pairs: 37, labeled: 0 });
    const { pairs: queued } = await bench.api.labels.pairs({ setId: set.id, offset: 0, limit: 3 });
    expect(queued.map(({ a, b, verdict }) => [a, b, verdict])).toEqual([
      ['good 147', 'bad 147', null],
      ['good 143', 'bad 143', null],
      ['good 139', 'bad 139', null],
    ]);
    const lefts = await bench.api.labels.queue({ setId: set.id, after: [], count: 37, labeler: 'me' });
    const goodLeft = lefts.filter(({ answers }) => answers[0].startsWith('good')).length;
    expect(goodLeft).toBeGreaterThan(5);
    expect(goodLeft).toBeLessThan(32);
    await bench.api.labels.removeSet({ id: set.id });
    await bench.api.datasets.remove({ id: set.source.slice('dataset:'.length) });
    expect(await bench.api.datasets.list({})).toHaveLength(1);
  });

  it('become nothing if there are none, and nothing is left', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    const asked = { runId, filter: { outcome: 'equal' }, order: 'stored', name: 'none' } as const;
    expect((await refusal(() => bench.api.inspections.toLabels(asked))).kind).toBe('invalid-input');
    expect(await bench.api.datasets.list({})).toHaveLength(1);
  });
});

describe('two reward models', () => {
  it('are compared on the pairs that they share', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const { runId, datasetId } = await ofDataset(bench);
    const input = { kind: 'dataset', ref: datasetId, hash: 'h', artifact: null } as const;
    const all = pairs.map((pair): ScoredRow => ({
      ...pair,
      a: { ...pair.a, score: 1 },
      b: { ...pair.b, score: 0 },
    }));
    const { runId: otherId } = await inspectedRun(store, all.slice(0, 100), { inputs: [input] });
    const found = await bench.api.inspections.against({ runId, otherId });
    expect(found).toMatchObject({ pairs: 100, onlyHere: 50, onlyThere: 0, here: 0.75, there: 0.5 });
    expect(found.difference).toBeCloseTo(-0.25, 12);
    expect(found.onlyHereRight - found.onlyThereRight).toBe(25);
    expect(found.positions).toHaveLength(found.differing);
    const mark = { kind: 'positions', positions: found.positions } as const;
    expect((await pageOf(bench, runId, { mark })).total).toBe(found.differing);
  });

  it('of different data are refused', async () => {
    const bench = await servicesForTest();
    const { runId } = await ofDataset(bench);
    const { runId: otherId } = await ofDataset(bench);
    expect((await refusal(() => bench.api.inspections.against({ runId, otherId }))).kind).toBe('conflict');
  });
});

describe('scores over lengths', () => {
  it('are one point an answer, with correlations over all of them', async () => {
    const bench = await servicesForTest();
    const { runId, inspection } = await ofDataset(bench);
    const found = await bench.api.inspections.lengths({ runId, most: 100 });
    expect(found.answers).toBe(2 * count);
    expect(found.pearson).toBeCloseTo(inspection.lengthCorrelation, 12);
    expect(found.tokens.length).toBeLessThanOrEqual(100);
    expect(found.positions.every((at) => at >= 0 && at < count)).toBe(true);
  });
});
