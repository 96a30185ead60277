import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanSpecInput } from '../../engine/schema/plan.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { runDemo } from '../../main/demo/index.ts';
import { stages } from '../../main/demo/plan.ts';
import { DemoProgress, demoSecondsLeft, idleDemo } from '../../main/demo/progress.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import type { DemoStatus } from '../../preload/contract/demo.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const world = { id: 'toy/copy', params: {} };
const small = smallSpec();
/** The demo's specifications in seconds: a toy world, few steps, few problems. */
const resized = (spec: RunSpecInput, passes: boolean): RunSpecInput => ({
  ...spec,
  ...(spec.task.kind === 'world' && { task: { kind: 'world', ...world } }),
  ...(spec.models?.policy?.kind === 'new' && { models: small.models }),
  // one pass gives its own steps
  budget: passes ? { batch: 8 } : spec.name === 'base' ? { steps: 150, batch: 16 } : { steps: 3, batch: 8 },
  sampling: { maxTokens: 8 },
  evaluation: {
    ...spec.evaluation,
    problems: spec.evaluation?.problems === 0 ? 0 : 10,
    samples: 2,
    ...(spec.evaluation?.world && { world }),
  },
});

const resize = (plan: PlanSpecInput): PlanSpecInput => ({
  ...plan,
  nodes: (plan.nodes as { spec?: RunSpecInput; passes?: number }[]).map((node) =>
    node.spec ? { ...node, spec: resized(node.spec, node.passes !== undefined) } : node,
  ),
});

/** Waits for a status of the demo. */
const statusWhere = ({ services }: OpenServices, fits: (status: DemoStatus) => boolean) =>
  new Promise<DemoStatus>((resolve) => {
    const now = services.demo.status;
    if (now && fits(now)) return resolve(now);
    const stop = services.demo.watch((status) => {
      if (!fits(status)) return;
      stop();
      resolve(status);
    });
  });
const ended = ({ state }: DemoStatus): boolean => !['running', 'stopping'].includes(state);

describe('the time left of the demo', () => {
  it('is not known before the first run knows its own', () => {
    expect(demoSecondsLeft('base', { before: 0, inStage: 2, stageLeft: null })).toBeNull();
  });
  it('scales the later stages by the first, as soon as that one knows its end', () => {
    const slow = 2 * stages.base.seconds;
    const left = demoSecondsLeft('base', { before: 0, inStage: 10, stageLeft: slow - 10 });
    expect(left).toBeCloseTo(2 * (idleDemo.secondsLeft ?? 0) - 10);
  });
  it('counts the stage at hand by its plan while it knows nothing', () => {
    const left = demoSecondsLeft('answers', {
      before: 3 * stages.base.seconds,
      inStage: 8,
      stageLeft: null,
    });
    expect(left).toBeCloseTo(3 * ((idleDemo.secondsLeft ?? 0) - stages.base.seconds) - 8);
  });
  it('is not negative while a stage takes longer than planned', () => {
    const left = demoSecondsLeft('grpo-remedied', { before: 200, inStage: 900, stageLeft: null });
    expect(left).toBe(0);
  });
});

it('collects the policies in their order, each once, and its share never falls', () => {
  let now = 0;
  const progress = new DemoProgress(() => now);
  const run = (id: string, state: Run['state'], step: number) =>
    ({ id, state, step, totalSteps: 10, secondsLeft: 10 - step }) as Run;
  const shares: number[] = [];
  for (const stage of Object.keys(stages) as (keyof typeof stages)[]) {
    for (const change of [
      null,
      run(stage, 'running', 5),
      run(stage, 'done', 10),
      run(stage, 'done', 10),
    ] as const) {
      now += 1000;
      const { share, policies } = progress.at(stage, change);
      shares.push(share ?? -1);
      if (stage === 'grpo-remedied' && change?.state === 'done')
        expect(policies).toEqual([
          'base',
          'sft-continued',
          'dpo',
          'grpo-verifier',
          'grpo-reward-model',
          'grpo-remedied',
        ]);
    }
  }
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeCloseTo(1);
});

it('runs the whole loop: every stage in order, a label set, a report', async () => {
  const bench = await servicesForTest({ engine: null });
  const { folder } = bench.services;
  const seen: string[] = [];
  const { result, findings } = await runDemo(bench, {
    folder,
    seed: 0,
    log: () => undefined,
    resize,
    onStage: (stage) => {
      if (seen.at(-1) !== stage) seen.push(stage);
    },
  });
  expect(seen).toEqual(Object.keys(stages));
  expect(result.policies.map(({ name }) => name)).toEqual(
    seen.filter((name) => stages[name as keyof typeof stages].isPolicy && name !== 'base'),
  );
  expect(readFileSync(join(folder, 'demo-seed-0.html'), 'utf8')).toContain('grpo-remedied');
  expect(findings).toHaveLength(4);
  expect(findings[0]).toMatch(/^GRPO with the verifier: pass@1 \.\d+/);
  const [set] = await bench.api.labels.sets({});
  expect([set.name, set.labeled]).toEqual(['scripted labels', set.pairs]);
});

describe('the demo in an open workspace', () => {
  it('runs once at a time, holds the workspace open, and stops with its run', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const { api } = bench;
    await api.demo.start({ seed: 0 });
    const { runId } = await statusWhere(bench, ({ finished, share }) => finished === 0 && share > 0);
    expect(await rejected(Promise.resolve().then(() => api.demo.start({ seed: 1 })))).toMatchObject({
      kind: 'conflict',
      message: 'The demo is already running in this workspace.',
    });
    const elsewhere = { path: join(temporaryFolder(), 'other'), name: '' };
    expect(await rejected(Promise.resolve(api.workspaces.create(elsewhere)))).toMatchObject({
      kind: 'conflict',
    });
    await api.demo.stop({});
    expect(await statusWhere(bench, ended)).toMatchObject({ state: 'stopped', error: null, runId: null });
    expect((await api.runs.get({ id: runId ?? '' })).state).toBe('stopped');
    expect(await api.runs.list({ archived: false })).toHaveLength(1);
  });

  it('ends as stopped when its run is stopped by itself, and can be started again', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const { api } = bench;
    await api.demo.start({ seed: 0 });
    const { runId } = await statusWhere(bench, ({ share }) => share > 0);
    await api.runs.stop({ id: runId ?? '' });
    expect(await statusWhere(bench, ended)).toMatchObject({ state: 'stopped' });
    await api.demo.start({ seed: 0 });
    expect(bench.services.demo.status).toMatchObject({ state: 'running', finished: 0, error: null });
  });

  it('says what failed, and where', async () => {
    const bench = await servicesForTest();
    const runs = join(bench.services.folder, 'artifacts', 'runs');
    rmSync(runs, { recursive: true, force: true });
    writeFileSync(runs, 'a file in the way of its folders');
    await bench.api.demo.start({ seed: 0 });
    expect(await statusWhere(bench, ended)).toMatchObject({
      state: 'failed',
      error: { where: "run 'base'", message: expect.any(String) },
    });
    expect(bench.services.demo.active).toBe(false);
  });

  it('ends with its workspace, which opens again without it', async () => {
    const home = temporaryFolder();
    const bench = await servicesIn(home, { engine: ['slow'] });
    await bench.api.demo.start({ seed: 0 });
    await statusWhere(bench, ({ share }) => share > 0);
    await bench.close();
    const again = await servicesIn(home, { engine: [] });
    expect(existsSync(join(home, 'workspace', 'demo-seed-0.html'))).toBe(false);
    expect(again.services.demo.status).toBeNull();
    expect((await again.api.runs.list({ archived: false })).map(({ state }) => state)).not.toContain(
      'running',
    );
    await again.close();
  });
});
