/** The same spec, seed and thread count give the same bits in any process. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isMachineMetric } from '../../../engine/common/machine-metrics.ts';
import { checkSpec } from '../../../engine/index.ts';
import type { EngineEvent, FromEngine, ToEngine } from '../../../engine/schema/messages.ts';
import type { RunSpec, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { noResources, toyModel } from '../../support/toy-run.ts';

const entry = fileURLToPath(new URL('../../../engine/process/index.ts', import.meta.url));
let folder: string;
let children: ChildProcess[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whetstone-repeat-'));
  children = await Promise.all(
    [0, 1].map(
      () =>
        new Promise<ChildProcess>((resolve, reject) => {
          const child = fork(entry, { serialization: 'advanced' });
          child.once('error', reject);
          child.on('message', (message: FromEngine) => {
            if (message.type === 'ready') resolve(child);
          });
        }),
    ),
  );
});
afterAll(async () => {
  for (const child of children) child.kill();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Runs a spec in a separate process. Returns its events without times and paths, and the hash of its last
 * checkpoint, which covers every array and counter.
 */
const outcomeIn = (
  child: ChildProcess,
  runId: string,
  spec: RunSpec,
): Promise<{ hash: string; events: unknown[] }> =>
  new Promise((resolve, reject) => {
    const events: unknown[] = [];
    let hash = '';
    const send = (message: ToEngine) => child.send(message);
    const listen = (message: FromEngine) => {
      if (message.type !== 'event') return;
      const { event } = message;
      send({ type: 'acknowledge', runId: event.runId, attempt: event.attempt, sequence: event.sequence });
      if (event.type === 'metrics')
        events.push([
          event.step,
          Object.fromEntries(Object.entries(event.values).filter(([name]) => !isMachineMetric(name))),
        ]);
      if (event.type === 'checkpoint') hash = event.checkpoint.hash;
      if (event.type !== 'finished' && event.type !== 'failed') return;
      child.off('message', listen);
      if (event.type === 'failed')
        reject(new Error(JSON.stringify((event as Extract<EngineEvent, { type: 'failed' }>).error)));
      else resolve({ hash, events });
    };
    child.on('message', listen);
    send({
      type: 'start',
      run: { runId, attempt: 1, spec, resources: noResources, outDir: join(folder, `${child.pid}-${runId}`) },
    });
  });

test.each<[string, RunSpecInput['method'], string, RunSpecInput['optimizer']]>([
  ['sft', { id: 'sft' }, 'toy/copy', { kind: 'muon', learningRate: 3e-3, weightDecay: 0.1, dropout: 0.1 }],
  ['dpo', { id: 'dpo' }, 'toy/pairs', { kind: 'lion', learningRate: 3e-4, schedule: 'linear', warmup: 2 }],
  ['grpo', { id: 'grpo', params: { groupSize: 4 } }, 'toy/copy', { learningRate: 3e-3, schedule: 'cosine' }],
])('%s', async (id, method, world, optimizer) => {
  const spec = (seed: number) =>
    checkSpec({
      name: id,
      method,
      models: toyModel,
      task: { kind: 'world', id: world },
      optimizer,
      seed,
      budget: { steps: 5, batch: 8 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 8, samples: 2 },
    });
  const [first, second] = await Promise.all(children.map((child) => outcomeIn(child, id, spec(7))));
  expect(second).toEqual(first);
  expect(first.events.length).toBeGreaterThan(4);
  expect((await outcomeIn(children[0], `${id} again`, spec(8))).hash).not.toBe(first.hash);
});
