import { ExperimentSpec } from '../../engine/schema/experiment.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { InspectedPair } from '../../engine/schema/inspected-pair.ts';
import type { EngineEvent, EventBody } from '../../engine/schema/messages.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import { contract } from '../../preload/contract/index.ts';
import type { RewardInspection } from '../../engine/schema/evaluation.ts';
import type { ToPage } from '../../preload/wire/wire.ts';
import { handlersOf } from '../../main/ipc/index.ts';
import { connection } from '../../main/ipc/serve.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { ShippedSamples } from '../../main/services/shipped-samples.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { createFolder } from '../../main/store/folder.ts';
import { createHeadToHead } from '../../main/use-cases/head-to-head.ts';
import { nothingFound } from '../support/doctor-cases.ts';
import { cases, type Case, type World } from '../support/endpoint-cases.ts';
import { importedForTest } from '../support/log-cases.ts';
import { modelFacts } from '../support/model-facts.ts';
import { mapReport, mapSummary } from '../support/judge-map-cases.ts';
import { suiteReport, suiteSummary } from '../support/suite-cases.ts';
import { planForTest } from '../support/plan-cases.ts';
import { trajectory } from '../support/trajectory.ts';
import { temporaryFolder } from '../support/folder.ts';
import { derivedForTest, splitForTest } from '../support/derived.ts';
import { importForTest } from '../support/label-cases.ts';
import { datasetForTest, parsedSpec, servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const inspection: RewardInspection = {
  pairs: 1,
  accuracy: 1,
  accuracyInterval: [0, 1],
  ece: 0,
  reliability: [],
  lengthCorrelation: 0,
  scores: [],
  margins: [],
  slices: [],
  baselines: { longest: 0.5, shortest: 0.5 },
  lengthFit: { intercept: 0, slope: 0 },
};

const inspectedPair: InspectedPair = {
  pairId: '0-1',
  promptId: 'p',
  prompt: 'q',
  chosen: 'a',
  rejected: 'b',
  verdict: 'a',
  chosenScore: 1,
  rejectedScore: 0,
  odds: 1,
  chosenTokens: 1,
  rejectedTokens: 1,
  chosenCorrect: null,
  rejectedCorrect: null,
  promptNumber: 0,
  chosenNumber: 0,
  rejectedNumber: 1,
};

/** Stores a finished (or interrupted) run from its events. */
async function runWith(
  store: StoreClient,
  folder: string,
  name: string,
  bodies: readonly EventBody[],
): Promise<string> {
  const { id } = await store.runs.create(parsedSpec({ name }), []);
  await store.runs.beginAttempt(id, null);
  const path = join(folder, 'artifacts', 'runs', id, 'checkpoints', '1-1');
  const all: EventBody[] = [
    { type: 'started', parameters: 7, totalSteps: 1 },
    { type: 'metrics', values: { loss: 0.5 } },
    { type: 'trajectories', rows: [trajectory({ id: `t-${id}`, purpose: 'evaluation', completion: name })] },
    {
      type: 'checkpoint',
      checkpoint: { path, hash: 'h', bytes: 1, parameters: 7, head: 'reward', final: true },
    },
    ...bodies,
  ];
  await store.events.commit(
    all.map((body, i): EngineEvent => ({
      runId: id,
      attempt: 1,
      role: 'policy',
      step: 1,
      sequence: i + 1,
      at: Date.now(),
      ...body,
    })),
  );
  return id;
}

const duelForTest = async (store: StoreClient, runIds: string[]): Promise<string> =>
  (await createHeadToHead({ store }, { runIds, name: '', pairs: 1, seed: 0 })).id;

/** A page's connection, and the entries of the workspace that its calls can refer to. */
async function pageOf({ services, close }: OpenServices) {
  const { store, folder } = services;
  const file = join(dirname(folder), 'rows.jsonl');
  writeFileSync(file, '{"prompt": "q", "completion": "a"}\n');
  const runId = await runWith(store, folder, 'one', [{ type: 'finished', outcome: 'done' }]);
  const inspected: readonly EventBody[] = [
    { type: 'inspected-pairs', from: 0, total: 1, rows: [inspectedPair] },
    { type: 'result', kind: 'reward-inspection', value: inspection },
    { type: 'finished', outcome: 'done' },
  ];
  const rewardRunId = await runWith(store, folder, 'two', inspected);
  const otherRewardRunId = await runWith(store, folder, 'two again', inspected);
  await store.judgeReports.add({ kind: 'map', hash: 'h', runId: rewardRunId, at: 5 }, mapSummary, mapReport);
  const sampledRunId = await runWith(store, folder, 'three', [
    { type: 'trajectories', rows: [trajectory({ id: `written-${runId}`, reply: 'of course' })] },
    { type: 'finished', outcome: 'done' },
  ]);
  // a queued run: it can be stopped, and then resumed
  const otherRunId = (await store.runs.create(parsedSpec({ name: 'waiting' }), [])).id;
  const labeled = await store.labelSets.create({
    name: '',
    from: { kind: 'dataset', datasetId: await datasetForTest(store) },
    pairsPerPrompt: 2,
    onlyDiffering: false,
    seed: 0,
  });
  const world: World = {
    folder: dirname(folder),
    file,
    runId,
    rewardRunId,
    otherRewardRunId,
    otherRunId,
    sampledRunId,
    importedRunId: await importedForTest(store),
    datasetId: await datasetForTest(store),
    derivedId: await derivedForTest(store, await datasetForTest(store)),
    setId: labeled.id,
    duelId: await duelForTest(store, [runId, rewardRunId]),
    importId: await importForTest(store, labeled.id),
    pairId: (await store.labels.queue(labeled.id, [], 1))[0].pairId,
    checkpointId: (await store.checkpoints.list(runId))[0].id,
    spec: smallSpec(),
    suiteReportId: await store.judgeReports.add(
      { kind: 'suite', hash: 'h', runId: null, at: 5 },
      suiteSummary,
      suiteReport,
    ),
    experimentId: (await store.experiments.create('made', ExperimentSpec.parse({ base: smallSpec() }), []))
      .id,
    planId: await planForTest(store),
    idlePlanId: await planForTest(store, 'idle'),
    modelId: (await store.models.add(modelFacts({ folder: join(dirname(folder), 'some-model') }))).id,
  };
  const run = await store.runs.get(runId);
  const by = { author: 'me', query: null };
  await splitForTest(store, world.datasetId);
  for (const value of ['kept', 'undone'])
    await store.curation.mark(world.datasetId, { event: 'tag', value }, [0], by);
  await store.curation.startStep(world.datasetId, 'undo', 'me');
  const content = await store.versions.content(world.datasetId, null);
  await store.versions.save(world.datasetId, 'saved', content, 'me');
  const steps = await store.findings.steps(world.datasetId);
  await store.findings.put(world.datasetId, { steps, summary: nothingFound, sets: [] });
  const listeners = new Set<(frame: ToPage) => void>();
  const line = connection(handlersOf(services), (frame) => listeners.forEach((listen) => listen(frame)));
  let next = 0;
  const ask = (kind: Endpoint['kind'], path: string, input: unknown): Promise<ToPage> =>
    new Promise((resolve) => {
      next += 1;
      const id = next;
      const listen = (frame: ToPage): void => {
        if (frame.id !== id) return;
        listeners.delete(listen);
        resolve(frame);
      };
      listeners.add(listen);
      line.receive(
        kind === 'call' ? { type: 'call', id, path, input } : { type: 'open', id, path, input, credits: 1 },
      );
      // an idle list of runs sends nothing, so trigger an update
      if (path === 'runs.watch')
        setTimeout(() => {
          if (services.isOpen) services.queue.publish(run);
        });
    });
  return { world, ask, store, close };
}

const endpoints = Object.entries(contract).flatMap(([domain, names]) =>
  Object.entries(names as Record<string, Endpoint>).map(([name, { kind }]) => ({
    path: `${domain}.${name}`,
    kind,
    tried: (cases as unknown as Record<string, Record<string, Case<Endpoint> | undefined>>)[domain]?.[name],
  })),
);

/**
 * A workspace for endpoints that leave it open; those that open another one get their own. A new one now and
 * then, since each endpoint adds its entries, and a workspace with more of them takes longer.
 */
let shared: OpenServices | null = null;
let uses = 0;
const PER_WORKSPACE = 20;
const home = mkdtempSync(join(tmpdir(), 'whetstone-'));
const sharedPage = async () => {
  if (uses % PER_WORKSPACE === 0) {
    await shared?.close();
    shared = await servicesIn(join(home, String(uses)));
  }
  uses += 1;
  return await pageOf(shared!);
};
afterAll(async () => {
  await shared?.close();
  rmSync(home, { recursive: true, force: true });
});
/** A page on a workspace of its own, with a shipped workspace of samples. */
const pageForTest = async () => {
  const folder = temporaryFolder();
  await (await createFolder(join(folder, 'shipped'))).close();
  const samples = new ShippedSamples(join(folder, 'shipped'), join(folder, 'samples'));
  return await pageOf(await servicesForTest({ samples }));
};

describe.each(endpoints)('$path', ({ path, kind, tried }) => {
  it('accepts valid input, answers by the contract, and rejects invalid input', async () => {
    if (!tried) throw new Error(`tests/support/endpoint-cases.ts has no case for ${path}`);
    const { world, ask, store } = await (path.startsWith('workspaces.') ? pageForTest() : sharedPage());
    if (path === 'runs.resume') await store.runs.setState(world.otherRunId, 'interrupted');
    const refused = tried.invalid(world);
    const no = await ask(kind, path, refused.input);
    expect(no).toMatchObject({ type: kind === 'call' ? 'refused' : 'end', error: { kind: refused.kind } });
    const yes = await ask(kind, path, tried.valid(world));
    if (tried.refusedByStandIn)
      expect(yes).toMatchObject({
        type: kind === 'call' ? 'refused' : 'end',
        error: { kind: 'unsupported', message: 'The stand-in computes nothing.' },
      });
    else expect(yes).toMatchObject({ type: kind === 'call' ? 'reply' : 'value' });
  });
});

describe('an invalid endpoint', () => {
  it.each([
    'runs',
    'runs.',
    'runs.nothing',
    'nothing.list',
    'runs.list.more',
    'runs.toString',
    '__proto__.list',
    'constructor.name',
    '',
  ])('%j is reported as not found', async (path) => {
    const { ask } = await sharedPage();
    expect(await ask('call', path, {})).toMatchObject({ type: 'refused', error: { kind: 'not-found' } });
    expect(await ask('feed', path, {})).toMatchObject({ type: 'end', error: { kind: 'not-found' } });
  });
  it('a feed cannot be called, and a call cannot be opened as a feed', async () => {
    const { ask } = await sharedPage();
    expect(await ask('feed', 'runs.list', {})).toMatchObject({ type: 'end', error: { kind: 'not-found' } });
    expect(await ask('call', 'runs.watch', {})).toMatchObject({
      type: 'refused',
      error: { kind: 'not-found' },
    });
  });
  it('a call that needs a workspace fails when none is open', async () => {
    const { ask, close } = await pageForTest();
    await close();
    expect(await ask('call', 'runs.list', {})).toMatchObject({
      type: 'refused',
      error: { kind: 'conflict', hint: 'Open or create one first.' },
    });
    expect(await ask('call', 'workspaces.current', {})).toMatchObject({ type: 'reply', output: null });
  });
});
