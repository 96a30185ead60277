import { beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { found, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/**
 * What held-out answers of a model that has learned nothing earn from rewards that know nothing of right and
 * wrong.
 */
const proxy = async (rewards: RunSpecInput['rewards'], steps: number): Promise<number> =>
  found(
    await runToy(
      device,
      checkSpec({
        method: { id: 'grpo', params: { groupSize: 4 } },
        models: toyModel,
        task: { kind: 'world', id: 'toy/copy' },
        rewards,
        optimizer: { learningRate: 0 },
        budget: { steps, batch: 8 },
        sampling: { maxTokens: 4 },
        evaluation: { problems: 70, samples: 6 },
      }),
    ),
    'evaluation/proxy',
  );

test('rewards that compare the answers of a group do so at evaluation', async () => {
  // by itself each answer would be the majority of one
  expect(await proxy([{ id: 'majority' }], 1)).toBeLessThan(0.8);
});

test('rewards that have learned from the run’s batches say at evaluation what the run climbs, in every portion', async () => {
  const lagging = {
    id: 'dynamic-weights',
    params: {
      rate: 10,
      smoothing: 0,
      least: 0,
      rewards: [
        { id: 'length', params: { scale: 1 } },
        { id: 'format', params: {} },
      ],
    },
  };
  const [early, late] = [await proxy([lagging], 1), await proxy([lagging], 3)];
  // answers have a length and no answer line: all weight moves to the form, of which there is none
  expect(early).toBeLessThan(1e-3);
  expect(late).toBeLessThan(1e-9);
  expect(await proxy([{ ...lagging, params: { ...lagging.params, rate: 0 } }], 3)).toBeGreaterThan(1);
});
