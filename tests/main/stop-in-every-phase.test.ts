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
 * A host over the real engine. Its processes are not ended for being slow to stop, unless told: what is seen
 * to stop has heard of it.
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
  readonly asked: Promise<number>;
}

/**
 * Starts a run and asks it to stop at the first event that `when` says; `asked` is how many events had been
 * heard by then.
 */
const stoppedAt = (
  host: EngineHost,
  run: StartRun,
  when: (event: ProgressEvent, before: readonly ProgressEvent[]) => boolean,
): Followed => {
  const events: EngineEvent[] = [];
  const asked = Promise.withResolvers<number>();
  const end = Promise.withResolvers<string>();
  let hasAsked = false;
  const heard = (event: EngineEvent): void => {
    const before = events.filter((each) => each.type === 'progress');
    events.push(event);
    host.acknowledge(event.runId, event.attempt, event.sequence);
    if (event.type === 'finished') end.resolve(event.outcome);
    if (event.type === 'failed') end.resolve(`failed: ${event.error.message}`);
    if (hasAsked || event.type !== 'progress' || !when(event, before)) return;
    hasAsked = true;
    asked.resolve(events.length);
    host.stop(run.runId);
  };
  void host.start(run, {
    event: heard,
    gone: (error) => end.resolve(`gone: ${error.message}`),
    stopped: () => end.resolve('ended by the host'),
  });
  return { events, end: end.promise, asked: asked.promise };
};

describe('a run that is asked to stop', () => {
  for (const long of longPhases) {
    it(`while ${long.phase} (${long.what}) stops there, and not after it`, async () => {
      const folder = temporaryFolder();
      const run = runOf(long, 'one', folder);
      const { events, end, asked } = stoppedAt(hostForTest(), run, (event, before) =>
        isOf(long, event, before),
      );
      const heardBefore = await Promise.race([
        asked,
        end.then((how) => {
          throw new Error(`the run ended before it was asked to stop: ${how}`);
        }),
      ]);
      expect(await end).toBe('stopped');
      const after = events.slice(heardBefore);
      const phases = after.flatMap((event) => (event.type === 'progress' ? [event] : []));
      // saving is what a run does that has something to lose, and what it is doing where it is asked then
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

  it('before its first step is ended by the host where it does not hear, and counts as stopped', async () => {
    const [, opening] = longPhases;
    const folder = temporaryFolder();
    // no time at all to hear of it
    const { end } = stoppedAt(hostForTest({ graceMs: 0 }), runOf(opening, 'one', folder), (event, before) =>
      isOf(opening, event, before),
    );
    expect(await end).toMatch(/^(ended by the host|stopped)$/);
  });
});

/**
 * Questions that take long, and when they are under way: at their first progress, or where they tell of none
 * after a while.
 */
const model = {
  kind: 'new' as const,
  architecture: { width: 256, layers: 4, heads: 8, context: 512 },
  tokenizer: { kind: 'characters' as const },
};

describe('a question that is taken back', () => {
  const taken = async <N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    tellsOfProgress: boolean,
  ): Promise<string> => {
    const host = hostForTest();
    const letGo = new AbortController();
    if (!tellsOfProgress) {
      await host.call('devices', {});
      setTimeout(() => letGo.abort(), 500);
    }
    return await host.call(name, input, letGo.signal, (() => letGo.abort()) as never).then(
      () => 'answered',
      (error: unknown) => WhetstoneError.from(error).kind,
    );
  };
  const [estimating] = longPhases;

  it('while a run is estimated is refused', async () => {
    const { spec, resources } = runOf(estimating, 'one', temporaryFolder());
    expect(await taken('preflight', { spec, resources }, true)).toBe('cancelled');
  });

  it('while two steps are tried is refused', async () => {
    const { spec, resources } = runOf(estimating, 'one', temporaryFolder());
    expect(await taken('rehearse', { spec, resources }, true)).toBe('cancelled');
  });

  it('while closed forms are computed is refused', async () => {
    expect(await taken('selfTest', { device: 'cpu' }, true)).toBe('cancelled');
  });

  it('while a toy run goes on is refused', async () => {
    expect(await taken('toyRun', { id: 'grpo', seed: 0 }, true)).toBe('cancelled');
  });

  it('while answers are written, and while a model is exported, is refused', async () => {
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
    // more than any machine writes in the half second before it is taken back
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
