import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { within } from '../../main/plans/inputs.ts';
import { plansOf } from '../../main/plans/index.ts';
import type { Plan } from '../../preload/contract/plans.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const small = smallSpec({ budget: { steps: 8, batch: 8 }, rewards: [], name: undefined });
const run = (id: string, own: object = {}) => ({ id, use: 'small', ...own });
const plan = (...nodes: object[]) => ({ name: 'plan', specs: { small }, nodes });
const launch = async ({ api }: OpenServices, file: unknown): Promise<string> =>
  (await api.plans.launch({ plan: file })).id;
const runsOf = ({ api }: OpenServices) => api.runs.list({ archived: false });
const reached = (bench: OpenServices, id: string, ...states: Plan['state'][]): Promise<Plan> =>
  vi.waitUntil(
    async () => {
      await plansOf(bench.services).settled();
      const found = await bench.api.plans.get({ id });
      return states.includes(found.state) && found;
    },
    { timeout: 60_000, interval: 10 },
  );

describe('a plan', () => {
  it('that is launched twice at once is one plan', async () => {
    const bench = await servicesForTest();
    const file = plan(run('a'), run('b'));
    const [one, two] = await Promise.all([launch(bench, file), launch(bench, file)]);
    expect(two).toBe(one);
    await reached(bench, one, 'done');
    expect(await bench.api.plans.list({})).toHaveLength(1);
    expect(await runsOf(bench)).toHaveLength(2);
  });

  it('goes on after a restart when its run is resumed on its own page, though no page asks for plans', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home, { engine: ['slow'] });
    const id = await launch(
      first,
      plan(run('a', { set: { 'budget.steps': 400 } }), run('b', { after: ['a'] })),
    );
    const a = await vi.waitUntil(
      async () => (await runsOf(first)).find(({ state, step }) => state === 'running' && step > 0),
      { timeout: 60_000, interval: 5 },
    );
    await first.close();
    const second = await servicesForTest({ path: join(home, 'workspace') });
    await second.api.runs.resume({ id: a.id });
    const ended = await vi.waitUntil(
      async () => {
        const runs = await runsOf(second);
        return runs.length === 2 && runs.every(({ state }) => state === 'done') && runs;
      },
      { timeout: 60_000, interval: 10 },
    );
    expect(ended.map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
    expect((await second.api.plans.get({ id })).state).toBe('done');
  });

  it('does not train a removed run again until it is told to go on', async () => {
    const bench = await servicesForTest();
    const id = await launch(bench, plan(run('a'), run('b')));
    const [a, b] = (await reached(bench, id, 'done')).nodes.map(({ runId }) => runId ?? '');
    await bench.api.runs.remove({ id: a });
    await bench.api.runs.edit({ id: b, name: 'another name' });
    await bench.api.runs.archive({ id: b, archived: true });
    await plansOf(bench.services).settled();
    expect(await runsOf(bench)).toEqual([]);
    expect((await bench.api.plans.get({ id })).state).toBe('waiting');
    await bench.api.plans.goOn({ id });
    await reached(bench, id, 'done');
    expect(await runsOf(bench)).toHaveLength(1);
  });

  it('makes a new run where the specification of the last one was refused', async () => {
    const bench = await servicesForTest({ engine: ['picky'] });
    const id = await launch(bench, plan(run('a', { set: { 'optimizer.learningRate': 10 } })));
    const [before] = (await reached(bench, id, 'failed')).nodes;
    expect(before.error?.kind).toBe('invalid-input');
    await bench.api.plans.goOn({ id });
    await vi.waitUntil(async () => (await runsOf(bench)).length === 2, { timeout: 60_000, interval: 10 });
    const [after] = (await reached(bench, id, 'failed')).nodes;
    expect(after.runId).not.toBe(before.runId);
  });

  it('waits while its runs wait in a queue that is paused, and goes on past that pause', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home, { engine: ['idle'] });
    const id = await launch(first, plan(run('a'), run('b'), run('c', { after: ['a', 'b'] })));
    await vi.waitUntil(async () => (await runsOf(first)).some(({ state }) => state === 'running'), {
      timeout: 60_000,
      interval: 5,
    });
    await plansOf(first.services).settled();
    await first.close();
    const second = await servicesForTest({ path: join(home, 'workspace') });
    expect((await second.services.queue.state()).paused).toBe('restart');
    expect((await second.api.plans.get({ id })).state).toBe('waiting');
    await second.api.plans.goOn({ id });
    expect((await reached(second, id, 'done')).done).toBe(3);
  });

  it('that is stopped while it starts its nodes starts no more of them', async () => {
    const bench = await servicesForTest({ engine: ['idle'] });
    const nodes = Array.from({ length: 40 }, (_none, at) => run(`n${at}`));
    const id = await launch(bench, plan(...nodes));
    await bench.api.plans.stop({ id });
    const stopped = await reached(bench, id, 'stopped');
    expect(stopped.nodes.some(({ runId }) => runId === null)).toBe(true);
  });

  it('names the metric of an arena that no run has', async () => {
    const bench = await servicesForTest({ engine: null });
    const spec = {
      ...small,
      budget: { steps: 1, batch: 4 },
      evaluation: { problems: 2, samples: 1 },
      sampling: { maxTokens: 4 },
    };
    const candidates = [
      { id: 'one', spec },
      { id: 'two', spec },
    ];
    const file = { nodes: [{ id: 'race', arena: { pulls: 2, metric: 'pass@1' }, candidates }] };
    const [, second] = (await reached(bench, await launch(bench, file), 'failed')).nodes;
    expect(second.error).toMatchObject({ kind: 'invalid-input', where: 'nodes.0.arena.metric' });
    expect(second.error?.hint).toContain('pass_at_1');
  });

  it('names ids that are not in the workspace before anything starts', async () => {
    const bench = await servicesForTest();
    const policy = { kind: 'checkpoint', checkpointId: 'gone' };
    const absent = plan(run('a'), run('b', { spec: { models: { policy } } }));
    expect(await rejected(launch(bench, absent))).toMatchObject({
      kind: 'not-found',
      where: 'nodes.1.spec.models.policy.checkpointId',
    });
    const task = { kind: 'dataset', datasetId: 'gone' };
    expect(await rejected(launch(bench, plan(run('a', { spec: { task } }))))).toMatchObject({
      kind: 'not-found',
      where: 'nodes.0.spec.task.datasetId',
    });
    expect(await runsOf(bench)).toEqual([]);
  });

  it('names the field of a node that cannot begin', async () => {
    const failing = (where: string) =>
      within('nodes.1.spec', () => Promise.reject(new WhetstoneError('not-found', 'Gone.', { where })), {
        task: {},
      });
    expect((await rejected(failing('task.datasetId'))).where).toBe('nodes.1.spec.task.datasetId');
    expect((await rejected(failing('some-run'))).where).toBe('nodes.1.spec');
  });

  it('whose file this version refuses is shown and can be removed', async () => {
    const bench = await servicesForTest();
    const file = { nodes: [{ id: 'a', answers: 'nothing' }] };
    const { id } = await bench.services.store.plans.create({ name: 'later', file, hash: 'later' });
    expect(await bench.api.plans.get({ id })).toMatchObject({ name: 'later', state: 'failed', nodes: [] });
    await bench.api.plans.remove({ id });
    expect(await bench.api.plans.list({})).toEqual([]);
    expect(await rejected(Promise.resolve(bench.api.plans.get({ id })))).toMatchObject({ kind: 'not-found' });
  });

  it('learns from answers to held-out problems only where it says so', async () => {
    const bench = await servicesForTest({ engine: null });
    const spec = {
      ...small,
      budget: { steps: 1, batch: 4 },
      evaluation: { problems: 3, samples: 2 },
      sampling: { maxTokens: 4 },
    };
    const file = {
      nodes: [
        { id: 'base', spec },
        { id: 'asked', answers: 'base', purpose: 'evaluation' },
        { id: 'rest', answers: 'base' },
      ],
    };
    const [, asked, rest] = (await reached(bench, await launch(bench, file), 'failed')).nodes;
    expect(asked.rows).toBe(6);
    expect(rest.error).toMatchObject({ kind: 'invalid-input', where: 'nodes.2.answers' });
  });
});
