import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import type { Method } from '../../../engine/rl/method.ts';
import { runToEnd } from '../../../engine/rl/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpec, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { echo } from '../../support/echo.ts';
import { noResources, recorder, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-resume-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = async (spec: RunSpec, attempt: number, { resumeFrom, stopAfter = Infinity, method }: { resumeFrom?: string; stopAfter?: number; method?: Method } = {}): Promise<{ seen: Seen[]; outcome: string }> => {
  const { seen, events } = recorder();
  const stop = new AbortController();
  const outcome = await runToEnd({ runId: 'r', attempt, spec, resources: noResources, outDir: join(folder, spec.name), resumeFrom }, {
    emit: async (body, at) => {
      await events.emit(body, at);
      if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
    },
  }, stop.signal, device, { method });
  return { seen, outcome };
};

const pathOf = (seen: readonly Seen[]): string => {
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was told');
  return saved.checkpoint.path;
};

describe.each<[string, RunSpecInput['method'], RunSpecInput['task'], number, Method?]>([
  ['sft', { id: 'sft' }, { kind: 'world', id: 'toy/copy' }, 4],
  ['grpo', { id: 'grpo', params: { size: 4, passes: 2 } }, { kind: 'world', id: 'toy/copy' }, 4],
  ['dpo', { id: 'dpo' }, { kind: 'world', id: 'toy/pairs' }, 4],
  ['two roles, in the middle of a turn', { id: 'grpo' }, { kind: 'world', id: 'toy/copy' }, 3, echo],
])('%s', (name, method, task, stopAfter, substitute) => {
  test('a run that was stopped and resumed ends with the same bits as one that was not', async () => {
    const spec = (suffix: string) => checkSpec({
      name: `${name}-${suffix}`, method, models: toyModel, task, budget: { steps: 8, batch: 6 }, sampling: { maxTokens: 4 },
      optimizer: { learningRate: 3e-3, schedule: 'cosine' }, evaluation: { problems: 4, samples: 2 },
    });
    const whole = await run(spec('whole'), 1, { method: substitute });
    const first = await run(spec('parts'), 1, { stopAfter, method: substitute });
    expect(first.outcome).toBe('stopped');
    const second = await run(spec('parts'), 2, { resumeFrom: pathOf(first.seen), method: substitute });
    const [a, b] = [await readCheckpoint(pathOf(whole.seen)), await readCheckpoint(pathOf(second.seen))];
    expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
    expect(b.optimizer).toEqual(a.optimizer);
    expect(b.state).toEqual(a.state);
  });
});
