import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../main/plans/whole.ts';
import { simulatedVerdict } from '../../main/plans/simulated-labeler.ts';
import { plansOf } from '../../main/plans/index.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const small = smallSpec({ budget: { steps: 20, batch: 8 }, rewards: [], name: undefined });
const at = (checkpointId: unknown) => ({ models: { policy: { kind: 'checkpoint', checkpointId } } });
const write = (groupSize: number, batch = 10) => ({
  id: 'write',
  use: 'small',
  spec: {
    ...at({ node: 'base' }),
    method: { id: 'sample', params: { groupSize } },
    rewards: [{ id: 'verifier' }],
    sampling: { maxTokens: 6 },
    budget: { steps: groupSize, batch },
  },
});
const tune = {
  id: 'tune',
  spec: {
    ...at({ node: 'base' }),
    method: { id: 'dpo' },
    task: { kind: 'labels', labelSetId: { node: 'labels' }, heldout: 0.25 },
    budget: { batch: 4 },
  },
};
const labels = { id: 'labels', label: { answers: 'write', pairsPerPrompt: 2, noise: 0.2, seed: 3 } };
const plan = (...nodes: object[]) => ({
  name: 'labeled',
  specs: { small },
  nodes: [{ id: 'base', use: 'small' }, ...nodes],
});
const log = (): void => undefined;
const refused = ({ api }: OpenServices, file: unknown) =>
  rejected(Promise.resolve().then(() => api.plans.preview({ plan: file })));

describe('a node of labels', () => {
  it('pairs a run’s answers, decides all of them, and a run learns from them in one pass', async () => {
    const bench = await servicesForTest({ engine: null });
    const { api } = bench;
    const done = await runWhole(bench, plan(write(4), labels, { ...tune, passes: 1 }), { log });
    const [, , made, tuned] = done.nodes;
    const set = await api.labels.set({ id: made.labelSetId ?? '' });
    expect(set).toMatchObject({ name: 'labels', labeled: set.pairs, pairs: made.rows });
    expect(set.pairs).toBeGreaterThan(10);
    const { pairs } = await api.labels.pairs({ setId: set.id, offset: 0, limit: 1000 });
    for (const pair of pairs) expect(pair.verdict).toBe(simulatedVerdict(pair, { noise: 0.2, seed: 3 }));
    const run = await api.runs.get({ id: tuned.runId ?? '' });
    expect(run.spec).toHaveProperty('task.labelSetId', set.id);
    expect(run.totalSteps).toBe(Math.ceil(Math.floor(set.pairs * 0.75) / 4));
    expect(tuned).toMatchObject({ state: 'done', steps: run.totalSteps });
  });

  it('says where it cannot make pairs, and leaves no label set behind', async () => {
    const bench = await servicesForTest({ engine: null });
    const error = await rejected(runWhole(bench, plan(write(1, 1), labels), { log }));
    expect(error).toMatchObject({ kind: 'invalid-input', where: "node 'labels'" });
    const [{ nodes }] = await bench.api.plans.list({});
    expect(nodes[2]).toMatchObject({ state: 'failed', error: { where: 'nodes.2.label' }, labelSetId: null });
    expect(await bench.api.labels.sets({})).toEqual([]);
  });

  it('that was being decided when the process ended begins again, with one label set', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home, { engine: null });
    const file = plan(write(4), labels);
    const { id, nodes } = await runWhole(first, file, { log });
    const { store } = first.services;
    await store.plans.setLabels(id, 'labels', nodes[2].labelSetId ?? '', false);
    await first.close();
    const second = await servicesForTest({ path: join(home, 'workspace'), engine: null });
    expect((await second.api.plans.get({ id })).state).toBe('waiting');
    const again = await runWhole(second, file, { log });
    const sets = await second.api.labels.sets({});
    expect(sets.map((set) => set.id)).toEqual([again.nodes[2].labelSetId]);
    expect(sets[0].id).not.toBe(nodes[2].labelSetId);
    await plansOf(second.services).settled();
  });

  it('is refused with the path of the field', async () => {
    const bench = await servicesForTest({ engine: [] });
    const cases: readonly (readonly [where: string, ...nodes: object[]])[] = [
      ['nodes.1.label.answers', { ...labels, label: { answers: 'nobody' } }],
      [
        'nodes.2.label.answers',
        write(4),
        { id: 'labels', label: { answers: 'later' } },
        { id: 'later', use: 'small' },
      ],
      ['nodes.2.label.noise', write(4), { id: 'labels', label: { answers: 'write', noise: 0.7 } }],
      ['nodes.2.label.judge', write(4), { id: 'labels', label: { answers: 'write', judge: 'x' } }],
      ['nodes.3.label.answers', write(4), labels, { id: 'more', label: { answers: 'labels' } }],
      ['nodes.3.passes', write(4), labels, { ...tune, passes: 0 }],
      ['nodes.3.passes', write(4), labels, { ...tune, passes: 1, set: { 'budget.steps': 5 } }],
      ['nodes.1.passes', { id: 'more', use: 'small', passes: 1 }],
      [
        'nodes.3.spec.task.labelSetId',
        write(4),
        labels,
        { ...tune, set: { 'task.labelSetId': { node: 'base' } } },
      ],
    ];
    for (const [where, ...nodes] of cases)
      expect(await refused(bench, plan(...nodes)), where).toMatchObject({ kind: 'invalid-input', where });
  });
});
