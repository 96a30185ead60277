import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import { passAtK } from '../../../../engine/evaluate/index.ts';
import { openDevice, type Device } from '../../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../../engine/schema/run-spec.ts';
import { SearchCurve } from '../../../../engine/schema/search.ts';
import { runsInOneFolder } from '../../../support/run-in-folder.ts';
import { lastCheckpoint, runInto, toyModel, type Seen } from '../../../support/toy-run.ts';

const { run, writeRows } = runsInOneFolder();
let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-search-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const curveOf = (seen: readonly Seen[]): SearchCurve => {
  const found = seen.findLast((event) => event.type === 'result' && event.kind === 'search');
  return SearchCurve.parse(found?.type === 'result' ? found.value : undefined);
};
const rowsOf = (seen: readonly Seen[]) =>
  seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
const copy = { kind: 'world', id: 'toy/copy' } as const;
const base: RunSpecInput = {
  name: 'search',
  method: { id: 'search', params: { groupSize: 4, answer: 'whole' } },
  models: toyModel,
  task: copy,
  rewards: [{ id: 'length' }],
  budget: { steps: 3, batch: 5 },
  sampling: { maxTokens: 3 },
};

describe('a search', () => {
  test('records every answer, and its oracle is pass@n of the recorded verdicts', async () => {
    const { seen } = await runInto(device, checkSpec(base), join(folder, 'whole'));
    const curve = curveOf(seen);
    expect(curve).toMatchObject({ step: 3, problems: 15, samples: 4 });
    const rows = rowsOf(seen);
    expect(rows).toHaveLength(15 * 4);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(60);
    expect(
      rows.every(({ purpose, scores }) => purpose === 'sample' && [0, 1].includes(scores.verifier)),
    ).toBe(true);
    const oracle = curve.strategies.find(({ id }) => id === 'oracle');
    const groups = Array.from({ length: 15 }, (_, p) => rows.slice(4 * p, 4 * p + 4));
    const right = groups.map((group) => group.reduce((sum, { scores }) => sum + scores.verifier, 0));
    oracle?.points.forEach(({ n, accuracy }) => {
      expect(accuracy).toBeCloseTo(right.reduce((sum, c) => sum + passAtK(4, c, n), 0) / 15, 12);
    });
    // 1 answer is 1 mean answer of tokens
    const tokens = rows.reduce((sum, row) => sum + row.tokens.length - row.promptLength, 0) / 60;
    expect(oracle?.points[0].tokens).toBeCloseTo(tokens, 10);
    expect(curve.strategies.map(({ id }) => id)).toEqual([
      'majority',
      ...['weighted-vote', 'borda'].flatMap((rule) =>
        ['self-certainty', 'likelihood', 'length'].map((by) => `${rule}/${by}`),
      ),
      'rpc',
      'rpc-per-token',
      ...['best-of-n', 'rerank'].flatMap((rule) =>
        ['self-certainty', 'likelihood', 'length'].map((by) => `${rule}/${by}`),
      ),
      'oracle',
    ]);
  });

  test('stopped and resumed has the curve of an uninterrupted one', async () => {
    const spec = checkSpec(base);
    const whole = await runInto(device, spec, join(folder, 'uninterrupted'));
    const first = await runInto(device, spec, join(folder, 'stopped'), { stopAfter: 1 });
    expect(first.outcome).toBe('stopped');
    const second = await runInto(device, spec, join(folder, 'stopped'), {
      attempt: 2,
      resumeFrom: lastCheckpoint(first.seen),
    });
    expect(curveOf(second.seen)).toEqual(curveOf(whole.seen));
    expect(rowsOf(second.seen)).toHaveLength(40);
  });

  test('on a dataset takes the verdict of a reward that compares with references', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({
      promptId: `q${i}`,
      prompt: `${i}?`,
      answer: 'ab',
      reference: 'ab',
      correct: true,
    }));
    const datasets = { d: await writeRows('rows.jsonl', rows) };
    const spec: RunSpecInput = {
      ...base,
      task: { kind: 'dataset', datasetId: 'd', heldout: 0.5 },
      rewards: [{ id: 'match/exact' }],
      budget: { steps: 2, batch: 8 },
    };
    const { seen } = await run(spec, { datasets });
    expect(curveOf(seen).strategies.some(({ id }) => id === 'best-of-n/match/exact')).toBe(false);
    expect(rowsOf(seen).every(({ scores }) => 'match/exact' in scores)).toBe(true);
    await expect(run({ ...spec, rewards: [] }, { datasets })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'rewards',
    });
    await expect(run({ ...spec, budget: { steps: 30, batch: 8 } }, { datasets })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'budget.steps',
    });
  });

  test('by a reward that compares a group’s answers is refused with its path', async () => {
    await expect(run({ ...base, rewards: [{ id: 'length' }, { id: 'majority' }] })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'rewards.1.id',
    });
  });

  test('leaves the model as it was, and costs other runs no column', async () => {
    const { seen } = await runInto(
      device,
      checkSpec({ ...base, method: { id: 'sample', params: { groupSize: 2 } } }),
      join(folder, 'sample'),
    );
    expect(seen.some((event) => event.type === 'result' && event.kind === 'search')).toBe(false);
  });
});

describe('a process verifier', () => {
  test('reranks answers by the least, the product or the last of its steps (Self-PRM), and guides a beam', async () => {
    const steps = { kind: 'world', id: 'toy/steps', params: { wrong: 0.3 } } as const;
    const verifier = await run({
      method: { id: 'process-verifier' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/steps' },
      optimizer: { learningRate: 6e-3 },
      budget: { steps: 250, batch: 32 },
      evaluation: { problems: 0 },
    });
    const policy = await run({
      method: { id: 'sft' },
      models: toyModel,
      task: steps,
      optimizer: { learningRate: 1e-2 },
      budget: { steps: 80, batch: 32 },
      sampling: { maxTokens: 8 },
      evaluation: { problems: 0 },
    });
    const combines = ['min', 'product', 'last'] as const;
    const { seen } = await run(
      {
        method: { id: 'search', params: { groupSize: 8, answer: 'whole' } },
        models: { policy: { kind: 'checkpoint', checkpointId: 'policy' } },
        task: steps,
        rewards: combines.map((combine) => ({
          id: 'reward-model',
          params: { checkpointId: 'verifier', combine },
        })),
        budget: { steps: 1, batch: 40 },
        sampling: { maxTokens: 8 },
      },
      { checkpoints: { policy: policy.saved.path, verifier: verifier.saved.path } },
    );
    const curve = curveOf(seen);
    const at = (id: string) => {
      const line = curve.strategies.find((each) => each.id === id);
      if (!line) throw new Error(`no line ${id}`);
      return line.points.map(({ accuracy }) => accuracy);
    };
    const [, , , majority] = at('majority');
    for (const name of ['reward-model', 'reward-model#2']) {
      expect(at(`best-of-n/${name}`)[3], name).toBeGreaterThan(majority + 0.2);
      expect(at(`weighted-vote/${name}`)[3], name).toBeGreaterThan(majority + 0.2);
    }
    // the last step alone is a weaker judge than all of them
    expect(at('best-of-n/reward-model#3')[3]).toBeLessThan(at('best-of-n/reward-model')[3]);
    expect(at('best-of-n/total')).toHaveLength(4);
    const steered = {
      method: { id: 'search-beam', params: { groupSize: 8, expand: 4 } },
      models: { policy: { kind: 'checkpoint', checkpointId: 'policy' } },
      task: steps,
      rewards: [{ id: 'reward-model', params: { checkpointId: 'verifier', combine: 'min' } }],
      budget: { steps: 2, batch: 20 },
      sampling: { maxTokens: 8 },
    } satisfies RunSpecInput;
    const checkpoints = { policy: policy.saved.path, verifier: verifier.saved.path };
    const beam = await run(steered, { checkpoints });
    const found = curveOf(beam.seen);
    expect(found).toMatchObject({ problems: 40, samples: 8 });
    const [{ points }] = found.strategies;
    expect(points.map(({ n }) => n)).toEqual([4, 8]);
    expect(points[1].accuracy).toBeGreaterThan(majority + 0.2);
    expect(points[1].tokens).toBeGreaterThan(points[0].tokens);
    // every candidate is recorded, partial answers too, with its verdict and its value
    const rows = rowsOf(beam.seen);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.some(({ completion }) => completion.endsWith('\n'))).toBe(true);
    expect(rows.every(({ scores }) => 'verifier' in scores && 'reward-model' in scores)).toBe(true);
    const sampled = points.reduce((sum, { tokens }) => sum + 40 * tokens, 0);
    expect(rows.length).toBeLessThan(sampled);
    const again = await run(steered, { checkpoints });
    expect(curveOf(again.seen)).toEqual(found);
    await expect(run({ ...steered, rewards: [{ id: 'verifier' }] }, { checkpoints })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'rewards',
    });
  });
});
