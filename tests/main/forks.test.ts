import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../engine/models/checkpoint.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import type { Checkpoint, Run } from '../../preload/contract/runs.ts';
import { rejected } from '../support/errors.ts';
import { datasetForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const parentSpec = (own: Partial<RunSpecInput> = {}): RunSpecInput =>
  smallSpec({
    name: 'parent',
    budget: { steps: 8, batch: 8 },
    optimizer: { learningRate: 3e-3, schedule: 'cosine', weightDecay: 0.1 },
    checkpoints: { every: 4, keep: 9 },
    ...own,
  });

const lossOf = async ({ api }: OpenServices, id: string) => {
  const [{ steps, values }] = await api.runs.metrics({
    runIds: [id],
    names: ['loss'],
    from: 0,
    to: null,
    points: 100,
  });
  return [...steps].map((step, at) => [step, values[at]]);
};
const endOf = async (bench: OpenServices, id: string) => {
  const [{ path }] = await bench.api.runs.checkpoints({ runId: id });
  const { model, optimizer } = await readCheckpoint(join(bench.services.folder, path));
  return { parameters: model.parameters.flat, optimizer };
};
/** A finished parent, and its checkpoint of step 4. */
async function parentIn(bench: OpenServices, spec: RunSpecInput): Promise<{ id: string; at4: Checkpoint }> {
  const { runId: id } = await bench.api.runs.launch({ spec });
  expect(await bench.waitForRun(id)).toMatchObject({ state: 'done', error: null });
  const at4 = (await bench.api.runs.checkpoints({ runId: id })).find(({ step }) => step === 4);
  if (!at4) throw new Error('There is no checkpoint of step 4.');
  return { id, at4 };
}
async function forked(bench: OpenServices, fork: string, spec: unknown): Promise<Run> {
  const { runId } = await bench.api.runs.launch({ spec, fork });
  return await bench.waitForRun(runId);
}

describe('a fork of a checkpoint', () => {
  let bench: OpenServices;
  let parent: { id: string; at4: Checkpoint };
  const home = mkdtempSync(join(tmpdir(), 'whetstone-forks-'));
  beforeAll(async () => {
    bench = await servicesIn(home, { engine: null });
    parent = await parentIn(bench, parentSpec());
  });
  afterAll(async () => {
    await bench.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('with nothing changed has the bits of its parent from that step on', async () => {
    const run = await forked(bench, parent.at4.id, parentSpec({ name: 'same' }));
    expect(run).toMatchObject({
      state: 'done',
      error: null,
      step: 8,
      fork: { checkpointId: parent.at4.id, runId: parent.id, step: 4, carries: 'state' },
    });
    expect(run.lineage.checkpoints).toEqual([parent.at4.id]);
    expect(await lossOf(bench, run.id)).toEqual((await lossOf(bench, parent.id)).slice(4));
    expect(await endOf(bench, run.id)).toEqual(await endOf(bench, parent.id));
  });

  it('with another learning rate or more steps continues from that step, with other numbers', async () => {
    const faster = await forked(bench, parent.at4.id, parentSpec({ optimizer: { learningRate: 0.1 } }));
    const [before, after] = [await lossOf(bench, parent.id), await lossOf(bench, faster.id)];
    // the loss of a step is that before its update
    expect(after[0]).toEqual(before[4]);
    expect(after.slice(1)).not.toEqual(before.slice(5));
    const longer = await forked(bench, parent.at4.id, parentSpec({ budget: { steps: 12, batch: 8 } }));
    expect((await lossOf(bench, longer.id)).map(([step]) => step)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('takes only the weights where the training state is not valid, and says why', async () => {
    const spec = parentSpec({ optimizer: { kind: 'lion', learningRate: 1e-4 } });
    expect(await bench.api.runs.fork({ checkpointId: parent.at4.id, spec })).toEqual({
      carries: 'weights',
      step: 4,
      because: ['the optimizer has changed'],
    });
    const run = await forked(bench, parent.at4.id, spec);
    expect(run).toMatchObject({
      state: 'done',
      step: 8,
      fork: { step: 4, carries: 'weights' },
      spec: { models: { policy: { kind: 'checkpoint', checkpointId: parent.at4.id } } },
    });
    expect((await lossOf(bench, run.id))[0][0]).toBe(1);
  });

  it('is refused without steps to take, and of a checkpoint that is not there', async () => {
    const spec = parentSpec({ budget: { steps: 4, batch: 8 } });
    expect(
      await rejected(Promise.resolve(bench.api.runs.launch({ spec, fork: parent.at4.id }))),
    ).toMatchObject({ kind: 'invalid-input', where: 'budget.steps' });
    expect(await rejected(Promise.resolve(bench.api.runs.launch({ spec, fork: 'none' })))).toMatchObject({
      kind: 'not-found',
    });
  });

  it('keeps its parent, and the rows that its parent was trained on', async () => {
    const datasetId = await datasetForTest(bench.services.store, 40);
    const spec = parentSpec({
      task: { kind: 'dataset', datasetId, onlyCorrect: false },
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 16, layers: 1, heads: 2, context: 64 },
          tokenizer: { kind: 'bytes' },
        },
      },
    });
    const own = await parentIn(bench, spec);
    const input = {
      id: datasetId,
      target: { rows: [0, 1, 2] },
      change: { kind: 'exclude' as const },
      author: '',
    };
    for await (const progress of bench.api.curation.change(input, new AbortController().signal))
      void progress;
    const run = await forked(bench, own.at4.id, spec);
    expect(await lossOf(bench, run.id)).toEqual((await lossOf(bench, own.id)).slice(4));
    expect(await rejected(Promise.resolve(bench.api.runs.remove({ id: own.id })))).toMatchObject({
      kind: 'conflict',
    });
  });
});
