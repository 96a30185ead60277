/**
 * Implements the engine's protocol and computes nothing: for tests of the host with an engine that is slow,
 * unresponsive or dead, which a healthy one cannot simulate. Arguments: `deaf` ignores stop; `mute` never
 * gets ready; `repeat` sends every event twice; `idle` opens a run and never takes a step; `slow` takes 40
 * ms a step instead of 4; `buried` puts a file in the way of each older checkpoint, so that it cannot be
 * deleted. The check of a device ends the process (`fragile`), never ends (`hangs`) or succeeds (`works`).
 * `proves` answers a self-test: one row holds, one does not. `picky` fails runs with a learning rate above 1, and
 * as an invalid specification those above 9.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceFacts } from '../../engine/schema/device.ts';
import type { EventBody, FromEngine, StartRun, ToEngine } from '../../engine/schema/messages.ts';
import type { Preflight } from '../../engine/schema/preflight.ts';
import type { SelfTestRow } from '../../engine/schema/self-test.ts';
import { trajectory } from './trajectory.ts';

const modes = new Set(process.argv.slice(2));
const send = (message: FromEngine): void => void process.send?.(message);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let stopped = false;

const facts = {
  name: 'stand-in',
  memoryBytes: 1e9,
  threads: 1,
  runtimeVersion: '1',
  libraryFolder: '/nowhere',
  error: null,
};
const devices: DeviceFacts[] = [
  { id: 'cpu', title: 'CPU', bundled: true, ...facts },
  { id: 'webgpu', title: 'WebGPU', bundled: true, ...facts },
  { id: 'cuda', title: 'CUDA', bundled: false, ...facts },
];

const estimate: Preflight = {
  device: 'cpu',
  parameters: 7,
  keptBytes: 1,
  valueBytes: 2,
  bufferBytes: 3,
  sessionBytes: 4,
  totalBytes: 10,
  availableBytes: 100,
  fits: true,
  stepFlops: 5,
  steps: 20,
  dryRun: null,
  tooLong: 0,
  remedies: [],
};

const rows: SelfTestRow[] = ['one', 'two'].map((name) => ({
  id: `kernel/${name}`,
  title: name,
  owner: 'kernel',
  expected: [1],
  got: [name === 'one' ? 1 : 2],
  tolerance: 0.1,
  ok: name === 'one',
  error: null,
}));

async function run({ runId, attempt, spec, outDir, resumeFrom }: StartRun): Promise<void> {
  let sequence = 0;
  let older = '';
  const emit = (step: number, body: EventBody): void => {
    sequence += 1;
    const event = { runId, attempt, role: 'policy', step, sequence, at: Date.now(), ...body };
    send({ type: 'event', event });
    if (modes.has('repeat')) send({ type: 'event', event });
  };
  const save = (step: number, final: boolean): void => {
    const above = join(outDir, 'checkpoints', String(step));
    const path = modes.has('buried')
      ? join(above, 'model')
      : join(outDir, 'checkpoints', `${attempt}-${step}`);
    if (modes.has('buried') && older && older !== above) {
      rmSync(older, { recursive: true });
      writeFileSync(older, '');
    }
    older = above;
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'manifest.json'), JSON.stringify({ step }));
    emit(step, {
      type: 'checkpoint',
      checkpoint: { path, hash: `${attempt}-${step}`, bytes: 12, parameters: 7, head: 'next-token', final },
    });
  };
  const { steps } = spec.budget;
  const first = resumeFrom
    ? (JSON.parse(readFileSync(join(resumeFrom, 'manifest.json'), 'utf8')) as { step: number }).step + 1
    : 1;
  stopped = false;
  emit(first - 1, {
    type: 'progress',
    phase: 'opening',
    done: 0,
    total: 100,
    of: 'percent',
    secondsLeft: null,
  });
  if (modes.has('idle')) return;
  if (modes.has('picky') && spec.optimizer.learningRate > 1) {
    emit(first - 1, {
      type: 'failed',
      error: {
        kind: spec.optimizer.learningRate > 9 ? 'invalid-input' : 'numeric',
        message: 'The learning rate is too high.',
      },
    });
    return;
  }
  emit(first - 1, { type: 'started', parameters: 7, totalSteps: steps });
  for (let step = first; step <= steps && !stopped; step += 1) {
    await pause(modes.has('slow') ? 40 : 4);
    emit(step, { type: 'metrics', values: { loss: 1 / step, learning_rate: spec.optimizer.learningRate } });
    emit(step, { type: 'trajectories', rows: [trajectory({ id: `${runId}/${attempt}/${step}`, step })] });
    if (spec.checkpoints.every > 0 && step % spec.checkpoints.every === 0) save(step, false);
    if (step === steps || stopped) save(step, true);
  }
  emit(steps, { type: 'finished', outcome: stopped ? 'stopped' : 'done' });
}

process.on('message', (message) => {
  const request = message as ToEngine;
  if (request.type === 'start') void run(request.run);
  if (request.type === 'stop' && !modes.has('deaf')) stopped = true;
  if (request.type === 'call' && request.name === 'devices')
    send({ type: 'reply', id: request.id, output: devices });
  else if (request.type === 'call' && request.name === 'preflight')
    send({ type: 'reply', id: request.id, output: estimate });
  else if (request.type === 'call' && request.name === 'recheck')
    send({ type: 'reply', id: request.id, output: [] });
  else if (request.type === 'call' && request.name === 'rehearse')
    send({ type: 'reply', id: request.id, output: { secondsPerStep: 0.1, seconds: 2, peakBytes: 9 } });
  else if (request.type === 'call' && request.name === 'checkDevice' && modes.has('fragile'))
    process.kill(process.pid, 'SIGKILL');
  else if (request.type === 'call' && request.name === 'checkDevice' && modes.has('works'))
    send({ type: 'reply', id: request.id, output: { worst: 1e-6, seconds: 1, cpuNodes: { Loop: 1 } } });
  else if (request.type === 'call' && request.name === 'checkDevice' && modes.has('hangs')) return;
  else if (request.type === 'call' && request.name === 'selfTest' && modes.has('proves')) {
    rows.forEach((row, at) =>
      send({ type: 'progress', id: request.id, progress: { rows: [row], done: at + 1, total: rows.length } }),
    );
    send({ type: 'reply', id: request.id, output: rows });
  } else if (request.type === 'call')
    send({
      type: 'refused',
      id: request.id,
      error: { kind: 'unsupported', message: 'The stand-in computes nothing.' },
    });
});
process.on('disconnect', () => process.exit(0));
if (!modes.has('mute')) send({ type: 'ready', pid: process.pid });
