import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallName, EngineCalls, EngineEvent, StartRun } from '../../engine/schema/messages.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { forkEngine } from '../../main/engine-host/channel.ts';
import { EngineHost, type HostTimes } from '../../main/engine-host/host.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isOf, longPhases, runOf, type ProgressEvent } from '../support/phases.ts';

const entry = fileURLToPath(new URL('../../engine/process/index.ts', import.meta.url));

/**
 * A host of the real engine. By default it never kills a process that is slow to stop, so a run that stops
 * has handled the request.
 */
const hostForTest = (times: Partial<HostTimes> = {}): EngineHost => {
  const host = new EngineHost(forkEngine(entry), {
    startMs: 120_000,
    stopMs: 600_000,
    graceMs: 600_000,
    ...times,
  });
  onTestFinished(() => host.close());
  return host;
};

interface Followed {
  readonly events: EngineEvent[];
  readonly end: Promise<string>;
  readonly requestedAt: Promise<number>;
}

/**
 * Starts a run and requests a stop at the first event for which `when` is true; `requestedAt` resolves with
 * the number of events received by then.
 */
const stoppedAt = (
  host: EngineHost,
  run: StartRun,
  when: (event: ProgressEvent, before: readonly ProgressEvent[]) => boolean,
): Followed => {
  const events: EngineEvent[] = [];
  const requestedAt = Promise.withResolvers<number>();
  const end = Promise.withResolvers<string>();
  let hasRequested = false;
  const onEvent = (event: EngineEvent): void => {
    const before = events.filter((each) => each.type === 'progress');
    events.push(event);
    host.acknowledge(event.runId, event.attempt, event.sequence);
    if (event.type === 'finished') end.resolve(event.outcome);
    if (event.type === 'failed') end.resolve(`failed: ${event.error.message}`);
    if (hasRequested || event.type !== 'progress' || !when(event, before)) return;
    hasRequested = true;
    requestedAt.resolve(events.length);
    host.stop(run.runId);
  };
  void host.start(run, {
    event: onEvent,
    gone: (error) => end.resolve(`gone: ${error.message}`),
    stopped: () => end.resolve('ended by the host'),
  });
  return { events, end: end.promise, requestedAt: requestedAt.promise };
};

describe('a run after a stop request', () => {
  for (const long of longPhases) {
    it(`while ${long.phase} (${long.what}) stops in that phase, not after it`, async () => {
      const folder = temporaryFolder();
      const run = runOf(long, 'one', folder);
      const { events, end, requestedAt } = stoppedAt(hostForTest(), run, (event, before) =>
        isOf(long, event, before),
      );
      const eventsBefore = await Promise.race([
        requestedAt,
        end.then((how) => {
          throw new Error(`the run ended before it was asked to stop: ${how}`);
        }),
      ]);
      expect(await end).toBe('stopped');
      const after = events.slice(eventsBefore);
      const phases = after.flatMap((event) => (event.type === 'progress' ? [event] : []));
      // a run that has completed steps saves them when it stops, and may already be saving
      const learned = events.some(({ type }) => type === 'metrics');
      expect(
        phases
          .map(({ phase }) => phase)
          .filter((phase) => long.next.includes(phase) && !(learned && phase === 'saving')),
      ).toEqual([]);
      for (const { phase, done, total } of phases)
        if (phase === long.phase && phase !== 'saving') expect(done).toBeLessThan(total);
      const saved = events.flatMap((event) => (event.type === 'checkpoint' ? [event] : []));
      const steps = Math.max(0, ...events.flatMap((event) => (event.type === 'metrics' ? [event.step] : [])));
      expect(saved.at(-1)?.step ?? 0).toBe(steps);
      for (const { checkpoint } of saved)
        expect(existsSync(join(checkpoint.path, 'manifest.json'))).toBe(true);
    });
  }

  it('before its first step is ended by the host if it does not respond, and counts as stopped', async () => {
    const [, opening] = longPhases;
    const folder = temporaryFolder();
    // no time to handle the request
    const { end } = stoppedAt(hostForTest({ graceMs: 0 }), runOf(opening, 'one', folder), (event, before) =>
      isOf(opening, event, before),
    );
    expect(await end).toMatch(/^(ended by the host|stopped)$/);
  });
});

/** A model whose answers take long enough to be cancelled. */
const model = {
  kind: 'new' as const,
  architecture: { width: 256, layers: 4, heads: 8, context: 512 },
  tokenizer: { kind: 'characters' as const },
};

describe('a cancelled engine call', () => {
  const taken = async <N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    reportsProgress: boolean,
  ): Promise<string> => {
    const host = hostForTest();
    const controller = new AbortController();
    if (!reportsProgress) {
      await host.call('devices', {});
      setTimeout(() => controller.abort(), 500);
    }
    return await host.call(name, input, controller.signal, (() => controller.abort()) as never).then(
      () => 'answered',
      (error: unknown) => WhetstoneError.from(error).kind,
    );
  };
  const [estimating] = longPhases;

  it('is rejected during the estimate of a run', async () => {
    const { spec, resources } = runOf(estimating, 'one', temporaryFolder());
    expect(await taken('preflight', { spec, resources }, true)).toBe('cancelled');
  });

  it('is rejected during two trial steps', async () => {
    const { spec, resources } = runOf(estimating, 'one', temporaryFolder());
    expect(await taken('rehearse', { spec, resources }, true)).toBe('cancelled');
  });

  it('is rejected during the self-test', async () => {
    expect(await taken('selfTest', { device: 'cpu' }, true)).toBe('cancelled');
  });

  it('is rejected during a toy run', async () => {
    expect(await taken('toyRun', { id: 'grpo', seed: 0 }, true)).toBe('cancelled');
  });

  it('is rejected while answers are generated, and while a model is exported', async () => {
    const folder = temporaryFolder();
    const host = hostForTest();
    const saving = longPhases.find(({ phase }) => phase === 'saving');
    if (!saving) throw new Error('no run saves');
    const small = runOf(
      { ...saving, spec: { ...saving.spec, models: { policy: model }, budget: { steps: 1, batch: 4 } } },
      'one',
      folder,
    );
    const { events, end } = stoppedAt(host, small, () => false);
    expect(await end).toBe('done');
    const checkpoint = events.flatMap((event) =>
      event.type === 'checkpoint' ? [event.checkpoint.path] : [],
    )[0];
    // more than any machine generates in the half second before the call is cancelled
    const prompts = Array.from({ length: 50 }, () => 'abc>');
    expect(
      await taken(
        'generate',
        { checkpoint, prompts, samples: 200, temperature: 1, maxTokens: 500, seed: 1 },
        false,
      ),
    ).toBe('cancelled');
    expect(
      await taken('export', { folder: checkpoint, to: join(folder, 'exported'), merge: false }, true),
    ).toBe('cancelled');
    expect(existsSync(join(folder, 'exported'))).toBe(false);
  });
});
