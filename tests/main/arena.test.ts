import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { OpenServices } from '../../main/headless/open.ts';
import { plansOf } from '../../main/plans/index.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Plan } from '../../preload/contract/plans.ts';
import { checkSpec, planNodes } from '../../engine/index.ts';
import { decisionFor, isReopened } from '../../main/plans/arena.ts';
import type { StoredNode, StoredPlan } from '../../main/store/plans.ts';
import { caught, rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const spec = {
  ...smallSpec({ budget: { steps: 1, batch: 2 }, name: undefined }),
  method: { id: 'grpo', params: { groupSize: 2 } },
  sampling: { maxTokens: 3 },
  evaluation: { problems: 4, samples: 1 },
};
const rewarded = (code: string) => ({ rewards: [{ id: 'snippet', params: { code } }] });
const file = (own: object = {}) => ({
  name: 'race',
  nodes: [
    {
      id: 'race',
      arena: { rule: 'uniform', pulls: 6, oracle: 0.75, ...own },
      candidates: ['one', 'two', 'three'].map((id) => ({ id, spec: { ...spec, ...rewarded('() => 1') } })),
    },
  ],
});
const launch = async ({ api }: OpenServices, plan: unknown = file()): Promise<string> =>
  (await api.plans.launch({ plan })).id;
const reached = (bench: OpenServices, id: string, isThere: (plan: Plan) => boolean): Promise<Plan> =>
  vi.waitUntil(
    async () => {
      await plansOf(bench.services).settled();
      const found = await bench.api.plans.get({ id });
      return isThere(found) && found;
    },
    { timeout: 90_000, interval: 10 },
  );
const isDone = ({ state }: Plan): boolean => state === 'done' || state === 'failed';
const order = ({ nodes }: Plan) => nodes.map(({ does }) => does);
/** A plan in a paused queue: nothing of it begins until the queue goes on. */
async function held() {
  const bench = await servicesForTest({ engine: null });
  await bench.api.queue.pause({});
  const id = await launch(bench);
  const decide = (candidate: string, mode: 'free' | 'paused' | 'pinned', code?: string) =>
    Promise.resolve(bench.api.plans.decide({ id, candidate, mode, ...(code !== undefined && { code }) }));
  return { bench, id, decide };
}

describe('an arena', { timeout: 120_000 }, () => {
  it('hands out budgets by what was decided meanwhile, and a resumed one ends the same', async () => {
    const home = temporaryFolder();
    const path = join(home, 'workspace');
    const first = await servicesIn(home, { engine: null, path });
    await first.api.queue.pause({});
    const id = await launch(first);
    // the first budget has begun: what is decided holds from the second on
    await first.api.plans.decide({ id, candidate: 'two', mode: 'paused' });
    await first.api.plans.decide({ id, candidate: 'four', mode: 'free', code: '(row) => row.tokens' });
    await first.close();
    const again = await servicesIn(home, { engine: null, path });
    await again.api.plans.goOn({ id });
    await again.api.queue.goOn({});
    const plan = await reached(again, id, isDone);
    expect([plan.state, order(plan)]).toEqual(['done', ['one', 'three', 'four', 'one', 'three', 'four']]);
    const [arena] = plan.arenas;
    expect(arena).toMatchObject({ id: 'race', rule: 'In turn', budgets: 6, oracle: 0.75 });
    expect(
      arena.candidates.map(({ id: name, mode, scores, code }) => [name, mode, scores.length, code]),
    ).toEqual([
      ['one', 'free', 2, '() => 1'],
      ['two', 'paused', 0, '() => 1'],
      ['three', 'free', 2, '() => 1'],
      ['four', 'free', 2, '(row) => row.tokens'],
    ]);
    expect(arena.pulls.map(({ candidate }) => candidate)).toEqual(order(plan));
    const values = Object.fromEntries(
      plan.nodes.map(({ id: node, evaluation }) => [node, evaluation.pass_at_1]),
    );
    expect(arena.pulls.map(({ value }) => value)).toEqual(Object.values(values));
    const { spec: added } = await again.api.runs.get({ id: arena.candidates[3].runId ?? '' });
    expect(added).toMatchObject(rewarded('(row) => row.tokens'));
    expect(
      await rejected(Promise.resolve(again.api.plans.decide({ id, candidate: 'one', mode: 'paused' }))),
    ).toMatchObject({ kind: 'conflict', where: 'arena' });
    await again.close();
  });

  it('begins an added candidate from the policy of another one', async () => {
    const bench = await servicesForTest({ engine: null });
    await bench.api.queue.pause({});
    const id = await launch(bench, file({ pulls: 9 }));
    const add = (own: object) =>
      Promise.resolve(
        bench.api.plans.decide({ id, candidate: 'heir', mode: 'free', code: '() => 0', ...own } as never),
      );
    expect(await rejected(add({ origin: 'nobody' }))).toMatchObject({ kind: 'not-found', where: 'origin' });
    expect(await rejected(add({ origin: 'two' }))).toMatchObject({ kind: 'conflict', where: 'origin' });
    expect(await rejected(add({ candidate: 'two', code: undefined, origin: 'nobody' }))).toMatchObject({
      kind: 'invalid-input',
      where: 'origin',
    });
    await bench.api.queue.goOn({});
    await reached(bench, id, ({ done }) => done >= 2);
    await add({ origin: 'two' });
    const plan = await reached(bench, id, isDone);
    expect(plan.state).toBe('done');
    const runs = [];
    for (const { runId } of plan.nodes) runs.push(await bench.api.runs.get({ id: runId ?? '' }));
    const before = plan.nodes.findIndex(({ does }) => does === 'heir');
    const last = order(plan).slice(0, before).lastIndexOf('two');
    const left = await bench.api.runs.checkpoints({ runId: runs[last].id });
    expect((runs[before].spec as RunSpec).models.policy).toEqual({
      kind: 'checkpoint',
      checkpointId: left.find(({ final }) => final)?.id,
    });
    expect(plan.arenas[0].candidates.map(({ origin }) => origin)).toEqual([null, null, null, 'two']);
  });

  it('refuses to pause the last candidate, and names that are unknown or taken', async () => {
    const { decide } = await held();
    await decide('one', 'paused');
    await decide('two', 'paused');
    expect(await rejected(decide('three', 'paused'))).toMatchObject({ kind: 'conflict', where: 'candidate' });
    expect(await rejected(decide('five', 'paused'))).toMatchObject({ kind: 'not-found', where: 'candidate' });
    expect(await rejected(decide('one', 'free', '() => 1'))).toMatchObject({
      kind: 'conflict',
      where: 'candidate',
    });
  });

  it('refuses to leave nobody at a budget that failed, whatever was decided for later ones', () => {
    const { nodes } = file();
    const plan = planNodes(
      { name: 'race', nodes: [{ ...nodes[0], candidates: nodes[0].candidates.slice(0, 2) }] },
      checkSpec,
    );
    const ids = plan.nodes.map(({ id }) => id);
    const node = (id: string, runId: string | null) => ({ node: id, runId, error: null }) as StoredNode;
    const made = (at: number, candidate: string, mode: 'free' | 'paused') => ({
      ...{ arena: 'race', at, candidate, mode, code: null, origin: null },
    });
    const stored = {
      nodes: [node(ids[0], 'a'), node(ids[1], 'b'), node(ids[2], 'c')],
      // free again only from the budget behind the one that failed
      decisions: [made(1, 'one', 'paused'), made(3, 'one', 'free')],
    } as unknown as StoredPlan;
    const wish = { candidate: 'two', mode: 'paused' } as const;
    expect(caught(() => decisionFor(stored, plan, new Set(['c']), wish))).toMatchObject({
      kind: 'conflict',
      where: 'candidate',
    });
    expect(decisionFor(stored, plan, new Set(['c']), { candidate: 'one', mode: 'free' })).toEqual(
      made(2, 'one', 'free'),
    );
    expect(decisionFor(stored, plan, new Set(), { candidate: 'one', mode: 'free' })).toBeNull();
    expect(
      caught(() => decisionFor(stored, plan, new Set(), { candidate: 'a b', mode: 'free', code: '() => 1' })),
    ).toMatchObject({ kind: 'invalid-input', where: 'candidate' });
    expect(isReopened(stored, plan, ids[1])).toBe(true);
    expect(isReopened(stored, plan, ids[2])).toBe(false);
  });

  it('refuses code that fails on an answer, before a budget is spent on it', async () => {
    const { bench, id, decide } = await held();
    expect(await rejected(decide('bad', 'free', '(row) => row.nothing.length'))).toMatchObject({
      kind: 'invalid-input',
      where: 'code',
    });
    expect((await bench.api.plans.get({ id })).arenas[0].candidates).toHaveLength(3);
  });

  it('goes on without a candidate whose budget failed, once that is paused', async () => {
    const bench = await servicesForTest({ engine: null });
    const plan = file({ pulls: 3 });
    const [one, two] = plan.nodes[0].candidates;
    plan.nodes[0].candidates = [one, { ...two, spec: { ...spec, ...rewarded('() => { throw 1; }') } }];
    const id = await launch(bench, plan);
    const failed = await reached(bench, id, isDone);
    expect(failed.nodes.map(({ state }) => state)).toEqual(['done', 'failed', 'blocked']);
    await bench.api.plans.decide({ id, candidate: 'two', mode: 'paused' });
    await bench.api.plans.goOn({ id });
    const done = await reached(bench, id, isDone);
    expect([done.state, order(done)]).toEqual(['done', ['one', 'one', 'one']]);
  });

  it('names an oracle that is no run', async () => {
    const bench = await servicesForTest();
    expect(await rejected(launch(bench, file({ oracle: ['nobody'] })))).toMatchObject({
      kind: 'invalid-input',
      where: 'nodes.0.arena.oracle.0',
    });
  });
});
