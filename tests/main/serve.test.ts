import { describe, expect, it, vi } from 'vitest';
import type { ToPage } from '../../preload/wire/wire.ts';
import { handlersOf } from '../../main/ipc/index.ts';
import { connection } from '../../main/ipc/serve.ts';
import { follow, MergedStream } from '../../main/ipc/stream.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, servicesForTest, smallSpec } from '../support/workspace.ts';

const turn = (ms = 30): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a merged stream', () => {
  const sum = (older: number, newer: number): number => older + newer;

  it('merges unread values', async () => {
    const stream = new MergedStream(sum);
    stream.push(1);
    stream.push(2);
    const reader = stream[Symbol.asyncIterator]();
    expect((await reader.next()).value).toBe(3);
    const waiting = reader.next();
    stream.push(4);
    expect((await waiting).value).toBe(4);
    stream.push(5);
    stream.end(new Error('over'));
    expect((await reader.next()).value).toBe(5);
    await expect(reader.next()).rejects.toThrow('over');
  });

  it('stops listening when it is aborted', async () => {
    const stop = new AbortController();
    let listening = false;
    const feed = follow<number>(stop.signal, sum, (push) => {
      listening = true;
      push(1);
      return () => {
        listening = false;
      };
    });
    expect((await feed.next()).value).toBe(1);
    expect(listening).toBe(true);
    stop.abort();
    expect((await feed.next()).done).toBe(true);
    expect(listening).toBe(false);
  });
});

describe('a connection', () => {
  async function pageForTest() {
    const bench = await servicesForTest({ engine: ['slow'] });
    const frames: ToPage[] = [];
    const line = connection(handlersOf(bench.services), (frame) => frames.push(frame));
    return { bench, frames, line };
  }

  it('sends a slow page merged values within its credits, and nothing after it closes the feed', async () => {
    const { bench, frames, line } = await pageForTest();
    const { runId } = await bench.api.runs.launch({ spec: smallSpec({ budget: { steps: 40, batch: 8 } }) });
    line.receive({ type: 'open', id: 1, path: 'runs.live', input: { runId }, credits: 2 });
    await bench.waitForRun(runId);
    await turn();
    expect(frames.map((f) => f.type)).toEqual(['value', 'value']);
    line.receive({ type: 'credit', id: 1, credits: 10 });
    await turn();
    const values = frames.flatMap((f) =>
      f.type === 'value' ? [f.value as { run: { state: string; step: number }; newSamples: number }] : [],
    );
    expect(values).toHaveLength(3);
    expect(values[2]).toMatchObject({ run: { state: 'done', step: 40 } });
    expect(values.reduce((total, v) => total + v.newSamples, 0)).toBe(40);
    line.receive({ type: 'close', id: 1 });
    await bench.api.runs.edit({ id: runId, name: 'renamed' });
    await turn();
    expect(frames).toHaveLength(3);
  });

  it('sends a non-finite metric, score and log-probability unchanged', async () => {
    const { bench, frames, line } = await pageForTest();
    const { store } = bench.services;
    const { id } = await store.runs.create(parsedSpec(), []);
    await store.runs.beginAttempt(id, null);
    const at = { runId: id, attempt: 1, role: 'policy', step: 1, at: 0 };
    await store.events.commit([
      { ...at, sequence: 1, type: 'metrics', values: { loss: Number.NaN, norm: Number.POSITIVE_INFINITY } },
      {
        ...at,
        sequence: 2,
        type: 'trajectories',
        rows: [
          trajectory({
            id: 't',
            behaviorLogp: Float32Array.of(Number.NaN),
            scores: { verifier: Number.NaN },
          }),
        ],
      },
    ]);
    line.receive({
      type: 'call',
      id: 1,
      path: 'runs.metrics',
      input: { runIds: [id], names: ['loss', 'norm'] },
    });
    line.receive({ type: 'call', id: 2, path: 'runs.samples', input: { runIds: [id] } });
    const replyTo = (call: number) =>
      vi.waitUntil(() => frames.find((f) => f.type === 'reply' && f.id === call), { timeout: 20_000 });
    expect(await replyTo(1)).toMatchObject({
      output: [
        { name: 'loss', values: Float64Array.of(Number.NaN) },
        { name: 'norm', values: Float64Array.of(Number.POSITIVE_INFINITY) },
      ],
    });
    expect(await replyTo(2)).toMatchObject({
      output: { samples: [{ logp: Number.NaN, scores: { verifier: Number.NaN } }] },
    });
  });

  it('reports a removed run, ends its feed, and drops changes of it that were merged with the removal', async () => {
    const { bench, frames, line } = await pageForTest();
    const [{ id: kept }, { id: gone }] = [
      await bench.services.store.runs.create(parsedSpec(), []),
      await bench.services.store.runs.create(parsedSpec(), []),
    ];
    for (const id of [kept, gone]) await bench.services.store.runs.stop(id, false);
    line.receive({ type: 'open', id: 1, path: 'runs.watch', input: {}, credits: 1 });
    line.receive({ type: 'open', id: 2, path: 'runs.live', input: { runId: gone }, credits: 9 });
    await turn();
    await bench.api.runs.edit({ id: kept, name: 'first' });
    await turn();
    await bench.api.runs.edit({ id: gone, name: 'second' });
    await bench.api.runs.edit({ id: kept, name: 'third' });
    await bench.api.runs.remove({ id: gone });
    line.receive({ type: 'credit', id: 1, credits: 1 });
    await turn();
    const values = frames
      .filter((f) => f.type === 'value' && f.id === 1)
      .map((f) => f.type === 'value' && f.value);
    expect(values).toMatchObject([
      { runs: [{ id: kept, name: 'first' }], removed: [] },
      { runs: [{ id: kept, name: 'third' }], removed: [gone] },
    ]);
    expect(frames).toContainEqual({ type: 'end', id: 2 });
  });

  it('ignores invalid frames, and ends every feed when the page disconnects', async () => {
    const { bench, frames, line } = await pageForTest();
    for (const frame of [
      null,
      7,
      'x',
      {},
      { type: 'call' },
      { type: 'call', id: 'one', path: 'runs.list' },
      { type: 'open', id: 1, path: 'system.engine', credits: -1 },
      { type: 'shout', id: 1 },
    ])
      line.receive(frame);
    line.receive({ type: 'credit', id: 99, credits: 1 });
    line.receive({ type: 'open', id: 3, path: 'runs.watch', input: {}, credits: 9 });
    await turn();
    line.close();
    await bench.api.runs.launch({ spec: smallSpec({ budget: { steps: 1, batch: 8 } }) });
    await turn();
    expect(frames).toEqual([]);
  });
});
