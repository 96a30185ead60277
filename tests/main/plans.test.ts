import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { OpenServices } from '../../main/headless/open.ts';
import { plansOf } from '../../main/plans/index.ts';
import { presets } from '../../main/plans/presets/index.ts';
import type { Plan } from '../../preload/contract/plans.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const small = smallSpec({ budget: { steps: 8, batch: 8 }, rewards: [], name: undefined });
const from = (node: unknown) => ({ models: { policy: { kind: 'checkpoint', checkpointId: node } } });
/** The stand-in stores one answer a step, all to the same prompt, that its verifier found right. */
const chain = {
  name: 'chain',
  specs: { small },
  nodes: [
    { id: 'a', use: 'small' },
    {
      id: 'b',
      use: 'small',
      spec: {
        ...from({ node: 'a' }),
        task: {
          kind: 'run',
          answers: 'a',
          operators: [{ id: 'correct' }, { id: 'first', params: { count: 3 } }],
        },
      },
    },
    { id: 'c', use: 'small', spec: from({ node: 'b' }) },
  ],
};
const launch = async ({ api }: OpenServices, plan: unknown): Promise<string> =>
  (await api.plans.launch({ plan })).id;
/** Resolves with the plan once it is in one of these states. */
const reached = (bench: OpenServices, id: string, ...states: Plan['state'][]): Promise<Plan> =>
  vi.waitUntil(
    async () => {
      await plansOf(bench.services).settled();
      const found = await bench.api.plans.get({ id });
      return states.includes(found.state) && found;
    },
    { timeout: 60_000, interval: 10 },
  );
const statesOf = ({ nodes }: Plan) => Object.fromEntries(nodes.map(({ id, state }) => [id, state]));

describe('a plan', () => {
  it('is previewed without starting anything, and an error names the field', async () => {
    const bench = await servicesForTest();
    expect(await bench.api.plans.preview({ plan: chain })).toMatchObject({
      name: 'chain',
      runs: 3,
      steps: 24,
      known: null,
      nodes: [
        { id: 'a', does: 'sft', needs: [] },
        { id: 'b:data', does: 'answers of a → correct → first', needs: ['a'] },
        { id: 'b', needs: ['a', 'b:data'] },
        { id: 'c', needs: ['b'] },
      ],
    });
    expect(await bench.api.runs.list({ archived: false })).toEqual([]);
    const bad = { ...chain, nodes: [...chain.nodes, { id: 'd', use: 'small', spec: from({ node: 'e' }) }] };
    expect(await rejected(Promise.resolve(bench.api.plans.launch({ plan: bad })))).toMatchObject({
      kind: 'invalid-input',
      where: 'nodes.3.spec.models.policy.checkpointId',
    });
    expect(await bench.api.plans.list({})).toEqual([]);
  });

  it('runs each node after those that it uses, from their checkpoints and answers', async () => {
    const bench = await servicesForTest();
    const found = await reached(bench, await launch(bench, chain), 'done');
    expect(found).toMatchObject({ name: 'chain', done: 4, of: 4, secondsLeft: 0 });
    const [a, data, b, c] = found.nodes;
    expect(data).toMatchObject({ state: 'done', rows: 3, runId: null });
    const run = await bench.api.runs.get({ id: b.runId ?? '' });
    const [checkpoint] = await bench.api.runs.checkpoints({ runId: a.runId ?? '' });
    expect(run.lineage).toMatchObject({ checkpoints: [checkpoint.id], datasets: [data.datasetId] });
    const dataset = await bench.api.datasets.get({ id: data.datasetId ?? '' });
    expect(dataset).toMatchObject({ name: 'chain: b:data', source: `run ${a.runId}`, rows: 3 });
    expect(dataset.doctor.why).toContain('answers of “a” through correct, first');
    expect(await bench.api.plans.ofRun({ runId: c.runId ?? '' })).toEqual({
      id: found.id,
      name: 'chain',
      node: 'c',
    });
  });

  it('launched again from the same file runs nothing twice', async () => {
    const bench = await servicesForTest();
    const first = await reached(bench, await launch(bench, chain), 'done');
    expect((await bench.api.plans.preview({ plan: chain })).known).toBe(first.id);
    expect(await reached(bench, await launch(bench, chain), 'done')).toEqual(first);
    expect(await bench.api.runs.list({ archived: false })).toHaveLength(3);
    expect(await launch(bench, { ...chain, name: 'renamed', summary: 'Why.' })).toBe(first.id);
    const other = await launch(bench, { ...chain, specs: { small: { ...small, seed: 1 } } });
    expect(other).not.toBe(first.id);
    await reached(bench, other, 'done');
  });

  it('that was killed goes on at the node where it was: finished ones stay, the run at hand resumes', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home, { engine: ['slow'] });
    // so many steps that the run at hand cannot end before the workspace is closed
    const steps = 400;
    const [a, b, ...rest] = chain.nodes;
    const plan = {
      ...chain,
      specs: { small: { ...small, checkpoints: { every: 2, keep: 9 } } },
      nodes: [a, { ...b, set: { 'budget.steps': steps } }, ...rest],
    };
    const id = await launch(first, plan);
    const before = await vi.waitUntil(
      async () => {
        const found = await first.api.plans.get({ id });
        return (found.nodes.find((node) => node.id === 'b')?.step ?? 0) >= 3 && found;
      },
      { timeout: 60_000, interval: 5 },
    );
    await first.close();
    const second = await servicesForTest({ path: join(home, 'workspace') });
    expect(await second.api.plans.get({ id })).toMatchObject({ state: 'waiting', done: 2 });
    expect(await launch(second, plan)).toBe(id);
    const found = await reached(second, id, 'done');
    const made = ({ nodes }: Plan) => nodes.slice(0, 3).map(({ runId, datasetId }) => runId ?? datasetId);
    expect(made(found)).toEqual(made(before));
    const resumed = await second.api.runs.get({ id: found.nodes[2].runId ?? '' });
    expect(resumed.attempt).toBe(2);
    const [series] = await second.api.runs.metrics({
      runIds: [resumed.id],
      names: ['loss'],
      from: 0,
      to: null,
      points: 2 * steps,
    });
    expect([...series.steps]).toEqual(Array.from({ length: steps }, (_none, at) => at + 1));
    expect(await second.api.runs.list({ archived: false })).toHaveLength(3);
  });

  it('stops and goes on', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const id = await launch(bench, {
      ...chain,
      specs: { small: { ...small, budget: { steps: 60, batch: 8 } } },
    });
    await vi.waitUntil(async () => (await bench.api.plans.get({ id })).nodes[0].step > 0, {
      timeout: 60_000,
      interval: 5,
    });
    expect(await rejected(Promise.resolve(bench.api.plans.remove({ id })))).toMatchObject({
      kind: 'conflict',
    });
    await bench.api.plans.stop({ id });
    const stopped = await reached(bench, id, 'stopped');
    expect(statesOf(stopped)).toEqual({ a: 'stopped', 'b:data': 'waiting', b: 'waiting', c: 'waiting' });
    await bench.api.plans.goOn({ id });
    const found = await reached(bench, id, 'done');
    expect(found.nodes[0].runId).toBe(stopped.nodes[0].runId);
    await bench.api.plans.remove({ id });
    expect(await bench.api.plans.list({})).toEqual([]);
    expect(await bench.api.runs.list({ archived: false })).toHaveLength(3);
  });

  it('blocks what follows a failed node; the others go on', async () => {
    const bench = await servicesForTest({ engine: ['picky'] });
    const nodes = [
      { id: 'bad', use: 'small', set: { 'optimizer.learningRate': 5 } },
      { id: 'next', use: 'small', spec: from({ node: 'bad' }) },
      { id: 'good', use: 'small' },
      { id: 'none', answers: 'good', operators: [{ id: 'correct', params: { is: false } }] },
      { id: 'last', use: 'small', after: ['none'] },
    ];
    const found = await reached(bench, await launch(bench, { specs: { small }, nodes }), 'failed');
    expect(statesOf(found)).toEqual({
      bad: 'failed',
      next: 'blocked',
      good: 'done',
      none: 'failed',
      last: 'blocked',
    });
    expect(found.nodes.find(({ id }) => id === 'none')?.error).toMatchObject({
      kind: 'invalid-input',
      where: 'nodes.3.operators',
    });
  });

  it('hands out budgets of an arena by evaluations; each candidate goes on from its own last run', async () => {
    const bench = await servicesForTest({ engine: null });
    const spec = { ...small, sampling: { maxTokens: 3 }, evaluation: { problems: 8, samples: 2 } };
    const candidates = [
      {
        id: 'learns',
        spec: { ...spec, budget: { steps: 40, batch: 16 } },
        set: { 'task.params': { wrong: 0 } },
      },
      { id: 'stays', spec: { ...spec, budget: { steps: 1, batch: 1 }, optimizer: { learningRate: 0 } } },
    ];
    const arena = { pulls: 4, rule: 'successive-halving' };
    const plan = { name: 'race', nodes: [{ id: 'race', arena, candidates }] };
    const { nodes } = await reached(bench, await launch(bench, plan), 'done', 'failed');
    expect(nodes.map(({ does }) => does)).toEqual(['learns', 'stays', 'learns', 'learns']);
    const [first, , third, fourth] = await Promise.all(
      nodes.map(async ({ runId }) => await bench.api.runs.get({ id: runId ?? '' })),
    );
    const final = async ({ id }: typeof first) => (await bench.api.runs.checkpoints({ runId: id }))[0].id;
    expect(third.lineage.checkpoints).toEqual([await final(first)]);
    expect(fourth.lineage.checkpoints).toEqual([await final(third)]);
    expect([first, third, fourth].map(({ spec: of }) => (of as { seed: number }).seed)).toEqual([0, 1, 2]);
  });

  it('reads the evaluations of its runs', async () => {
    const bench = await servicesForTest({ engine: null });
    const spec = {
      ...small,
      budget: { steps: 2, batch: 4 },
      evaluation: { problems: 4, samples: 1 },
      sampling: { maxTokens: 8 },
    };
    const plan = {
      nodes: [
        { id: 'base', spec },
        {
          id: 'grid',
          matrix: [{ set: '*.seed', values: [0, 1] }],
          body: [{ id: 'tune', spec: { ...spec, ...from({ node: 'base' }) } }],
        },
      ],
    };
    const found = await reached(bench, await launch(bench, plan), 'done', 'failed');
    expect(found.nodes.map(({ id, state }) => [id, state])).toEqual([
      ['base', 'done'],
      ['grid.0.tune', 'done'],
      ['grid.1.tune', 'done'],
    ]);
    for (const { evaluation } of found.nodes) expect(evaluation.pass_at_1).toBeGreaterThanOrEqual(0);
  });
});

/** The plan with small budgets, few problems, and shorter strings to copy. */
const resized = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resized);
  if (typeof value !== 'object' || value === null) return value;
  const { steps, problems } = value as { steps?: number; problems?: number };
  return Object.fromEntries(
    Object.entries({
      ...value,
      ...('wrong' in value && 'letters' in value && { letters: 4, length: 2, wrong: 0.2 }),
      ...(steps !== undefined && { steps: Math.min(steps, 60), batch: 8 }),
      ...(problems !== undefined && { problems: Math.min(problems, 8), samples: 1 }),
    }).map(([key, each]) => [key, key === 'rounds' ? 2 : key === 'pulls' ? 9 : resized(each)]),
  );
};

describe.each(presets.map((preset) => [preset.id, preset] as const))('the plan %s', (_id, { plan }) => {
  it('runs to its end', async () => {
    const bench = await servicesForTest({ engine: null });
    const found = await reached(bench, await launch(bench, resized(plan)), 'done', 'failed', 'waiting');
    expect(found.nodes.filter(({ state }) => state !== 'done')).toEqual([]);
    for (const { kind, rows } of found.nodes) if (kind === 'data') expect(rows).toBeGreaterThan(0);
  });
});
