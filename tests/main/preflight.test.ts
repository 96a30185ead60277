import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PreflightProgress } from '../../engine/schema/preflight.ts';
import { forkEngine, type SpawnEngine } from '../../main/engine-host/channel.ts';
import { engineEntry } from '../../main/headless/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeModelFolder } from '../support/model-folder.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

/** Starts real engines and records their exits. */
const watched = (): { spawnEngine: SpawnEngine; ends: Promise<string>[] } => {
  const ends: Promise<string>[] = [];
  const spawnEngine: SpawnEngine = () => {
    const channel = forkEngine(engineEntry)();
    ends.push(new Promise((resolve) => channel.onExit(resolve)));
    return channel;
  };
  return { spawnEngine, ends };
};
const follow = async (
  feed: AsyncIterable<PreflightProgress>,
  hear: (progress: PreflightProgress) => void = () => undefined,
): Promise<PreflightProgress[]> => {
  const all: PreflightProgress[] = [];
  for await (const progress of feed) {
    all.push(progress);
    hear(progress);
  }
  return all;
};

describe('an estimate', () => {
  it('reports its progress, and ends with its result', async () => {
    const { api } = await servicesForTest({ engine: null });
    const events = await follow(
      api.runs.preflight({ spec: smallSpec(), dryRun: true }, new AbortController().signal),
    );
    expect(events.at(-1)?.result).toMatchObject({
      fits: true,
      steps: 20,
      dryRun: { secondsPerStep: expect.toSatisfy(Number.isFinite) },
    });
    expect(events.slice(0, -1).every(({ result, done, total }) => result === null && done <= total)).toBe(
      true,
    );
    expect(new Set(events.map(({ phase }) => phase)).size).toBeGreaterThan(1);
  });

  it('supports a run that starts from a model of the workspace', async () => {
    const { api } = await servicesForTest({ engine: null });
    const { id: modelId } = await api.models.add({
      path: writeModelFolder(join(temporaryFolder(), 'model'), { settings: { vocab_size: 430 } }),
      name: '',
    });
    const spec = {
      ...smallSpec(),
      models: { policy: { kind: 'model', modelId } },
      adapter: { kind: 'lora', rank: 2, base: 'int4' },
      budget: { steps: 2, batch: 2 },
    };
    const events = await follow(api.runs.preflight({ spec, dryRun: true }, new AbortController().signal));
    expect(events.at(-1)?.result).toMatchObject({
      fits: true,
      steps: 2,
      dryRun: { secondsPerStep: expect.toSatisfy(Number.isFinite) },
    });
  });

  it('that is cancelled ends its process, even in the middle of a step', async () => {
    const { spawnEngine, ends } = watched();
    const { api, services } = await servicesForTest({ engine: null, spawnEngine });
    const controller = new AbortController();
    // two steps of this spec take minutes
    const spec = smallSpec({
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 512, layers: 8, heads: 8, context: 512 },
          tokenizer: { kind: 'characters' },
        },
      },
      budget: { steps: 20, batch: 4096, microTokens: 4096 },
    });
    const events = await follow(
      api.runs.preflight({ spec, dryRun: true }, controller.signal),
      ({ phase }) => {
        if (phase === 'stepping') controller.abort();
      },
    );
    expect(events.at(-1)).toMatchObject({ phase: 'stepping', result: null });
    expect(await Promise.all(ends)).toEqual(ends.map(() => expect.stringContaining('SIGKILL')));
    expect(await services.store.runs.list(false)).toEqual([]);
  });

  it('is rejected if it is cancelled before or during the call', async () => {
    const { services } = await servicesForTest({ engine: ['hangs'] });
    await expect(
      services.engine.ask('checkDevice', { id: 'cpu' }, 60_000, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(
      services.engine.call('checkDevice', { id: 'cpu' }, AbortSignal.abort()),
    ).rejects.toMatchObject({ kind: 'cancelled' });
    const late = new AbortController();
    setTimeout(() => late.abort(), 100);
    await expect(
      services.engine.ask('checkDevice', { id: 'cpu' }, 60_000, { signal: late.signal }),
    ).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

it(
  'a run launched without an estimate fails before its first step if it does not fit, with remedies, ' +
    'unless it allows overcommit',
  async () => {
    process.env.WHETSTONE_MEMORY_MB = '1';
    try {
      const { api, waitForRun } = await servicesForTest({ engine: null });
      const spec = smallSpec({ budget: { steps: 2, batch: 256 } });
      const refused = await waitForRun((await api.runs.launch({ spec })).runId);
      expect(refused).toMatchObject({
        state: 'failed',
        step: 0,
        error: {
          kind: 'out-of-memory',
          where: 'memory',
          hint: expect.stringMatching(/→.*budget\.overcommit/),
        },
      });
      const { runId } = await api.runs.launch({
        spec: smallSpec({ budget: { steps: 2, batch: 8, overcommit: true } }),
      });
      expect(await waitForRun(runId)).toMatchObject({ state: 'done', step: 2 });
    } finally {
      delete process.env.WHETSTONE_MEMORY_MB;
    }
  },
);
