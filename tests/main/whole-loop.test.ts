import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { rejected } from '../support/errors.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

const world = { kind: 'world', id: 'toy/copy', params: {} } as const;
const sampling = { maxTokens: 8 };

/** Runs a spec to its end with the real engine. */
async function finish(bench: OpenServices, spec: RunSpecInput): Promise<string> {
  const { runId } = await bench.api.runs.launch({ spec });
  const run = await bench.waitForRun(runId);
  expect([run.state, run.error]).toEqual(['done', null]);
  return runId;
}
const finalOf = async ({ api }: OpenServices, runId: string) =>
  (await api.runs.checkpoints({ runId })).find((c) => c.final)?.id ?? '';
const from = (checkpointId: string): Pick<RunSpecInput, 'models'> => ({
  models: { policy: { kind: 'checkpoint', checkpointId } },
});
const lossOf = async ({ api }: OpenServices, id: string) =>
  (await api.runs.metrics({ runIds: [id], names: ['loss'], from: 0, to: null, points: 20_000 }))[0];

describe('with the real engine', () => {
  it('a run whose engine is killed continues bit for bit, and no point is lost or repeated', async () => {
    const bench = await servicesForTest({ engine: null });
    const spec = smallSpec({
      sampling,
      budget: { steps: 300, batch: 8 },
      checkpoints: { every: 40, keep: 2 },
    });
    const { runId } = await bench.api.runs.launch({ spec });
    await new Promise<void>((resolve) => {
      const stop = bench.services.queue.watch(({ run }) => {
        if (run.step < 60) return;
        stop();
        process.kill(bench.services.engine.runnerOf() ?? 0, 'SIGKILL');
        resolve();
      });
    });
    expect((await bench.waitForRun(runId)).state).toBe('interrupted');
    await bench.api.runs.resume({ id: runId });
    expect(await bench.waitForRun(runId)).toMatchObject({ state: 'done', attempt: 2, step: 300 });
    const undisturbed = await finish(bench, { ...spec, name: 'undisturbed' });
    const [broken, whole] = [await lossOf(bench, runId), await lossOf(bench, undisturbed)];
    expect([...broken.steps]).toEqual(Array.from({ length: 300 }, (_none, i) => i + 1));
    expect(broken.values).toEqual(whole.values);
  });

  it('demonstrations, samples, labels, reward model, policies and comparison work together', async () => {
    const bench = await servicesForTest({ engine: null });
    const { api, services } = bench;
    const base = await finish(
      bench,
      smallSpec({
        name: 'base',
        sampling,
        budget: { steps: 150, batch: 16 },
        evaluation: { problems: 10, samples: 2 },
      }),
    );
    const start = await finalOf(bench, base);
    const written = await finish(bench, {
      name: 'written',
      method: { id: 'sample', params: { groupSize: 4 } },
      ...from(start),
      task: world,
      rewards: [{ id: 'verifier' }],
      sampling,
      budget: { steps: 2, batch: 12 },
      evaluation: { problems: 0 },
    });
    const set = await api.labels.createSet({
      name: '',
      from: { kind: 'run', runId: written },
      pairsPerPrompt: 4,
      onlyDiffering: false,
      seed: 0,
    });
    const { pairs } = await api.labels.pairs({ setId: set.id, offset: 0, limit: 1000 });
    expect(pairs.length).toBeGreaterThan(20);
    await api.labels.decideMany({
      labeler: 'script',
      decisions: pairs.map((p) => ({ pairId: p.pairId, verdict: p.a < p.b ? 'a' : 'b' })),
    });

    const labels = { kind: 'labels', labelSetId: set.id } as const;
    const reward = await finish(bench, {
      name: 'reward',
      method: { id: 'bradley-terry' },
      ...from(start),
      task: labels,
      budget: { steps: 10, batch: 8 },
    });
    expect((await api.rewards.inspect({ runId: reward })).pairs).toBeGreaterThan(0);
    const { scores } = await api.rewards.score({
      from: { kind: 'run', id: reward },
      items: pairs.slice(0, 3).map((p) => ({ prompt: p.prompt, completion: p.a })),
    });
    expect(scores).toHaveLength(3);
    expect(scores.every(Number.isFinite)).toBe(true);

    const dpo = await finish(bench, {
      name: 'dpo',
      method: { id: 'dpo' },
      ...from(start),
      task: labels,
      sampling,
      budget: { steps: 4, batch: 8 },
      evaluation: { problems: 10, samples: 2, world: { id: 'toy/copy' } },
    });
    const scorer = { id: 'reward-model', params: { checkpointId: await finalOf(bench, reward) } };
    const grpo = await finish(bench, {
      name: 'grpo',
      method: { id: 'grpo', params: { groupSize: 4 } },
      ...from(start),
      task: world,
      rewards: [scorer],
      sampling,
      budget: { steps: 3, batch: 4 },
      evaluation: { problems: 10, samples: 2 },
    });
    const { lineage } = await api.runs.get({ id: grpo });
    expect(lineage.checkpoints.toSorted()).toEqual([start, await finalOf(bench, reward)].toSorted());

    const { rows, differences } = await api.compare.overview({ runIds: [base, dpo, grpo] });
    expect(rows.every((r) => r.evaluation !== null)).toBe(true);
    expect(differences.map((d) => d.path)).toContain('method.id');
    const report = await api.compare.report({
      runIds: [base, dpo, grpo],
      title: 'Three runs',
      path: join(services.folder, '..', 'report.html'),
    });
    expect(readFileSync(report.path, 'utf8')).toBe(report.html);
    expect(report.html).toContain('grpo');
    // references are named, not numbered
    expect(report.html).toContain(`>${set.name}<`);
    expect(report.html).toContain('>reward, step ');
    for (const id of [start, set.id]) expect(report.html).not.toContain(id);

    const [answer] = await services.engine.call('generate', {
      checkpoint: join(services.folder, (await services.store.checkpoints.get(start)).path),
      prompts: [pairs[0].prompt],
      samples: 1,
      temperature: 1,
      maxTokens: 8,
      seed: 1,
    });
    expect(answer.prompt).toBe(pairs[0].prompt);
    for (const [action, word] of [
      [() => api.runs.remove({ id: base }), 'made from'],
      [() => api.labels.removeSet({ id: set.id }), 'made from'],
      [() => api.runs.removeCheckpoint({ id: start }), 'made from'],
    ] as const) {
      expect((await rejected(Promise.resolve(action()))).message).toContain(word);
    }
  });
});
