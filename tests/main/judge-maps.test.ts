/** Maps of judges and ensembles, over stored inspections and reports. */
import { describe, expect, it } from 'vitest';
import type { JudgeMapReport, JudgeMapSummary } from '../../engine/schema/judge-map.ts';
import type { ScoredRow } from '../../engine/evaluate/pairs/index.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { rejected } from '../support/errors.ts';
import { inspectedRun } from '../support/inspected.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

const refusal = (call: () => unknown) => rejected((async () => await call())());
const count = 6;

/** A pair whose answers a judge scores by `margin` and 0. */
const scored = (i: number, margin: number): ScoredRow => ({
  pairId: `pair-${i}`,
  promptId: `p${i}`,
  prompt: `question ${i}`,
  verdict: i === count - 1 ? 'tie' : 'a',
  a: { text: `good ${i}`, score: margin, tokens: 3, correct: null },
  b: { text: 'bad', score: 0, tokens: 3, correct: null },
});

/** Runs of judges with these margins, on the same dataset. */
async function judges(bench: OpenServices, ...margins: readonly (readonly number[])[]): Promise<string[]> {
  const { store } = bench.services;
  const ref = await datasetForTest(store);
  const input = { kind: 'dataset', ref, hash: 'h', artifact: null } as const;
  const ids: string[] = [];
  for (const [at, own] of margins.entries()) {
    const rows = own.map((margin, i) => scored(i, margin));
    ids.push((await inspectedRun(store, rows, { name: `judge ${at}`, inputs: [input] })).runId);
  }
  return ids;
}
const [first, second] = [
  [1, 1, 1, -1, 0, 5],
  [10, -10, 10, -10, 0, 5],
];

const summary: JudgeMapSummary = {
  attempt: 1,
  pairs: count,
  placed: 3,
  answers: 6,
  cut: 1,
  width: 4,
  explained: [0.5, 0.25],
};
/** Pairs 0, 2 and 4 on a map: chosen answers at x = 0, 1, 2, rejected ones at y = 5. */
const report: JudgeMapReport = {
  positions: [0, 2, 4],
  chosen: [0, 2, 4],
  rejected: [1, 3, 5],
  x: [0, 9, 1, 9, 2, 9],
  y: [0, 5, 0, 5, 0, 5],
  neighbours: [
    [1, 2],
    [0, 3],
    [4, 3],
    [1, 5],
    [2, 0],
    [3, 1],
  ],
  cosines: [
    [0.9, 0.8],
    [0.9, 0.7],
    [0.6, 0.5],
    [0.7, 0.4],
    [0.6, 0.3],
    [0.4, 0.2],
  ],
};

async function mapped() {
  const bench = await servicesForTest();
  const [runId] = await judges(bench, first);
  const about = { kind: 'map', hash: 'h', runId, at: 7 } as const;
  const store = (own: JudgeMapSummary = summary) => bench.services.store.judgeReports.add(about, own, report);
  return { bench, runId, store, api: bench.api };
}

describe('the map of a judge', () => {
  it('is the newest stored one, with the places and scores of both answers of each pair', async () => {
    const { api, runId, store } = await mapped();
    expect(await api.judgeMaps.stored({ runId })).toBeNull();
    await store();
    const map = await api.judgeMaps.stored({ runId });
    expect(map).toMatchObject({ at: 7, pairs: count, answers: 6, cut: 1, explained: [0.5, 0.25] });
    expect([...(map?.x ?? [])]).toEqual([0, 9, 1, 9, 2, 9]);
    expect([...(map?.scores ?? [])]).toEqual([1, 0, 1, 0, 0, 0]);
    expect([...(map?.hits ?? [])]).toEqual([1, 1, 0.5]);
    // the run has no checkpoint any more
    expect(map?.stale).toBe('deleted');
  });

  it('is not shown for pairs of another inspection', async () => {
    const { api, runId, store } = await mapped();
    await store({ ...summary, attempt: 2 });
    expect(await api.judgeMaps.stored({ runId })).toBeNull();
    await store({ ...summary, pairs: 99 });
    expect(await api.judgeMaps.stored({ runId })).toBeNull();
  });

  it('names the answers near one: itself, the other of its pair, and others by the first pair that they are in', async () => {
    const { api, runId, store } = await mapped();
    const asked = { runId, position: 0, side: 'chosen' } as const;
    expect((await refusal(() => api.judgeMaps.near(asked))).kind).toBe('not-found');
    await store();
    expect(await api.judgeMaps.near(asked)).toMatchObject([
      { is: 'self', position: 0, side: 'chosen', cosine: 1, score: 1, answer: 'good 0' },
      { is: 'pair', position: 0, side: 'rejected', cosine: 0.9, answer: 'bad' },
      { is: 'other', position: 2, side: 'chosen', cosine: 0.8, prompt: 'question 2', answer: 'good 2' },
    ]);
    const absent = await refusal(() => api.judgeMaps.near({ ...asked, position: 1 }));
    expect(absent).toMatchObject({ kind: 'not-found', message: expect.stringContaining('Pair 2') as string });
  });

  it('opens the pairs with an answer in a region, bounds included, as a mark of the inspection', async () => {
    const { api, runId, store } = await mapped();
    await store();
    const positions = async (x: [number | null, number | null], y: [number | null, number | null]) => {
      const filter = { mark: { kind: 'region' as const, x, y } };
      const { pairs } = await api.inspections.pairs({ runId, filter, order: 'stored', offset: 0, limit: 50 });
      return pairs.map(({ position }) => position);
    };
    expect(await positions([1, 2], [null, 1])).toEqual([2, 4]);
    expect(await positions([null, null], [5, 5])).toEqual([0, 2, 4]);
    expect(await positions([3, 4], [null, null])).toEqual([]);
    const made = await api.inspections.toDataset({
      runId,
      filter: { mark: { kind: 'region', x: [1, null], y: [null, 0] } },
      order: 'stored',
      name: 'near the middle',
    });
    expect(made.rows).toBe(4);
  });
});

describe('an ensemble of judges', () => {
  it('has the accuracies on the pairs that all were inspected on, and orders pairs by their disagreement', async () => {
    const bench = await servicesForTest();
    const [one, other] = await judges(bench, first, second);
    const report = await bench.api.inspections.ensemble({ runId: one, others: [other, other, one] });
    expect(report.pairs).toBe(5);
    expect(report.judges.map(({ name, rate }) => [name, rate?.accuracy])).toEqual([
      ['judge 0', 3.5 / 5],
      ['judge 1', 2.5 / 5],
    ]);
    expect(report.judges[0].deviation).toBeCloseTo(Math.sqrt(4 / 5), 12);
    // pair 1 is judged +1 and −1 of the same size
    expect(report.ensemble?.accuracy).toBe(3 / 5);
    expect(report.disputed).toBe(2);
    const asked = { runId: one, filter: {}, offset: 0, limit: 50, others: [other] } as const;
    const page = await bench.api.inspections.pairs({ ...asked, others: [other], order: 'ensemble' });
    expect(page.pairs.map(({ position }) => position)).toEqual([1, 0, 2, 3, 4]);
    expect(page.pairs[0].ensemble).toMatchObject({ margin: 0, dissent: 0.5 });
    expect(page.pairs[1].ensemble).toMatchObject({ dissent: 0 });
  });

  it('needs another model, of the same data, and says nothing where no pair is shared', async () => {
    const bench = await servicesForTest();
    const [one] = await judges(bench, first);
    const alone = () => bench.api.inspections.ensemble({ runId: one, others: [one] });
    expect((await refusal(alone)).kind).toBe('invalid-input');
    const elsewhere = (await inspectedRun(bench.services.store, [scored(0, 1)])).runId;
    const mixed = () => bench.api.inspections.ensemble({ runId: one, others: [elsewhere] });
    expect((await refusal(mixed)).kind).toBe('conflict');
    const ref = (await bench.services.store.inspections.source(one)).datasetId ?? '';
    const input = { kind: 'dataset', ref, hash: 'h', artifact: null } as const;
    const rows = [{ ...scored(0, 1), pairId: 'another' }];
    const apart = (await inspectedRun(bench.services.store, rows, { inputs: [input] })).runId;
    expect(await bench.api.inspections.ensemble({ runId: one, others: [apart] })).toMatchObject({
      pairs: 0,
      ensemble: null,
      correlation: null,
    });
  });
});
