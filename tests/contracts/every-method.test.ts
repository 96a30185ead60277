import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec, methods as infos, worlds } from '../../engine/index.ts';
import { methodFaults } from '../../engine/rl/kernel/check.ts';
import { stubOf } from '../../engine/rl/tasks/kinds/index.ts';
import type { Method } from '../../engine/rl/kernel/method.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import {
  found,
  reachesBound,
  runToy,
  sanitySpec,
  shuffled,
  toyModel,
  toyReport,
} from '../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Report of a toy run for a failing assertion: its value and bound, or 'as it should'. */
const outcome = (method: Method, value: number, wanted: boolean): string =>
  reachesBound(method, value) === wanted ? 'as it should' : toyReport(method, value);

/**
 * The first toy world that offers what a method learns from, and the toy model with room for its prompts. It
 * reads characters, so that prompts are said otherwise in the signs of their world alone.
 */
const toyPlaceOf = ({ task }: Method) => {
  const world = worlds.find(
    ({ id, taskKinds, wordings }) =>
      id.startsWith('toy/') && taskKinds.includes(task) && (task !== 'instructions' || wordings.length > 0),
  );
  if (!world) throw new Error(`no toy world offers ${task}`);
  const { prompt, answer } = world.longest;
  const { policy } = toyModel;
  if (policy.kind !== 'new') throw new Error('the toy model has random weights');
  const context = Math.max(policy.architecture.context ?? 0, prompt + answer + 1);
  const architecture = { ...policy.architecture, context };
  return {
    task: { kind: 'world', id: world.id },
    models: { ...toyModel, policy: { ...policy, architecture } },
  } as const;
};

test('no method is listed twice', () => {
  expect(new Set(methods.map(({ id }) => id)).size).toBe(methods.length);
});

describe.each(methods.map((method) => [method.id, method] as const))('%s', (id, method) => {
  const { sanity } = method;
  const isGuided = method.search({})?.kind === 'guide';

  test('has a valid recipe with its defaults, its presets and every value of every choice', () => {
    expect(methodFaults(method, stubOf)).toEqual([]);
  });

  test('gives every parameter a default and a description', () => {
    expect(() => method.params.parse({})).not.toThrow();
    const { properties = {} } = infos.find((info) => info.id === id)?.params as {
      properties?: Record<string, { description?: string }>;
    };
    for (const [name, schema] of Object.entries(properties)) expect(schema.description, name).toBeTruthy();
    expect(Object.keys(properties).length).toBeLessThanOrEqual(12);
  });

  if (sanity) {
    test('reaches its bound on its toy world', async () => {
      const value = found(await runToy(device, sanitySpec(method, 1)), sanity.metric);
      expect(outcome(method, value, true)).toBe('as it should');
    });
    test('does not reach it when its targets are shuffled', async () => {
      const spec = sanitySpec(method, 1);
      // what can be reached without targets is learned first; `bench -- sanity` takes all steps
      const budget = { ...spec.budget, steps: Math.ceil(spec.budget.steps / 2) };
      const value = found(await runToy(device, { ...spec, budget }, { prepare: shuffled }), sanity.metric);
      expect(outcome(method, value, false)).toBe('as it should');
    });
    test('does not reach it with learning rate 0', async () => {
      const spec = sanitySpec(method, 1, 0);
      // without learning each step is like the first, so that a fifth of them shows as much
      const budget = { ...spec.budget, steps: Math.ceil(spec.budget.steps / 5) };
      const value = found(await runToy(device, { ...spec, budget }), sanity.metric);
      expect(outcome(method, value, false)).toBe('as it should');
    });
  } else {
    test('produces rows and trains nothing', async () => {
      const spec = checkSpec({
        method: { id, params: { groupSize: 3 } },
        ...toyPlaceOf(method),
        // a search that is guided must not be guided by the verdict, which it adds
        rewards: isGuided ? [{ id: 'length' }] : [{ id: 'verifier' }],
        budget: { steps: 2, batch: 5 },
        sampling: { maxTokens: 4 },
      });
      const seen = await runToy(device, spec);
      const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
      const isInRounds = method.search({})?.kind === 'rounds';
      const { rounds = 1 } = (isInRounds ? method.params.parse({}) : {}) as { readonly rounds?: number };
      // candidates that grow are rows of their own
      if (isGuided) expect(rows.length).toBeGreaterThanOrEqual(2 * 5 * 3);
      else expect(rows).toHaveLength(2 * 5 * 3 * rounds);
      expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
      expect(rows.every((row) => row.purpose === 'sample' && Number.isFinite(row.scores.verifier))).toBe(
        true,
      );
      expect(seen.some((event) => event.type === 'metrics' && 'loss' in event.values)).toBe(false);
    });
  }
});

test('the report of a toy run that misses its bound gives its value, the bound, and how to tune it', () => {
  const [method] = methods.filter(({ id }) => id === 'grpo');
  expect(outcome(method, 0.9, true)).toBe('as it should');
  expect(outcome(method, 0.25, true)).toMatch(
    /^reward\/mean came to 0.25; its bound is at least 0.8\. .*learning rate.*--only grpo/s,
  );
  expect(outcome(method, 0.9, false)).toMatch(/came to 0.9; its bound is at least 0.8/);
});
