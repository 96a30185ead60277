import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { rescore } from '../../main/use-cases/rescore.ts';
import { trajectory } from '../support/trajectory.ts';
import { servicesForTest } from '../support/workspace.ts';

const policy = {
  kind: 'new',
  architecture: { width: 32, layers: 1, heads: 2, context: 24 },
  tokenizer: { kind: 'characters' },
};

/** A workspace with a short run. */
const ran = async (rewards: readonly object[] = [{ id: 'verifier' }]) => {
  const bench = await servicesForTest({ engine: null });
  const { runId } = await bench.api.runs.launch({
    spec: {
      method: { id: 'grpo', params: { groupSize: 4 } },
      models: { policy },
      task: { kind: 'world', id: 'toy/copy' },
      rewards,
      budget: { steps: 2, batch: 6 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
    },
  });
  await bench.waitForRun(runId);
  const stored = async () =>
    (
      await bench.services.store.samples.query({
        runIds: [runId],
        purpose: 'train',
        promptId: null,
        step: null,
        order: 'oldest',
        offset: 0,
        limit: 100,
      })
    ).samples.map(({ scores }) => scores);
  return { services: bench.services, runId, stored };
};

describe('other rewards on the stored answers of a run', () => {
  it('equal the stored scores if they are the same rewards, and report every step', async () => {
    const { services, runId } = await ran();
    const steps: number[] = [];
    const same = await rescore(
      services,
      runId,
      { rewards: [{ id: 'verifier' }] },
      {
        save: false,
        report: ({ done }) => steps.push(done),
      },
    );
    expect(same).toMatchObject({
      rows: 48,
      reordered: 0,
      moved: [],
      recomputed: { answers: 0, features: 0 },
      total: { correlation: expect.closeTo(1, 9) as number },
      advantages: { meanChange: expect.closeTo(0, 9) as number, signsChanged: 0 },
      faults: 0,
      saved: [],
    });
    expect(same.total.mean).toBeCloseTo(same.total.stored ?? -1, 12);
    expect(steps).toEqual([1, 2]);
  });

  it('use the last attempt of each step, if a resumed run repeated steps', async () => {
    const { services, runId } = await ran();
    const { store } = services;
    await store.runs.setState(runId, 'queued');
    const attempt = await store.runs.beginAttempt(runId, null);
    const rows = [0, 1, 2, 3].map((sample) =>
      trajectory({
        id: `again/${sample}`,
        step: 2,
        purpose: 'train',
        promptId: 'p',
        prompt: 'ab?',
        completion: 'ab',
        sample,
        scores: { verifier: 1 },
      }),
    );
    await store.events.commit([
      { runId, attempt, role: 'policy', step: 2, sequence: 1, at: 0, type: 'trajectories', rows },
    ]);
    await store.runs.setState(runId, 'stopped');
    // 24 of the first step, and those of the repeated second step
    expect(await rescore(services, runId, { rewards: [{ id: 'verifier' }] }, { save: false })).toMatchObject({
      rows: 28,
    });
  });

  it('are stored in addition to the existing scores, which stay unchanged, however often they are saved', async () => {
    const { services, runId, stored } = await ran();
    const before = await stored();
    const { saved, scorers, total } = await rescore(
      services,
      runId,
      { rewards: [{ id: 'verifier' }, { id: 'length', weight: 0.5 }] },
      { save: true },
    );
    await rescore(
      services,
      runId,
      { rewards: [{ id: 'verifier' }, { id: 'length', weight: 0.5 }] },
      { save: true },
    );
    expect(saved).toEqual([
      expect.stringMatching(/^rescored [0-9a-f]{8}\/verifier$/),
      expect.stringMatching(/^rescored [0-9a-f]{8}\/length$/),
    ]);
    expect(total.mean).toBeCloseTo(scorers.verifier.mean + 0.5 * scorers.length.mean, 9);
    const after = await stored();
    after.forEach((scores, at) => {
      expect(scores).toMatchObject(before[at]);
      expect(
        Object.keys(scores)
          .filter((name) => !(name in before[at]))
          .sort(),
      ).toEqual([...saved].sort());
    });
  });

  it(
    'query the initial model of the run again, and reproduce the scores of the run: preference ' +
      'over its answers, novelty of its representations',
    async () => {
      const rewards = [
        { id: 'par', params: { reward: { id: 'length', params: {} }, references: 4 } },
        { id: 'rep-exp', weight: 0.5, params: { dims: 4 } },
      ];
      const { services, runId } = await ran(rewards);
      const same = await rescore(services, runId, { rewards }, { save: false });
      expect(same).toMatchObject({
        rows: 48,
        reordered: 0,
        moved: [],
        advantages: { meanChange: expect.closeTo(0, 6) as number, signsChanged: 0 },
        recomputed: { features: 48 },
      });
      expect(same.recomputed.answers % 4).toBe(0);
      expect(same.recomputed.answers).toBeGreaterThan(0);
      for (const scorer of ['par', 'rep-exp'])
        expect(same.scorers[scorer].mean).toBeCloseTo(same.scorers[scorer].stored ?? NaN, 6);
      expect(
        (
          await rescore(
            services,
            runId,
            { rewards: [{ id: 'par', params: { reward: { id: 'length', params: {} }, references: 1 } }] },
            { save: false },
          )
        ).scorers.par.mean,
      ).not.toBeCloseTo(same.scorers.par.mean, 4);
    },
  );

  it('report which answers change most, and how many change their rank within the group', async () => {
    const { services, runId } = await ran([{ id: 'length' }]);
    const turned = await rescore(
      services,
      runId,
      { rewards: [{ id: 'length', weight: -1 }] },
      { save: false },
    );
    expect(turned.total.correlation).toBeCloseTo(-1, 9);
    const { moved, reordered, advantages, points } = turned;
    const by = moved.map(({ storedAdvantage, nowAdvantage }) => Math.abs(nowAdvantage - storedAdvantage));
    expect(by).toEqual([...by].sort((a, b) => b - a));
    for (const each of moved) expect(each.nowAdvantage).toBeCloseTo(-each.storedAdvantage, 6);
    expect(reordered).toBeGreaterThan(0);
    expect(advantages.signsChanged).toBeCloseTo(moved.length / 48, 9);
    expect(points.now).toEqual(points.stored.map((value) => (value === 0 ? 0 : -value)));
  });

  it('work for a stored run whose budget would now be rejected', async () => {
    const { api, services, waitForRun } = await servicesForTest({ engine: null });
    const enough = checkSpec({
      method: { id: 'direct-advantage', params: { groupSize: 4, criticWarmup: 2, criticEpochs: 1 } },
      models: { policy },
      task: { kind: 'world', id: 'toy/copy' },
      budget: { steps: 3, batch: 2 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
    });
    const stored = { ...enough, budget: { ...enough.budget, steps: 2 } };
    await expect(api.runs.launch({ spec: stored })).rejects.toMatchObject({ where: 'budget.steps' });
    const { id } = await services.store.runs.create(stored, []);
    services.queue.pump();
    expect(await waitForRun(id)).toMatchObject({ state: 'done', step: 2 });
    expect(await rescore(services, id, { rewards: [{ id: 'verifier' }] }, { save: false })).toMatchObject({
      rows: 16,
      total: { correlation: expect.closeTo(1, 9) as number },
    });
  });

  it('can be the same rewards with another total, in which case advantages change and stored scores do not', async () => {
    const { services, runId, stored } = await ran([{ id: 'verifier' }, { id: 'length' }]);
    const before = await stored();
    const gated = await rescore(services, runId, { composer: { id: 'gate' } }, { save: false });
    const expected = before.map(({ verifier, length }) => verifier + (verifier === 1 ? length : 0));
    expect(gated.total.mean).toBeCloseTo(expected.reduce((sum, x) => sum + x, 0) / expected.length, 9);
    expect(gated.total.stored).toBeGreaterThan(gated.total.mean);
    expect(gated.advantages.meanChange).toBeGreaterThan(0);
    await expect(
      rescore(services, runId, { composer: { id: 'gate', params: { scorer: 'style' } } }, { save: false }),
    ).rejects.toMatchObject({ where: 'composer.params.scorer' });
  });

  it('are rejected with the path to the field if they cannot be opened', async () => {
    const { services, runId } = await ran();
    await expect(
      rescore(services, runId, { rewards: [{ id: 'no-such-reward' }] }, { save: false }),
    ).rejects.toMatchObject({ where: expect.stringContaining('rewards') });
    await expect(
      rescore(services, runId, { rewards: [{ id: 'length', params: { worth: 1 } }] }, { save: false }),
    ).rejects.toMatchObject({ kind: 'invalid-input' });
    await expect(
      rescore(services, 'nobody', { rewards: [{ id: 'verifier' }] }, { save: false }),
    ).rejects.toMatchObject({
      kind: 'not-found',
    });
  });
});
