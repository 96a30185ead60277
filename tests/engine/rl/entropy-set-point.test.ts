import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/**
 * Mean entropy per token over the last 40 updates of the policy; without a controller the method is certain
 * of every letter by then.
 */
const settled = async (
  method: RunSpecInput['method'],
  controllers: RunSpecInput['controllers'],
  budget = { steps: 160, batch: 16 },
): Promise<number> => {
  const seen = await runToy(
    device,
    checkSpec({
      method,
      controllers,
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      optimizer: { learningRate: 5e-3 },
      budget,
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
      seed: 1,
    }),
  );
  const entropies = seen
    .flatMap((event) => (event.type === 'metrics' && 'entropy' in event.values ? [event.values.entropy] : []))
    .slice(-40);
  return entropies.reduce((a, b) => a + b, 0) / entropies.length;
};

const grpo = { id: 'grpo', params: { klWeight: 0 } };

describe('the entropy of a policy that learns a task with one right answer', { timeout: 240_000 }, () => {
  test('collapses without a set-point', async () => expect(await settled(grpo, [])).toBeLessThan(0.05));
  test.each([0.5, 1])('stays at a set-point of %d nats', async (target) => {
    expect(Math.abs((await settled(grpo, [{ id: 'aepo', params: { target } }])) / target - 1)).toBeLessThan(
      0.1,
    );
  });
  test('stays up if the method has its own entropy term', async () => {
    // half of the updates train the critic
    expect(
      await settled({ id: 'ppo', params: { klWeight: 0 } }, [{ id: 'aepo', params: { target: 0.5 } }], {
        steps: 360,
        batch: 128,
      }),
    ).toBeGreaterThan(0.35);
  });
});
