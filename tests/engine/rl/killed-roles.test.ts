/** Runs of several roles that are killed at random moments and resumed end with the same bits. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { stream } from '../../../engine/random/random.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { noResources, toyModel } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-killed-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

const requests = { side: 'defend', letters: 6, size: 1, families: 3, length: 3 } as const;
const copy = { kind: 'world', id: 'toy/copy' } as const;

test.each<[string, number, RunSpecInput['method'], RunSpecInput['task']]>([
  ['tango', 7, { id: 'tango', params: { groupSize: 3, warmup: 3, step: 'token' } }, copy],
  ['cory', 7, { id: 'cory', params: { groupSize: 3, swapEvery: 2 } }, copy],
  [
    'mart',
    6,
    { id: 'mart', params: { groupSize: 6, threshold: 0.4 } },
    { kind: 'world', id: 'toy/triggers', params: requests },
  ],
])('%s, killed %i times', async (name, kills, method, task) => {
  const spec = checkSpec({
    method,
    models: toyModel,
    task,
    budget: { steps: 24, batch: 3 },
    sampling: { maxTokens: 4 },
    optimizer: { learningRate: 3e-3 },
    evaluation: { problems: 2, samples: 1 },
    checkpoints: { every: 2 },
  });
  const killed = new Error('killed');
  /** One attempt, which dies at its event number `lifetime`. Returns its last checkpoint. */
  const attempt = async (
    outDir: string,
    number: number,
    resumeFrom: string | undefined,
    lifetime = Infinity,
  ) => {
    let path = resumeFrom;
    let [isDone, events] = [false, 0];
    const emit = async (body: { type: string }): Promise<void> => {
      if (++events > lifetime) throw killed;
      if (body.type === 'checkpoint')
        ({ path } = (body as unknown as { checkpoint: { path: string } }).checkpoint);
    };
    const run = { runId: 'r', attempt: number, spec, resources: noResources, outDir: join(folder, outDir) };
    await runToEnd(
      { ...run, ...(resumeFrom !== undefined && { resumeFrom }) },
      { emit },
      new AbortController().signal,
      device,
    ).then(
      () => (isDone = true),
      (error: unknown) => expect(error).toBe(killed),
    );
    return { path, isDone };
  };
  const whole = await attempt(`${name}-whole`, 1, undefined);
  const draw = stream(1, `kills of ${name}`);
  let at = { path: undefined as string | undefined, isDone: false };
  for (let kill = 1; kill <= kills; kill++) {
    at = await attempt(`${name}-parts`, kill, at.path, draw.between(3, 16));
    expect(at.isDone).toBe(false);
  }
  const last = await attempt(`${name}-parts`, kills + 1, at.path);
  const [a, b] = [await readCheckpoint(whole.path ?? ''), await readCheckpoint(last.path ?? '')];
  expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
  expect(b.optimizer).toEqual(a.optimizer);
  expect(b.state).toEqual(a.state);
});
