/** The second round of Satori as a plan of a run's numbers, and run to its end at a small size. */
import { describe, expect, it } from 'vitest';
import { checkSpec, planNodes } from '../../engine/index.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import { followPlan } from '../../main/plans/follow.ts';
import { plansOf } from '../../main/plans/index.ts';
import { distilPlan, noSecondRound, secondRoundOf } from '../../renderer/features/runs/starts/distil-plan.ts';
import { parsedSpec, servicesForTest, smallSpec } from '../support/workspace.ts';

const world = { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 2, wrong: 0.2 } } as const;
const restarts = parsedSpec({
  method: { id: 'satori', params: { good: 0.25, bad: 0.5, depth: 3 } },
  models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
  task: world,
  rewards: [{ id: 'verifier' }, { id: 'reward-model', params: { checkpointId: 'judge' } }],
  optimizer: { learningRate: 3e-4 },
  sampling: { maxTokens: 4 },
  budget: { steps: 30, batch: 16 },
  evaluation: { problems: 8, samples: 2, every: 10 },
  seed: 5,
});
const planned = (spec: RunSpec, change: object = {}) =>
  planNodes(distilPlan(spec, 'restarts', 'trained', { ...secondRoundOf(spec), ...change }), checkSpec).nodes;
const specOf = (nodes: ReturnType<typeof planned>, id: string) => {
  const found = nodes.find((node) => node.id === id);
  if (found?.kind !== 'run') throw new Error(`${id} is no run`);
  return { ...found.checked, passes: found.passes };
};

describe('the second round of Satori', () => {
  it('has the numbers of the run: answers of the trained policy, the base distilled, PPO from prompts', () => {
    const nodes = planned(restarts);
    expect(nodes.map(({ id }) => id)).toEqual(['answers', 'distil:data', 'distil', 'again']);
    expect(specOf(nodes, 'answers')).toMatchObject({
      method: { id: 'sample', params: { groupSize: 8 } },
      models: { policy: { checkpointId: 'trained' } },
      rewards: [{ id: 'verifier' }],
      budget: { steps: 4, batch: 16 },
      seed: 6,
    });
    expect(specOf(nodes, 'distil')).toMatchObject({
      passes: 2,
      models: { policy: { checkpointId: 'base' } },
      optimizer: { learningRate: 8 * 3e-4 },
      evaluation: { problems: 8, samples: 2, every: 0, world: { id: 'toy/copy', params: world.params } },
    });
    expect(specOf(nodes, 'again')).toMatchObject({
      method: { id: 'satori', params: { groupSize: 8, good: 0, bad: 0, depth: 3 } },
      models: { policy: { checkpointId: 'distil' } },
      rewards: restarts.rewards,
      sampling: { temperature: 1.2, maxTokens: 4 },
      // eight answers to each of two prompts: as many answers as one to each of sixteen
      budget: { steps: 30, batch: 2 },
      seed: 5,
    });
  });

  it('keeps about as many answers in an update, however many there are to a prompt', () => {
    const params = { ...restarts.method.params, groupSize: 3 };
    const wide = { ...restarts, method: { ...restarts.method, params } };
    const batches = [1, 8, 100].map(
      (groupSize) => specOf(planned(wide, { groupSize }), 'again').budget.batch,
    );
    expect(batches).toEqual([48, 6, 1]);
    expect(secondRoundOf(wide)).toMatchObject({ prompts: 4 * 48, groupSize: 8 });
    expect(specOf(planned(wide), 'distil').budget.batch).toBe(48);
  });

  it('goes on without the reset as a comparison, if asked for', () => {
    const nodes = planned(restarts, { withControl: true, prompts: 10 });
    expect(specOf(nodes, 'on').models.policy).toMatchObject({ checkpointId: 'trained' });
    expect(specOf(nodes, 'answers').budget).toMatchObject({ steps: 1, batch: 10 });
  });

  it('is refused with a reason: too early, no base, no checkpoint, nothing that tells right answers', () => {
    const run = { state: 'done', spec: restarts } as const;
    const trained = { id: 'trained' };
    expect(noSecondRound(run, trained)).toBeNull();
    expect(noSecondRound({ ...run, state: 'running' }, trained)).toBe('Once the run has ended.');
    expect(noSecondRound({ ...run, spec: null }, trained)).toMatch(/cannot be read/);
    expect(noSecondRound(run, undefined)).toMatch(/last checkpoint was deleted/);
    const { policy } = parsedSpec().models;
    expect(noSecondRound({ ...run, spec: { ...restarts, models: { policy } } }, trained)).toMatch(
      /random weights/,
    );
    const rows = {
      ...restarts,
      task: { ...parsedSpec({ task: { kind: 'dataset', datasetId: 'd' } }).task },
      rewards: restarts.rewards.slice(1),
    };
    expect(noSecondRound({ ...run, spec: rows }, trained)).toMatch(/which answers are right/);
    expect(noSecondRound({ ...run, spec: { ...restarts, rewards: rows.rewards } }, trained)).toBeNull();
  });

  it('runs to its end after a run', { timeout: 180_000 }, async () => {
    const { services, api } = await servicesForTest({ engine: null });
    const ended = async (plan: object) => {
      const found = await followPlan(services, await plansOf(services).launch(plan), {});
      expect(found.nodes.filter(({ state }) => state !== 'done')).toEqual([]);
      return found;
    };
    const small = { task: world, sampling: { maxTokens: 4 }, evaluation: { problems: 8, samples: 1 } };
    const optimizer = { learningRate: 1e-2 };
    const first = await ended({
      nodes: [
        { id: 'base', spec: smallSpec({ ...small, optimizer, budget: { steps: 60, batch: 16 } }) },
        {
          id: 'restarts',
          spec: {
            ...small,
            method: { id: 'satori' },
            models: { policy: { kind: 'checkpoint', checkpointId: { node: 'base' } } },
            budget: { steps: 4, batch: 16 },
          },
        },
      ],
    });
    const run = await api.runs.get({ id: first.nodes[1].runId ?? '' });
    const [trained] = await api.runs.checkpoints({ runId: run.id });
    const spec = run.spec as RunSpec;
    const second = await ended(distilPlan(spec, run.name, trained.id, secondRoundOf(spec)));
    expect(second.nodes.find(({ id }) => id === 'distil:data')?.rows).toBeGreaterThan(0);
    const distilled = await api.runs.get({ id: second.nodes.find(({ id }) => id === 'distil')?.runId ?? '' });
    expect(distilled.lineage.checkpoints).toEqual(run.lineage.checkpoints);
  });
});
