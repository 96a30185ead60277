import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { stream } from '../../engine/random/random.ts';
import { checkSpec, controllers as infos } from '../../engine/index.ts';
import { readCheckpoint, type Checkpoint } from '../../engine/models/checkpoint.ts';
import type { Problem } from '../../engine/rl/kernel/columns.ts';
import type { LiveController, TurnView } from '../../engine/rl/kernel/control.ts';
import { controllers } from '../../engine/rl/controllers/index.ts';
import type { Table } from '../../engine/rl/kernel/rows.ts';
import { runToEnd } from '../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import { noResources, recorder, toyModel, type Seen } from '../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-control-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const problem = (p: number): Problem => ({
  promptId: `p${p}`,
  prompt: `prompt ${p}`,
  reference: 'x',
  level: 1 + (p % 3),
});
const outlook = (batch: number): TurnView => ({
  progress: batch / 10,
  random: (purpose) => stream(3, purpose, batch),
});

/** Four answers to each of six problems; the harder levels earn lower rewards. */
const batchOf = (batch: number): Table => {
  const problems = Array.from({ length: 24 }, (_, r) => problem(Math.floor(r / 4) + 6 * (batch % 3)));
  return {
    problem: problems,
    groupId: Float64Array.from(problems, (_, r) => Math.floor(r / 4)),
    weight: new Float64Array(24).fill(1),
    'reward/total': Float64Array.from(problems, ({ level = 1 }, r) => Number((r * 7 + batch) % 4 >= level)),
    completion: problems.map((_, r) => `answer ${r % 5}`),
  };
};

/** Calls everything that a controller adjusts, once each. */
const outputsOf = (live: LiveController, batch: number) => {
  const problems = Array.from({ length: 6 }, (_, p) => problem(p));
  const at = outlook(batch);
  const annealing = live.annealing?.(at);
  return {
    chosen: live
      .choose?.(
        Array.from({ length: 48 }, (_, p) => problem(p)),
        6,
        at,
      )
      .map(({ promptId }) => promptId),
    sizes: live.sizes?.(problems, 4, at),
    hints: live.hints?.(problems, at),
    temperature: live.temperature?.(at),
    weights: live.weights?.(at),
    threshold: live.threshold?.(at),
    annealing: annealing && [0, 1, 5, 50].map(annealing),
    metrics: live.metrics?.(),
  };
};

describe.each(controllers.map((controller) => [controller.id, controller] as const))(
  '%s',
  (id, controller) => {
    const open = () => controller.open({}, { steps: 10, batch: 6 });
    const played = (live: LiveController, from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => {
        const found = outputsOf(live, from + i);
        live.observe?.(batchOf(from + i), { entropy: 0.9 - 0.1 * i });
        return found;
      });

    test('gives every parameter a default and a description, and cites its source', () => {
      expect(() => controller.params.parse({})).not.toThrow();
      const { properties = {} } = z.toJSONSchema(controller.params, { io: 'input' }) as {
        properties?: Record<string, { description?: string }>;
      };
      for (const [name, schema] of Object.entries(properties)) expect(schema.description, name).toBeTruthy();
      expect(infos.find((info) => info.id === id)).toMatchObject({
        title: controller.title,
        cites: expect.stringMatching(/^arXiv:\d{4}\.\d{5}$/),
      });
      expect(() => controller.open({ nonsense: 1 }, { steps: 1, batch: 1 })).toThrow('nonsense');
    });

    test('adjusts a setting deterministically, within its permitted range', () => {
      const all = played(open(), 0, 8);
      expect(played(open(), 0, 8)).toEqual(all);
      expect(Object.entries(all[0]).some(([name, value]) => name !== 'metrics' && value !== undefined)).toBe(
        true,
      );
      for (const { chosen, sizes, hints, temperature, annealing } of all) {
        if (chosen) expect(new Set(chosen).size).toBe(6);
        if (sizes) expect(sizes.reduce((a, b) => a + b, 0)).toBe(24);
        for (const hint of hints ?? []) expect(hint >= 0 && hint <= 1).toBe(true);
        for (const heat of [temperature ?? 1, ...(annealing ?? [])]) expect(heat > 0 && heat < 10).toBe(true);
      }
    });

    test('continues identically from a state that was serialized as JSON', () => {
      const whole = open();
      const second = open();
      played(whole, 0, 4);
      if (whole.state) second.restore?.(JSON.parse(JSON.stringify(whole.state())));
      else played(second, 0, 4);
      expect(played(second, 4, 9)).toEqual(played(whole, 4, 9));
      expect(second.state?.()).toEqual(whole.state?.());
    });

    test('a run that was stopped and resumed ends with the same bits', async () => {
      const spec = (name: string) =>
        checkSpec({
          name: `${id}-${name}`,
          method: { id: 'grpo', params: { groupSize: 4 } },
          models: toyModel,
          task: { kind: 'world', id: 'toy/copy' },
          controllers: [{ id }],
          optimizer: { learningRate: 3e-3 },
          budget: { steps: 6, batch: 6 },
          sampling: { maxTokens: 4 },
          evaluation: { problems: 4, samples: 2 },
        });
      const run = async (
        name: string,
        attempt: number,
        stopAfter = Infinity,
        resumeFrom?: string,
      ): Promise<Seen[]> => {
        const { seen, events } = recorder();
        const stop = new AbortController();
        await runToEnd(
          {
            runId: 'r',
            attempt,
            spec: spec(name),
            resources: noResources,
            outDir: join(folder, `${id}-${name}`),
            resumeFrom,
          },
          {
            emit: async (body, at) => {
              await events.emit(body, at);
              if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
            },
          },
          stop.signal,
          device,
        );
        return seen;
      };
      const saved = async (seen: readonly Seen[]): Promise<Checkpoint & { readonly path: string }> => {
        const event = seen.findLast((one) => one.type === 'checkpoint');
        if (event?.type !== 'checkpoint') throw new Error('no checkpoint was reported');
        return { ...(await readCheckpoint(event.checkpoint.path)), path: event.checkpoint.path };
      };
      const whole = await saved(await run('whole', 1));
      const first = await saved(await run('parts', 1, 3));
      const second = await saved(await run('parts', 2, Infinity, first.path));
      expect(second.model.parameters.flat).toEqual(whole.model.parameters.flat);
      expect(second.state).toEqual(whole.state);
    });
  },
);
