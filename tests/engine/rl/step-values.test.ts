import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { found, noResources, recorder, toyModel } from '../../support/toy-run.ts';

test(
  'direct advantage as published: for a policy that is right half of the time, a critic trained once and ' +
    'then frozen is enough',
  async () => {
    const device = await openDevice({ id: 'cpu', threads: 1 });
    const folder = await mkdtemp(join(tmpdir(), 'whetstone-steps-'));
    const common = {
      task: { kind: 'world', id: 'toy/copy' },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 60, samples: 4 },
      seed: 2,
    } as const;
    const run = async (name: string, spec: object, checkpoints = {}) => {
      const { seen, events } = recorder();
      await runToEnd(
        {
          runId: name,
          attempt: 1,
          resources: { ...noResources, checkpoints },
          outDir: join(folder, name),
          spec: checkSpec({ ...common, ...spec }),
        },
        events,
        new AbortController().signal,
        device,
      );
      return seen;
    };
    try {
      const base = await run('base', {
        method: { id: 'sft' },
        models: toyModel,
        optimizer: { learningRate: 5e-3, beta2: 0.95 },
        budget: { steps: 120, batch: 32 },
      });
      const saved = base.findLast((event) => event.type === 'checkpoint');
      const seen = await run(
        'tuned',
        {
          method: {
            id: 'direct-advantage',
            params: { step: 'token', beta: 0.05, criticWarmup: 120, criticEpochs: 2 },
          },
          models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
          optimizer: { learningRate: 2e-3 },
          budget: { steps: 360, batch: 16 },
        },
        { base: saved?.type === 'checkpoint' ? saved.checkpoint.path : '' },
      );
      expect(found(base, 'evaluation/gold')).toBeLessThan(0.65);
      expect(found(seen, 'evaluation/gold')).toBeGreaterThan(0.8);
      // the initial policy samples the answers until the end, as the record shows
      const rows = seen.flatMap((event) =>
        event.type === 'trajectories' ? event.rows.filter(({ purpose }) => purpose === 'train') : [],
      );
      expect(new Set(rows.map(({ policyVersion }) => policyVersion))).toEqual(new Set(['tuned/1/policy/0']));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
