/** The plan of a reward arena: on a world, a dataset, or with the settings of a run. */
import { describe, expect, it } from 'vitest';
import { checkSpec, planNodes, worlds } from '../../engine/index.ts';
import { followPlan } from '../../main/plans/follow.ts';
import { plansOf } from '../../main/plans/index.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import {
  arenaPlan,
  exampleRewards,
  shortSorting,
  shortSortingLongest,
  type ArenaBase,
  type ArenaSettings,
} from '../../preload/wire/arena-plan.ts';
import { sorting } from '../../engine/worlds/sorting.ts';
import { caught } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

const shared = { learned: 2, learningRate: 1e-3, batch: 2, maxTokens: 10 };
const onSorting: ArenaBase = {
  kind: 'task',
  task: { kind: 'world', world: shortSorting, longest: shortSortingLongest },
  start: null,
  ...shared,
};
const onRows = (start: { kind: 'checkpoint'; checkpointId: string } | null, datasetId = 'd'): ArenaBase => ({
  kind: 'task',
  task: { kind: 'dataset', datasetId, verifier: 'match/exact' },
  start,
  ...shared,
});
const settings: ArenaSettings = {
  base: onSorting,
  candidates: exampleRewards.slice(0, 2),
  withVerifier: true,
  rule: 'uniform',
  budgets: 3,
  updates: 1,
  problems: 2,
  seed: 4,
};
const planned = (change: Partial<ArenaSettings> = {}) =>
  planNodes(arenaPlan({ ...settings, ...change }), checkSpec);
const armsOf = (plan: ReturnType<typeof planned>) => {
  const last = plan.nodes.at(-1);
  if (last?.kind !== 'run' || !last.pull) throw new Error('the plan ends without an arena');
  return last.pull.arms;
};

describe('the plan of an arena', () => {
  it('knows the sizes of its own world', () => {
    const { maxPromptTokens: prompt, maxTokens: answer } = sorting.open(shortSorting.params);
    expect(shortSortingLongest).toEqual({ prompt, answer });
  });

  it('trains a small start, and a learner for each reward and for the verifier', () => {
    const plan = planned();
    expect(plan.nodes.map(({ id }) => id)).toEqual(['base', 'arena.1', 'arena.2', 'arena.3']);
    expect(armsOf(plan).map(({ id, spec }) => [id, (spec.rewards as { id: string }[])[0].id])).toEqual([
      ['ending', 'snippet'],
      ['words', 'snippet'],
      ['verifier', 'verifier'],
    ]);
    expect(planned({ rule: 'd3rb', withVerifier: false }).nodes).toHaveLength(4);
  });

  it('has room for the prompts and answers of every world', () => {
    for (const { id, longest, taskKinds } of worlds)
      if (taskKinds.includes('verifiable')) {
        const { nodes } = planned({
          base: { ...onSorting, task: { kind: 'world', world: { id }, longest }, maxTokens: longest.answer },
        });
        const [base] = nodes;
        const policy = base.kind === 'run' ? base.checked.models.policy : null;
        if (policy?.kind !== 'new') throw new Error('the start is not new');
        expect(policy.architecture.context, id).toBeGreaterThanOrEqual(longest.prompt + longest.answer);
      }
  });

  it('shares the settings of a run, but not its rewards, name and length', () => {
    const spec = checkSpec({
      ...smallSpec(),
      name: 'mine',
      method: { id: 'rloo' },
      task: { kind: 'dataset', datasetId: 'd' },
      rewards: [{ id: 'match/numeric' }],
      evaluation: { problems: 100, every: 10, samples: 3, rewards: [{ id: 'length' }] },
    });
    const base = { kind: 'run', spec, verifier: { id: 'match/numeric' } } as const;
    const [{ spec: first }, , { spec: last }] = armsOf(planned({ base }));
    expect(first).toMatchObject({
      name: '',
      seed: 4,
      method: { id: 'rloo' },
      task: { datasetId: 'd' },
      budget: { steps: 1, batch: spec.budget.batch },
      // a budget would begin a schedule anew
      optimizer: { schedule: 'constant', warmup: 0 },
      rewards: [{ id: 'snippet' }],
      evaluation: { problems: 2, every: 0, samples: 3, rewards: [{ id: 'match/numeric' }, { id: 'length' }] },
    });
    expect(last).toMatchObject({ rewards: [{ id: 'match/numeric' }] });
  });

  it('demands nothing of the judges that its rewards replace', () => {
    const spec = checkSpec({ ...smallSpec(), demand: { accuracy: 0.8, probes: ['padded'] } });
    for (const { spec: own } of armsOf(planned({ base: { kind: 'run', spec, verifier: null } })))
      expect(own.demand).toEqual({ probes: [], accuracy: 0 });
  });

  it('judges every candidate by the same verifier, with its parameters', () => {
    const verifier = { id: 'match/exact', params: { part: 'last-line' } };
    const spec = checkSpec({
      ...smallSpec(),
      task: { kind: 'dataset', datasetId: 'd' },
      rewards: [verifier],
      evaluation: { rewards: [{ id: 'match/normalised' }, verifier] },
    });
    const base = { kind: 'run', spec, verifier: spec.rewards[0] } as const;
    for (const { spec: own } of armsOf(planned({ base }))) {
      const { rewards, evaluation } = checkSpec(own);
      const judges = [...rewards, ...evaluation.rewards].filter(({ id }) => id.startsWith('match/'));
      expect(judges[0]).toMatchObject(verifier);
      expect(evaluation.rewards.map(({ id }) => id)).toEqual(['match/exact', 'match/normalised']);
    }
  });

  it('is refused with the field', () => {
    const where = (change: Partial<ArenaSettings>) =>
      caught(() => arenaPlan({ ...settings, ...change })).where;
    const [ending] = exampleRewards;
    expect(where({ candidates: [ending], withVerifier: false })).toBe('candidates');
    expect(where({ candidates: [ending, ending] })).toBe('candidates');
    expect(where({ candidates: [{ ...ending, id: 'verifier' }] })).toBe('candidates');
    expect(where({ candidates: [{ ...ending, code: ' \n' }] })).toBe('candidates');
    expect(where({ budgets: 2 })).toBe('budgets');
    expect(where({ base: onRows(null) })).toBe('start');
  });

  it('runs to its end on a dataset, judged by its references', { timeout: 240_000 }, async () => {
    const { services, api } = await servicesForTest({ engine: null });
    const ended = async (plan: object) => {
      const found = await followPlan(services, await plansOf(services).launch(plan), {});
      expect(found.nodes.filter(({ state }) => state !== 'done')).toEqual([]);
      return found;
    };
    const { nodes } = await ended({ nodes: (arenaPlan(settings) as { nodes: object[] }).nodes.slice(0, 1) });
    const [{ id: checkpointId }] = await api.runs.checkpoints({ runId: nodes[0].runId ?? '' });
    const { store } = services;
    const datasetId = await store.datasets.stage({ name: 'lists', source: 'test' });
    const rows = Array.from({ length: 20 }, (_none, row): DatasetRow => ({
      row,
      line: row + 1,
      promptId: `p${row}`,
      prompt: `sort ${9 - (row % 10)} ${row % 7}?`,
      answer: '',
      reference: [9 - (row % 10), row % 7].toSorted().join(' '),
      correct: null,
      source: 'test',
    }));
    await store.datasets.append(datasetId, rows, []);
    await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
    const base = onRows({ kind: 'checkpoint', checkpointId }, datasetId);
    const { arenas } = await ended(arenaPlan({ ...settings, base }));
    expect(arenas[0].candidates.map(({ id, scores }) => [id, scores.length])).toEqual([
      ['ending', 1],
      ['words', 1],
      ['verifier', 1],
    ]);
    expect(arenas[0].pulls.every(({ value }) => value !== null)).toBe(true);
    expect(arenas[0].candidates[0].interval).not.toBeNull();
  });
});
