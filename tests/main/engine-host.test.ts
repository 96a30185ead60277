import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getPriority, constants } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { forkEngine } from '../../main/engine-host/channel.ts';
import { defaultTimes, EngineHost } from '../../main/engine-host/host.ts';
import { engineEntry } from '../../main/headless/open.ts';
import { RunQueue } from '../../main/engine-host/queue.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { resourcesOf } from '../../main/services/resources.ts';
import { createFolder } from '../../main/store/folder.ts';
import type { Run, RunChange } from '../../preload/contract/runs.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { parsedSpec, servicesForTest, smallSpec } from '../support/workspace.ts';

const allSteps = (n: number): number[] => Array.from({ length: n }, (_none, i) => i + 1);
const lossOf = async ({ api }: OpenServices, id: string) =>
  (await api.runs.metrics({ runIds: [id], names: ['loss'], from: 0, to: null, points: 20_000 }))[0];
const allSamples = {
  purpose: null,
  promptId: null,
  step: null,
  order: 'oldest',
  offset: 0,
  limit: 500,
} as const;

/** Resolves with the first matching change of the run. */
const until = (bench: OpenServices, id: string, fits: (run: Run) => boolean): Promise<Run> =>
  new Promise((resolve) => {
    const stop = bench.services.queue.watch(({ run }) => {
      if (run.id !== id || !fits(run)) return;
      stop();
      resolve(run);
    });
  });

describe('a run', () => {
  it('waits in the queue for the previous one, and stores each event once', async () => {
    const bench = await servicesForTest({ engine: ['repeat'] });
    const changes: RunChange[] = [];
    bench.services.queue.watch((change) => changes.push(change));
    const first = await bench.api.runs.launch({ spec: smallSpec({ name: 'first' }) });
    const second = await bench.api.runs.launch({ spec: smallSpec({ name: 'second' }) });
    expect((await bench.waitForRun(second.runId)).state).toBe('done');
    const [a, b] = [
      await bench.api.runs.get({ id: first.runId }),
      await bench.api.runs.get({ id: second.runId }),
    ];
    expect(a.endedAt).toBeLessThanOrEqual(b.startedAt ?? 0);
    expect([...(await lossOf(bench, first.runId)).steps]).toEqual(allSteps(20));
    expect((await bench.api.runs.samples({ runIds: [second.runId], ...allSamples })).total).toBe(20);
    expect(changes.filter((c) => c.run.id === second.runId).reduce((sum, c) => sum + c.newSamples, 0)).toBe(
      20,
    );
  });

  it('whose engine is killed is interrupted with an error, and resumes from its newest checkpoint as a new attempt', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const { runId } = await bench.api.runs.launch({
      spec: smallSpec({ budget: { steps: 60, batch: 8 }, checkpoints: { every: 5, keep: 2 } }),
    });
    const { step: shown } = await until(bench, runId, (run) => run.step >= 12);
    process.kill(bench.services.engine.runnerOf() ?? 0, 'SIGKILL');
    const dead = await bench.waitForRun(runId);
    expect(dead).toMatchObject({ state: 'interrupted', error: { kind: 'device-failed' } });
    expect(dead.error?.message).toContain('SIGKILL');
    expect([...(await lossOf(bench, runId)).steps].slice(0, shown)).toEqual(allSteps(shown));

    const [newest] = await bench.api.runs.checkpoints({ runId });
    await bench.api.runs.resume({ id: runId });
    const done = await bench.waitForRun(runId);
    expect(done).toMatchObject({ state: 'done', attempt: 2, step: 60, error: null });
    expect([...(await lossOf(bench, runId)).steps]).toEqual(allSteps(60));
    const { samples } = await bench.api.runs.samples({ runIds: [runId], ...allSamples });
    expect(new Set(samples.map((s) => s.id)).size).toBe(samples.length);
    expect(Math.min(...samples.filter((s) => s.attempt === 2).map((s) => s.step))).toBe(newest.step + 1);
  });

  it('stops after the current step on request, and leaves the queue if it has not started', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const { runId } = await bench.api.runs.launch({ spec: smallSpec({ budget: { steps: 5000, batch: 8 } }) });
    const waiting = await bench.api.runs.launch({ spec: smallSpec({ name: 'waiting' }) });
    await bench.api.runs.stop({ id: waiting.runId });
    expect((await bench.api.runs.get({ id: waiting.runId })).state).toBe('stopped');
    await until(bench, runId, (run) => run.step >= 2);
    await bench.api.runs.stop({ id: runId });
    const over = await bench.waitForRun(runId);
    expect(over.state).toBe('stopped');
    expect((await bench.api.runs.checkpoints({ runId }))[0]).toMatchObject({ step: over.step, final: true });
    expect((await rejected(Promise.resolve(bench.api.runs.stop({ id: runId })))).kind).toBe('conflict');
  });

  it('that ends during a stop request stays ended, and the queue continues', async () => {
    const bench = await servicesForTest();
    const { store, folder, close } = await createFolder(join(temporaryFolder(), 'other'));
    // one look-up replies late, with a state that is outdated when it arrives
    let late = false;
    const runs = new Proxy(store.runs, {
      get: (target, name: keyof typeof store.runs) =>
        name !== 'get'
          ? target[name]
          : async (id: string) => {
              const [found, isLate] = [target.get(id), late];
              late = false;
              await new Promise((resolve) => setTimeout(resolve, isLate ? 1500 : 0));
              return await found;
            },
    });
    const queue = new RunQueue({
      store: { ...store, runs, events: store.events, checkpoints: store.checkpoints },
      host: bench.services.engine,
      folder,
      resolve: resourcesOf({ folder, store, engine: bench.services.engine }),
    });
    onTestFinished(async () => {
      await queue.close();
      await close();
    });
    // long enough to be found running, short enough to end before the late reply
    const run = await store.runs.create(parsedSpec({ budget: { steps: 200, batch: 8 } }), []);
    queue.pump();
    await vi.waitUntil(async () => (await store.runs.get(run.id)).step > 0, {
      timeout: 60_000,
      interval: 5,
    });
    late = true;
    await queue.stop(run.id);
    await vi.waitUntil(() => queue.active === null, { timeout: 60_000 });
    expect(isLive(await store.runs.get(run.id))).toBe(false);
  });

  it('whose end was not stored can be stopped and resumed', async () => {
    const bench = await servicesForTest();
    const { runId } = await bench.api.runs.launch({
      spec: smallSpec({ checkpoints: { every: 4, keep: 2 } }),
    });
    await bench.waitForRun(runId);
    await bench.services.store.runs.setState(runId, 'running');
    await bench.api.runs.stop({ id: runId });
    expect((await bench.api.runs.get({ id: runId })).state).toBe('interrupted');
    await bench.services.store.runs.setState(runId, 'stopping');
    await bench.api.runs.resume({ id: runId });
    expect(await bench.waitForRun(runId)).toMatchObject({ state: 'done', attempt: 2 });
  });

  it('that cannot be looked up does not stop the queue', async () => {
    const bench = await servicesForTest();
    const { store, folder, close } = await createFolder(join(temporaryFolder(), 'other'));
    const queue = new RunQueue({
      store,
      host: bench.services.engine,
      folder,
      resolve: resourcesOf({ folder, store, engine: bench.services.engine }),
    });
    await close();
    queue.pump();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(queue.close()).resolves.toBeUndefined();
  });

  it('that does not stop in time is killed, and the next one runs', async () => {
    const bench = await servicesForTest({
      engine: ['slow', 'deaf'],
      times: { startMs: 20_000, stopMs: 200 },
    });
    const { runId } = await bench.api.runs.launch({ spec: smallSpec({ budget: { steps: 5000, batch: 8 } }) });
    const next = await bench.api.runs.launch({
      spec: smallSpec({ name: 'next', budget: { steps: 2, batch: 8 } }),
    });
    await until(bench, runId, (run) => run.step >= 1);
    await bench.api.runs.stop({ id: runId });
    const over = await bench.waitForRun(runId);
    expect(over.state).toBe('interrupted');
    expect(over.error?.message).toContain('did not stop');
    expect((await bench.waitForRun(next.runId)).state).toBe('done');
  });

  it(
    'that ignores a stop before its first step is killed within the grace period and counts as stopped; ' +
      'its checkpoints are kept',
    async () => {
      const bench = await servicesForTest({
        engine: ['slow', 'deaf', 'idle'],
        times: { startMs: 20_000, stopMs: 600_000, graceMs: 50 },
      });
      const { runId } = await bench.api.runs.launch({ spec: smallSpec() });
      await until(bench, runId, (run) => run.phase.startsWith('opening'));
      await bench.api.runs.stop({ id: runId });
      expect(await bench.waitForRun(runId)).toMatchObject({ state: 'stopped', error: null });
      expect(bench.services.engine.status.state).not.toBe('failed');
    },
  );

  it('that has completed steps is not killed within that grace period', async () => {
    const bench = await servicesForTest({
      engine: ['slow', 'deaf'],
      times: { startMs: 20_000, stopMs: 600_000, graceMs: 50 },
    });
    const { runId } = await bench.api.runs.launch({ spec: smallSpec({ budget: { steps: 40, batch: 8 } }) });
    await until(bench, runId, (run) => run.step >= 2);
    await bench.api.runs.stop({ id: runId });
    // the engine that ignores the stop finishes the run and saves its checkpoint
    expect(await bench.waitForRun(runId)).toMatchObject({ state: 'done', step: 40 });
  });

  it('fails with the reason when no engine can be started', async () => {
    const bench = await servicesForTest({ engine: ['mute'], times: { startMs: 300, stopMs: 300 } });
    const { runId } = await bench.api.runs.launch({ spec: smallSpec() });
    const over = await bench.waitForRun(runId);
    expect(over).toMatchObject({ state: 'failed', error: { kind: 'device-failed' } });
    expect(over.error?.message).toContain('did not load within');
    expect(bench.services.engine.status.state).toBe('failed');
  });

  it('keeps its newest checkpoints, its last one, and those that other runs started from', async () => {
    const bench = await servicesForTest();
    const folders = (id: string): string[] =>
      readdirSync(join(bench.services.folder, 'artifacts', 'runs', id, 'checkpoints')).sort();
    const { runId } = await bench.api.runs.launch({
      spec: smallSpec({ checkpoints: { every: 4, keep: 2 } }),
    });
    await bench.waitForRun(runId);
    const kept = await bench.api.runs.checkpoints({ runId });
    expect(kept.map((c) => [c.step, c.final])).toEqual([
      [20, true],
      [16, false],
    ]);
    expect(folders(runId)).toEqual(['1-16', '1-20']);

    // a checkpoint that the user keeps stays in addition to the newest ones, until it is released
    await bench.api.runs.keepCheckpoint({ id: kept[1].id, kept: true });
    expect((await bench.api.runs.checkpoints({ runId })).map((c) => c.kept)).toEqual([false, true]);
    expect(await bench.services.store.checkpoints.prune(runId, 1)).toEqual([]);
    await bench.api.runs.keepCheckpoint({ id: kept[1].id, kept: false });
    expect(await bench.services.store.checkpoints.prune(runId, 1)).toEqual([kept[1].path]);

    const used = await bench.api.runs.launch({
      spec: smallSpec({ models: { policy: { kind: 'checkpoint', checkpointId: kept[0].id } } }),
    });
    const child = await bench.waitForRun(used.runId);
    expect(child.lineage.checkpoints).toEqual([kept[0].id]);
    expect((await rejected(Promise.resolve(bench.api.runs.removeCheckpoint({ id: kept[0].id })))).kind).toBe(
      'conflict',
    );
    expect((await rejected(Promise.resolve(bench.api.runs.remove({ id: runId })))).message).toContain(
      child.name,
    );
    await bench.api.runs.remove({ id: used.runId });
    await bench.api.runs.remove({ id: runId });
    expect(existsSync(join(bench.services.folder, 'artifacts', 'runs', runId))).toBe(false);
    expect(await bench.api.runs.list({ archived: false })).toEqual([]);
  });

  it('continues if an old checkpoint cannot be deleted', async () => {
    const bench = await servicesForTest({ engine: ['buried'] });
    const { runId } = await bench.api.runs.launch({
      spec: smallSpec({ budget: { steps: 20, batch: 8 }, checkpoints: { every: 5, keep: 1 } }),
    });
    expect(await bench.waitForRun(runId)).toMatchObject({ state: 'done', error: null, step: 20 });
    expect((await bench.api.runs.checkpoints({ runId })).map(({ step }) => step)).toEqual([20]);
    expect([...(await lossOf(bench, runId)).steps]).toEqual(allSteps(20));
  });

  it('is interrupted when its workspace is closed, and can be resumed after it is reopened', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const { runId } = await bench.api.runs.launch({
      spec: smallSpec({ budget: { steps: 40, batch: 8 }, checkpoints: { every: 2, keep: 1 } }),
    });
    const waiting = await bench.api.runs.launch({ spec: smallSpec({ name: 'waiting' }) });
    await until(bench, runId, (run) => run.step >= 5);
    const path = bench.services.folder;
    await bench.close();
    const again = await servicesForTest({ path });
    expect(await again.api.runs.get({ id: runId })).toMatchObject({ state: 'interrupted', attempt: 1 });
    expect(await again.api.runs.get({ id: waiting.runId })).toMatchObject({ state: 'queued', attempt: 0 });
    await again.api.runs.resume({ id: runId });
    await again.api.queue.goOn({});
    expect(await again.waitForRun(runId)).toMatchObject({ state: 'done', attempt: 2, step: 40 });
    expect(await again.api.runs.get({ id: waiting.runId })).toMatchObject({ state: 'done', attempt: 1 });
  });
});

describe('work in the background', () => {
  it('has a process of low priority of its own, which ends with the host', async () => {
    const pids: (number | undefined)[] = [];
    const fork = forkEngine(engineEntry);
    const host = new EngineHost(() => {
      const channel = fork();
      pids.push(channel.pid);
      return channel;
    }, defaultTimes);
    await host.call('devices', {});
    for (let calls = 0; calls < 2; calls += 1) await host.background('devices', {});
    const [usual, low] = pids.map((pid) => getPriority(pid ?? NaN));
    expect([pids.length, low > usual, low]).toEqual([2, true, constants.priority.PRIORITY_LOW]);
    host.close();
    const isAlive = (pid: number | undefined): boolean => existsSync(`/proc/${pid}/status`);
    if (process.platform === 'linux') await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});
