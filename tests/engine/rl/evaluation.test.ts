import { beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { found, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Reward of held-out answers from an untrained model, by rewards that ignore correctness. */
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

test('rewards that compare the answers of a group also do so at evaluation', async () => {
  // each answer alone would be a majority of one
  expect(await proxy([{ id: 'majority' }], 1)).toBeLessThan(0.8);
});

test('rewards that adapt during the run score an evaluation in their current state, in every portion', async () => {
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
  // answers have a length but no answer line: all weight moves to the format reward, which is 0
  expect(early).toBeLessThan(1e-3);
  expect(late).toBeLessThan(1e-9);
  expect(await proxy([{ ...lagging, params: { ...lagging.params, rate: 0 } }], 3)).toBeGreaterThan(1);
});
