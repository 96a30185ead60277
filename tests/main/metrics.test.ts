import { describe, expect, it } from 'vitest';
import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import { chunkLength } from '../../main/store/metric-points.ts';
import { rejected } from '../support/errors.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

async function runForTest() {
  const { store, folder } = await workspaceForTest();
  const { id } = await store.runs.create(parsedSpec(), []);
  await store.runs.beginAttempt(id, null);
  const event = (sequence: number, step: number, body: EventBody, attempt = 1): EngineEvent => ({
    runId: id,
    attempt,
    role: 'policy',
    step,
    sequence,
    at: 1000 + sequence,
    ...body,
  });
  const metric = (sequence: number, step: number, loss: number, attempt = 1): EngineEvent =>
    event(sequence, step, { type: 'metrics', values: { loss } }, attempt);
  const series = async (own: { from?: number; to?: number | null; points?: number } = {}) =>
    (
      await store.metrics.series({ runIds: [id], names: ['loss'], from: 0, to: null, points: 20_000, ...own })
    )[0];
  return { store, folder, id, event, metric, series };
}

describe('metrics', () => {
  it('keep every point through compaction, including NaN and infinities', async () => {
    const { store, metric, series } = await runForTest();
    const n = chunkLength * 2 + 100;
    const value = (i: number): number =>
      i === 5 ? Number.NaN : i === 6 ? Number.POSITIVE_INFINITY : i === n ? Number.NEGATIVE_INFINITY : i / 7;
    await store.events.commit(Array.from({ length: n }, (_none, i) => metric(i + 1, i + 1, value(i + 1))));
    const { steps, values, at } = await series();
    expect(steps).toEqual(Float64Array.from({ length: n }, (_none, i) => i + 1));
    expect(values).toEqual(Float64Array.from({ length: n }, (_none, i) => value(i + 1)));
    expect(at[n - 1]).toBe(1000 + n);
    const window = await series({ from: chunkLength - 1, to: chunkLength + 1 });
    expect([...window.steps]).toEqual([chunkLength - 1, chunkLength, chunkLength + 1]);
  });

  it('show the minimum and maximum of each bucket if there are more points than requested, and never hide a NaN', async () => {
    const { store, metric, series } = await runForTest();
    await store.events.commit(
      Array.from({ length: 1000 }, (_none, i) =>
        metric(i + 1, i, i === 500 ? Number.NaN : i === 250 ? 99 : Math.sin(i)),
      ),
    );
    const { steps, values, low, high } = await series({ points: 100 });
    // 16 steps each, the finest of which 100 cover 1,000
    expect(steps).toHaveLength(63);
    expect(Math.max(...(high ?? []))).toBe(99);
    expect(Math.min(...(low ?? []))).toBeLessThan(-0.99);
    expect(values[31]).toBeNaN();
    expect(steps[31]).toBe(500);
  });

  it('of a run are the same bit for bit, whichever other runs are asked for', async () => {
    const { store, metric, id } = await runForTest();
    const other = await store.runs.create(parsedSpec(), []);
    await store.runs.beginAttempt(other.id, null);
    const events = Array.from({ length: 3000 }, (_none, i) => metric(i + 1, i, Math.sin(i * i)));
    await store.events.commit(events);
    await store.events.commit(events.slice(0, 1700).map((event) => ({ ...event, runId: other.id })));
    const query = { names: ['loss'], from: 100, to: 2900, points: 300 };
    const [alone] = await store.metrics.series({ ...query, runIds: [id] });
    const both = await store.metrics.series({ ...query, runIds: [other.id, id] });
    expect(both).toHaveLength(2);
    expect(both.find(({ runId }) => runId === id)).toEqual(alone);
  });

  it('refuse a request for too many points, and say how to ask for fewer', async () => {
    const { store } = await runForTest();
    const names = Array.from({ length: 64 }, (_none, i) => `m${i}`);
    const error = await rejected(
      store.metrics.series({ runIds: names, names, from: 0, to: null, points: 20_000 }),
    );
    expect(error).toMatchObject({ kind: 'invalid-input', where: 'points' });
  });

  it('take the latest attempt for each step', async () => {
    const { store, metric, series, id } = await runForTest();
    await store.events.commit([metric(1, 1, 0.1), metric(2, 2, 0.2), metric(3, 3, 0.3)]);
    await store.runs.setState(id, 'interrupted');
    await store.runs.enqueue(id, false);
    expect(await store.runs.beginAttempt(id, null)).toBe(2);
    await store.events.commit([metric(1, 2, 20, 2)]);
    const { steps, values } = await series();
    expect([[...steps], [...values]]).toEqual([
      [1, 2, 3],
      [0.1, 20, 0.3],
    ]);
  });
});

describe('events', () => {
  it('count once, however often they arrive', async () => {
    const { store, metric, event, series } = await runForTest();
    await store.events.commit([metric(1, 1, 0.1), metric(2, 2, 0.2)]);
    const rows = event(3, 2, { type: 'trajectories', rows: [trajectory({ id: 't' })] });
    const [change] = await store.events.commit([metric(1, 1, 0.9), metric(2, 2, 0.9), rows, rows]);
    expect(change).toMatchObject({ sequence: 3, newSamples: 1 });
    expect(await store.events.commit([rows])).toEqual([]);
    expect([...(await series()).values]).toEqual([0.1, 0.2]);
  });

  it('are committed as a whole batch or not at all', async () => {
    const { store, metric, series, event } = await runForTest();
    const gap = await rejected(store.events.commit([metric(1, 1, 0.1), metric(3, 3, 0.3)]));
    expect(gap.message).toContain('missing');
    expect(await series()).toBeUndefined();
    const twice = [
      event(2, 1, { type: 'trajectories', rows: [trajectory({ id: 't' }), trajectory({ id: 't' })] }),
    ];
    await rejected(store.events.commit([metric(1, 1, 0.1), ...twice]));
    expect(await series()).toBeUndefined();
    await store.events.commit([metric(1, 1, 0.1)]);
    expect([...(await series()).steps]).toEqual([1]);
  });

  it('of an attempt that was never started are rejected', async () => {
    const { store, metric } = await runForTest();
    expect((await rejected(store.events.commit([metric(1, 1, 0, 7)]))).message).toContain('never started');
  });
});

describe('trajectories', () => {
  it('are read as they were written, including non-finite values of tokens and scores', async () => {
    const { store, event, id } = await runForTest();
    const tokens = Int32Array.of(1, 2, 3, 70_000);
    const behaviorLogp = Float32Array.of(-0.125, -3);
    await store.events.commit([
      event(1, 4, {
        type: 'trajectories',
        rows: [
          trajectory({ id: 'x', step: 4 }),
          trajectory({
            id: 'y',
            step: 4,
            sample: 1,
            tokens,
            behaviorLogp,
            scores: { verifier: 0, 'reward-model': Number.NaN, length: Number.POSITIVE_INFINITY },
          }),
        ],
      }),
      event(2, 5, { type: 'trajectories', rows: [trajectory({ id: 'z', step: 5, purpose: 'evaluation' })] }),
    ]);
    expect(await store.samples.tokens('y')).toEqual({ tokens, behaviorLogp });
    const all = {
      runIds: [id],
      purpose: null,
      promptId: null,
      step: null,
      order: 'newest' as const,
      offset: 0,
      limit: 10,
    };
    const { total, samples } = await store.samples.query(all);
    expect([total, ...samples.map((s) => s.id)]).toEqual([3, 'z', 'x', 'y']);
    expect(samples[2]).toMatchObject({
      tokens: 2,
      logp: -3.125,
      scores: { verifier: 0, 'reward-model': Number.NaN, length: Number.POSITIVE_INFINITY },
    });
    expect((await store.samples.query({ ...all, purpose: 'evaluation' })).samples.map((s) => s.id)).toEqual([
      'z',
    ]);
    expect(await store.samples.commonPrompts([id], 5)).toEqual([{ promptId: 'p', prompt: '1+1=?' }]);
  });
});
