import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OpenServices } from '../../main/headless/open.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { parsedSpec, servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const launch = async ({ api }: OpenServices, name: string, steps = 2): Promise<string> =>
  (await api.runs.launch({ spec: smallSpec({ name, budget: { steps, batch: 8 } }) })).runId;
const launchAll = async (bench: OpenServices, names: readonly string[], steps = 2): Promise<string[]> => {
  const ids: string[] = [];
  for (const name of names) ids.push(await launch(bench, name, steps));
  return ids;
};
const stateOf = async ({ api }: OpenServices, id: string): Promise<string> =>
  (await api.runs.get({ id })).state;
const queuedNames = async ({ services }: OpenServices): Promise<string[]> =>
  (await services.store.runs.queued()).map(({ name }) => name);
/** Resolves once a run has taken that many steps. */
const taken = (bench: OpenServices, id: string, steps: number): Promise<unknown> =>
  vi.waitUntil(async () => (await bench.api.runs.get({ id })).step >= steps, {
    timeout: 60_000,
    interval: 5,
  });
const ended = (bench: OpenServices, id: string): Promise<unknown> =>
  vi.waitUntil(async () => !['queued', 'running', 'stopping'].includes(await stateOf(bench, id)), {
    timeout: 60_000,
    interval: 10,
  });
const startOf = async ({ api }: OpenServices, id: string): Promise<number> =>
  (await api.runs.get({ id })).startedAt ?? Number.NaN;

describe('the queue', () => {
  it('runs in the order to which it was moved', async () => {
    const bench = await servicesForTest();
    await bench.api.queue.pause({});
    const [a, b, c] = await launchAll(bench, ['a', 'b', 'c']);
    await bench.api.queue.move({ id: c, to: 1 });
    await bench.api.queue.move({ id: a, to: 99 });
    expect(await queuedNames(bench)).toEqual(['c', 'b', 'a']);
    expect((await bench.services.store.runs.queued()).map(({ place }) => place)).toEqual([1, 2, 3]);
    await bench.api.queue.goOn({});
    await ended(bench, a);
    const [atA, atB, atC] = [await startOf(bench, a), await startOf(bench, b), await startOf(bench, c)];
    expect(atC).toBeLessThanOrEqual(atB);
    expect(atB).toBeLessThanOrEqual(atA);
    const refusal = await rejected(Promise.resolve(bench.api.queue.move({ id: a, to: 1 })));
    expect(refusal).toMatchObject({ kind: 'conflict', where: a });
  });

  it('starts nothing while it is paused, except a run that someone waits for', async () => {
    const bench = await servicesForTest();
    await bench.api.queue.pause({});
    const [a, b] = await launchAll(bench, ['a', 'b']);
    expect((await bench.waitForRun(b)).state).toBe('done');
    expect(await stateOf(bench, a)).toBe('queued');
    expect(await bench.api.queue.get({})).toMatchObject({ paused: 'asked', atOnce: 1 });
    await bench.api.queue.goOn({});
    await ended(bench, a);
    expect(await stateOf(bench, a)).toBe('done');
  });

  it('lets a running run end when it is paused', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const [a, b] = await launchAll(bench, ['a', 'b'], 10);
    await taken(bench, a, 1);
    await bench.api.queue.pause({});
    await ended(bench, a);
    expect([await stateOf(bench, a), await stateOf(bench, b)]).toEqual(['done', 'queued']);
  });

  it('is still there after a restart, in its order, and paused until a person goes on', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home, { engine: ['slow'] });
    const [a, b, c] = await launchAll(first, ['a', 'b', 'c'], 500);
    await taken(first, a, 2);
    await first.api.queue.move({ id: c, to: 1 });
    await first.close();

    const path = join(home, 'workspace');
    const second = await servicesForTest({ path });
    expect(await stateOf(second, a)).toBe('interrupted');
    expect(await queuedNames(second)).toEqual(['c', 'b']);
    expect(await second.api.queue.get({})).toMatchObject({ paused: 'restart' });
    const both = { ids: [a, b, 'no-such-run'] };
    expect(await second.api.queue.resume(both)).toMatchObject({
      changed: [a],
      refused: [
        { id: b, error: { kind: 'conflict' } },
        { id: 'no-such-run', error: { kind: 'not-found' } },
      ],
    });
    expect(await queuedNames(second)).toEqual(['c', 'b', 'a']);
    await second.api.queue.goOn({});
    await ended(second, a);
    expect(await Promise.all([a, b, c].map((id) => stateOf(second, id)))).toEqual(['done', 'done', 'done']);
  });

  it('stays as it is when a workspace without waiting runs is opened', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home);
    await first.waitForRun(await launch(first, 'a'));
    await first.close();
    const second = await servicesForTest({ path: join(home, 'workspace') });
    expect(await second.api.queue.get({})).toMatchObject({ paused: null });
  });

  it('stops and archives several runs at once, and says which ones it could not', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const [a, b, c] = await launchAll(bench, ['a', 'b', 'c'], 500);
    await taken(bench, a, 1);
    const stopped = await bench.api.queue.stop({ ids: [c, a, b, b] });
    expect(stopped).toEqual({ changed: [c, a, b], refused: [] });
    await ended(bench, a);
    expect(await Promise.all([a, b, c].map((id) => stateOf(bench, id)))).toEqual([
      'stopped',
      'stopped',
      'stopped',
    ]);
    expect((await bench.api.queue.stop({ ids: [a] })).refused[0].error.kind).toBe('conflict');
    await bench.api.queue.archive({ ids: [a, c], archived: true });
    expect((await bench.api.runs.list({ archived: false })).map(({ name }) => name)).toEqual(['b']);
  });
});

describe('two runs at once', () => {
  afterEach(() => void vi.unstubAllEnvs());
  const bothRunning = async (bench: OpenServices): Promise<[string, string]> => {
    await bench.api.queue.setAtOnce({ atOnce: 2 });
    const [a, b] = await launchAll(bench, ['a', 'b'], 5000);
    await taken(bench, b, 2);
    expect(await stateOf(bench, a)).toBe('running');
    return [a, b];
  };

  it('start one after the other, and a third one waits', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const [a, b] = await bothRunning(bench);
    const c = await launch(bench, 'c');
    expect(await stateOf(bench, c)).toBe('queued');
    await bench.api.queue.stop({ ids: [b] });
    await ended(bench, c);
    expect([await stateOf(bench, a), await stateOf(bench, c)]).toEqual(['running', 'done']);
    expect(bench.services.engine.status).toMatchObject({ state: 'busy', runId: a });
  });

  it('wait for memory that is not free, and the queue says how much', async () => {
    // the stand-in estimates 10 bytes
    vi.stubEnv('WHETSTONE_MEMORY_MB', '0.000005');
    const bench = await servicesForTest({ engine: ['slow'] });
    await bench.api.queue.setAtOnce({ atOnce: 2 });
    const [a, b] = await launchAll(bench, ['a', 'b'], 60);
    await vi.waitUntil(async () => (await bench.services.queue.state()).waits?.why === 'memory', {
      timeout: 60_000,
      interval: 5,
    });
    expect((await bench.services.queue.state()).waits).toEqual({
      runId: b,
      why: 'memory',
      needBytes: 10,
      freeBytes: 5,
    });
    await ended(bench, b);
    const [first, second] = [await bench.api.runs.get({ id: a }), await bench.api.runs.get({ id: b })];
    expect(first.endedAt).toBeLessThanOrEqual(second.startedAt ?? 0);
    expect((await bench.services.queue.state()).waits).toBeNull();
  });

  it('are on devices of their own: a run on an accelerator starts next to one on the processor', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const { store, queue } = bench.services;
    const onGpu = async (name: string) =>
      (await store.runs.create(parsedSpec({ name, device: 'webgpu', budget: { steps: 5000, batch: 8 } }), []))
        .id;
    const [a, b] = await launchAll(bench, ['a', 'b'], 5000);
    await taken(bench, a, 1);
    const [c, d] = [await onGpu('c'), await onGpu('d')];
    queue.pump();
    await taken(bench, c, 1);
    expect(await Promise.all([a, b, c, d].map((id) => stateOf(bench, id)))).toEqual([
      'running',
      'queued',
      'running',
      'queued',
    ]);
    await bench.api.queue.stop({ ids: [c] });
    await taken(bench, d, 1);
    expect(await queuedNames(bench)).toEqual(['b']);
  });

  it('do not harm one another: a crash or a stop of one leaves the other alone', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const [a, b] = await bothRunning(bench);
    process.kill(bench.services.engine.runnerOf(a) ?? 0, 'SIGKILL');
    await ended(bench, a);
    expect([await stateOf(bench, a), await stateOf(bench, b)]).toEqual(['interrupted', 'running']);
    expect(bench.services.engine.status).toMatchObject({ state: 'busy', runId: b });
    const { step } = await bench.api.runs.get({ id: b });
    await taken(bench, b, step + 3);
    await bench.api.runs.stop({ id: b });
    await ended(bench, b);
    expect(await stateOf(bench, b)).toBe('stopped');
  });

  it('are both interrupted when the workspace is closed', async () => {
    const home = temporaryFolder();
    const bench = await servicesIn(home, { engine: ['slow'] });
    const [a, b] = await bothRunning(bench);
    await bench.close();
    const again = await servicesForTest({ path: join(home, 'workspace') });
    expect([await stateOf(again, a), await stateOf(again, b)]).toEqual(['interrupted', 'interrupted']);
    expect(await again.api.queue.get({})).toMatchObject({ paused: null, atOnce: 2 });
  });
});
