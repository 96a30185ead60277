import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import type { EngineEvent, FromEngine, ToEngine } from '../../../engine/schema/messages.ts';
import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import { noResources, toyModel } from '../../support/toy-run.ts';

const entry = fileURLToPath(new URL('../../../engine/process/index.ts', import.meta.url));
let child: ChildProcess;
let folder: string;
let messages: FromEngine[];
let wake: () => void;

const send = (message: ToEngine) => child.send(message);
/** Waits for the first matching message; acknowledges every event. */
const until = async <T extends FromEngine>(fits: (message: FromEngine) => message is T): Promise<T> => {
  for (;;) {
    const found = messages.find(fits);
    if (found) return found;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
};
const event = (type: EngineEvent['type'], runId = 'one') =>
  until(
    (m): m is Extract<FromEngine, { type: 'event' }> =>
      m.type === 'event' && m.event.type === type && m.event.runId === runId,
  );

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whetstone-process-'));
  messages = [];
  wake = () => undefined;
  child = fork(entry, { serialization: 'advanced' });
  child.on('message', (message: FromEngine) => {
    messages.push(message);
    if (message.type === 'event')
      send({
        type: 'acknowledge',
        runId: message.event.runId,
        attempt: message.event.attempt,
        sequence: message.event.sequence,
      });
    wake();
  });
  await until((m) => m.type === 'ready');
});
afterEach(async () => {
  child.kill();
  await rm(folder, { recursive: true, force: true });
});

const spec = (change: object = {}): RunSpec =>
  checkSpec({
    method: { id: 'sft' },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 10, batch: 8 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 8, samples: 2 },
    ...change,
  });
const start = (runId: string, what: RunSpec) =>
  send({
    type: 'start',
    run: { runId, attempt: 1, spec: what, resources: noResources, outDir: join(folder, runId) },
  });

test('a run sends its events in order, without gaps, and its checkpoint generates answers and rejects scoring', async () => {
  start('one', spec());
  await event('finished');
  const events = messages.flatMap((m) => (m.type === 'event' ? [m.event] : []));
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  const saved = events.find((e) => e.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was reported');
  send({
    type: 'call',
    id: 7,
    name: 'generate',
    input: {
      checkpoint: saved.checkpoint.path,
      prompts: ['ab>'],
      samples: 2,
      temperature: 1,
      maxTokens: 4,
      seed: 3,
    },
  });
  const reply = await until(
    (m): m is Extract<FromEngine, { type: 'reply' }> => m.type === 'reply' && m.id === 7,
  );
  expect(reply.output).toMatchObject([{ prompt: 'ab>' }, { prompt: 'ab>' }]);
  send({
    type: 'call',
    id: 8,
    name: 'score',
    input: { checkpoint: saved.checkpoint.path, items: [{ prompt: 'ab>', completion: 'ab' }] },
  });
  const refused = await until(
    (m): m is Extract<FromEngine, { type: 'refused' }> => m.type === 'refused' && m.id === 8,
  );
  expect(refused.error.kind).toBe('unsupported');
});

test('a stop takes effect between steps: the run saves a checkpoint and ends as stopped', async () => {
  start('one', spec({ budget: { steps: 100_000, batch: 8 } }));
  await event('metrics');
  send({ type: 'stop', runId: 'one' });
  const { event: finished } = await event('finished');
  expect(finished).toMatchObject({ type: 'finished', outcome: 'stopped' });
  const { event: saved } = await event('checkpoint');
  expect(saved).toMatchObject({ checkpoint: { final: false } });
});

test('a failure is an event with its kind, and the process continues', async () => {
  start('one', spec({ models: { policy: { kind: 'checkpoint', checkpointId: 'nowhere' } } }));
  const { event: failed } = await event('failed');
  expect(failed).toMatchObject({ error: { kind: 'not-found', where: 'models.policy.checkpointId' } });
  send({ type: 'call', id: 1, name: 'devices', input: {} });
  const reply = await until(
    (m): m is Extract<FromEngine, { type: 'reply' }> => m.type === 'reply' && m.id === 1,
  );
  expect(reply.output).toContainEqual(expect.objectContaining({ id: 'cpu', error: null }));
});

test('rejects a second run while one is running', async () => {
  start('one', spec({ budget: { steps: 100_000, batch: 8 } }));
  await event('metrics');
  start('two', spec());
  const { event: failed } = await event('failed', 'two');
  expect(failed).toMatchObject({ error: { kind: 'conflict' } });
});
