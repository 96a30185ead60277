import { expect, it } from 'vitest';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { comparedNames } from '../../preload/wire/metric-names.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

it('the main role of a co-trained run is compared with a run of one role', async () => {
  const bench = await servicesForTest({ engine: null });
  const { api } = bench;
  const trained = async (id: string): Promise<string> => {
    const method: RunSpecInput['method'] = { id };
    const spec = smallSpec({ method, budget: { steps: 2, batch: 4 }, sampling: { maxTokens: 6 } });
    const { runId } = await api.runs.launch({ spec });
    expect((await bench.waitForRun(runId, () => undefined)).state).toBe('done');
    return runId;
  };
  const [alone, both] = [await trained('reinforce'), await trained('cory')];
  const names = await api.runs.metricNames({ runIds: [alone, both] });
  expect(names).toEqual(expect.arrayContaining(['reward/mean', 'policy/reward/mean', 'partner/reward/mean']));
  expect(comparedNames(names)).not.toContain('policy/reward/mean');
  const read = async (...asked: string[]) =>
    (await api.runs.metrics({ runIds: [alone, both], names: asked, from: 0, to: null, points: 100 })).map(
      ({ runId, name, role, values }) => ({ run: runId === alone ? 'alone' : 'both', name, role, values }),
    );
  const [own] = await read('policy/reward/mean');
  expect(own).toMatchObject({ run: 'both', name: 'policy/reward/mean', role: undefined });
  const shared = await read('reward/mean');
  expect(shared.map(({ run, role }) => [run, role])).toEqual(
    expect.arrayContaining([
      ['alone', undefined],
      ['both', 'policy'],
    ]),
  );
  expect(shared).toHaveLength(2);
  expect(shared.find(({ run }) => run === 'both')?.values).toEqual(own.values);
  // a run's own page asks for its own names
  expect(
    (await read(...(await api.runs.metricNames({ runIds: [both] })))).every(({ role }) => role === undefined),
  ).toBe(true);
}, 60_000);
