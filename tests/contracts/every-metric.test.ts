import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { controllers } from '../../engine/rl/controllers/index.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import { metricName } from '../../preload/wire/metric-names.ts';
import { runToy, sanitySpec, type Seen } from '../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(() => device.close());

/** A toy run of a few steps: the names of its metrics do not depend on their number. */
const short = (spec: RunSpec): RunSpec => ({
  ...spec,
  budget: { ...spec.budget, steps: Math.min(8, spec.budget.steps) },
  evaluation: { ...spec.evaluation, problems: 4, samples: 2 },
});
const unexplained = (seen: readonly Seen[]): string[] => [
  ...new Set(
    seen
      .flatMap((event) => (event.type === 'metrics' ? Object.keys(event.values) : []))
      .filter((name) => metricName(name) === undefined),
  ),
];

test.each(methods.filter(({ sanity }) => sanity).map((method) => [method.id, method] as const))(
  'every metric of %s is explained in one line',
  async (_id, method) => {
    expect(unexplained(await runToy(device, short(sanitySpec(method, 1))))).toEqual([]);
  },
);

test('so are those of the demo: GRPO on one scorer with another recorded, and of each controller', async () => {
  const grpo = methods.find(({ id }) => id === 'grpo');
  if (!grpo) throw new Error('there is no GRPO');
  const spec = short(sanitySpec(grpo, 1));
  const rewards = [
    { id: 'length', weight: 1, params: {} },
    { id: 'verifier', weight: 0, params: {} },
  ];
  const seen = await runToy(device, checkSpec({ ...spec, rewards }));
  expect(seen.some((event) => event.type === 'metrics' && 'eval/proxy' in event.values)).toBe(true);
  expect(unexplained(seen)).toEqual([]);
  for (const { id } of controllers) expect(metricName(`control/${id}/any`), id).toBeDefined();
});

test('a metric that several roles share is explained behind the role, and an unknown one is not', () => {
  expect(metricName('critic/value/error')).toBe(metricName('value/error'));
  expect(metricName('reward/length')?.text).toContain('this scorer');
  expect([metricName('surprise'), metricName('critic/surprise'), metricName('constructor')]).toEqual(
    Array(3).fill(undefined),
  );
});
