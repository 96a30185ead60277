/**
 * Adapters on a base that sessions hold, as on CUDA: the same run as with a base passed as input, with one
 * copy for each kind of graph.
 */
import { describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMachineMetric } from '../../../engine/common/machine-metrics.ts';
import { checkSpec } from '../../../engine/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { readModelFolder } from '../../../engine/models/folder.ts';
import { Device, type DeviceOptions } from '../../../engine/runtime/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';
import { noResources, runToy, type Seen } from '../../support/toy-run.ts';
import { worstError } from '../../support/tensors.ts';

interface Case {
  readonly own: Partial<RunSpecInput>;
  /** Number of kinds of graphs that read the base. */ readonly kinds: number;
  /** True if rows differ in length, so a device that passes the base as input has several shapes. */
  readonly unlike: boolean;
}
const cases: { readonly [name: string]: Case } = {
  // prefill, generation, the reference's log-probabilities, and gradient accumulation
  'GRPO, answers of unlike lengths in several parts': {
    kinds: 4,
    unlike: true,
    own: {
      method: { id: 'grpo', params: { groupSize: 4, klWeight: 0.1 } },
      rewards: [{ id: 'length' }],
      budget: { steps: 4, batch: 8, microTokens: 256 },
      sampling: { maxTokens: 40 },
    },
  },
  // runs of two steps, and one run of the remaining step
  'SFT, two steps in a run': {
    kinds: 2,
    unlike: false,
    own: { method: { id: 'sft' }, budget: { steps: 5, batch: 4 }, sampling: { maxTokens: 4 } },
  },
};
const specOf = ({ own }: Case) =>
  checkSpec({
    method: { id: 'grpo' },
    task: { kind: 'world', id: 'toy/copy' },
    evaluation: { problems: 0 },
    adapter: { kind: 'lora', rank: 4, alpha: 8 },
    optimizer: { learningRate: 0.01, warmup: 0 },
    models: { policy: { kind: 'model', modelId: 'base', prompts: 'plain' } },
    ...own,
  });

const numbers = (seen: readonly Seen[]): { names: string[]; values: number[] } => {
  const entries = seen
    .flatMap((event) => (event.type === 'metrics' ? Object.entries(event.values) : []))
    .filter(([name]) => !isMachineMetric(name));
  return { names: entries.map(([name]) => name), values: entries.map(([, value]) => value) };
};

describe.each(Object.entries(cases))('%s', (_, each) => {
  it('trains the same with a base held by sessions, with one copy of the base for each kind of graph', async () => {
    const folder = writeModelFolder(join(temporaryFolder(), 'base'), {
      model: 'qwen2',
      settings: { vocab_size: 430 },
    });
    const baseBytes = 4 * (await readModelFolder(folder)).parameters.size;
    const resources = { ...noResources, checkpoints: { base: folder } };
    // with many end tokens, answers differ in length
    writeFileSync(
      join(folder, 'generation_config.json'),
      JSON.stringify({ eos_token_id: Array.from({ length: 20 }, (_x, i) => i + 2) }),
    );
    const on = async (options: Partial<DeviceOptions>) => {
      const device = new Device({ id: 'cpu', threads: 1, ...options });
      const metrics = numbers(await runToy(device, specOf(each), { resources }));
      const { frozenBytes, cachedSessions } = device;
      await device.close();
      return { metrics, frozenBytes, cachedSessions };
    };
    const [fed, inside] = [await on({}), await on({ holdsFrozen: true, stepsPerRun: 2 })];
    expect(inside.metrics.names).toEqual(fed.metrics.names);
    expect(worstError(inside.metrics.values, fed.metrics.values)).toBeLessThan(1e-3);
    expect(fed.metrics.values.some((value) => value !== 0)).toBe(true);
    expect(fed.frozenBytes).toBe(0);
    // the prefill graph ends before the last layer
    expect(Math.ceil(inside.frozenBytes / baseBytes)).toBe(each.kinds);
    // one session each, plus the optimizer's
    expect(inside.cachedSessions).toBeLessThanOrEqual(each.kinds + 1);
    expect(fed.cachedSessions > inside.cachedSessions).toBe(each.unlike);
  });
});
