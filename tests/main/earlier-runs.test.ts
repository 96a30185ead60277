import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { servicesIn, smallSpec } from '../support/workspace.ts';

/** The configuration of a GRPO run in a workspace of schema 5, from before parameters were renamed. */
const stored = {
  version: 1,
  name: 'earlier',
  method: {
    id: 'grpo',
    params: {
      size: 4,
      clip: 0.2,
      klWeight: 0.01,
      sd: 'none',
      average: 'sequence',
      dropFlat: false,
      passes: 2,
    },
  },
  models: {
    policy: {
      kind: 'new',
      architecture: { family: 'gpt2', width: 32, layers: 1, heads: 2, context: 24 },
      tokenizer: { kind: 'characters' },
    },
  },
  adapter: { kind: 'none' },
  task: { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 2, wrong: 0.5, heldout: 0.25 } },
  rewards: [{ id: 'verifier', weight: 1, params: { value: 'reward' } }],
  controllers: [],
  optimizer: {
    kind: 'adamw',
    learningRate: 0.003,
    schedule: 'constant',
    warmup: 5,
    beta1: 0.9,
    beta2: 0.95,
    momentum: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    clipNorm: 1,
    dropout: 0,
  },
  sampling: { temperature: 1, maxTokens: 4 },
  budget: { steps: 6, batch: 8, microTokens: 4096, recompute: false, overcommit: false },
  evaluation: { every: 0, problems: 20, samples: 2, world: null, rewards: [] },
  checkpoints: { every: 2, keep: 3 },
  seed: 3,
  device: 'cpu',
};

it('a run stored before parameters were renamed is shown, compared and resumed with the current names', async () => {
  const home = temporaryFolder();
  const before = await servicesIn(home);
  const { runId } = await before.api.runs.launch({ spec: smallSpec() });
  await before.waitForRun(runId);
  await before.close();
  const db = new Database(join(home, 'workspace', 'workspace.db'));
  db.prepare(
    "insert into runs (id, name, state, method, spec, created_at, queued_at) values ('earlier', " +
      "'earlier', 'interrupted', 'grpo', ?, 1, 1)",
  ).run(JSON.stringify(stored));
  db.close();

  const { api, close, waitForRun } = await servicesIn(home);
  onTestFinished(close);
  const run = await api.runs.get({ id: 'earlier' });
  expect(run).toMatchObject({ error: null, state: 'interrupted' });
  const { size, sd, passes, ...same } = stored.method.params;
  const params = { ...same, groupSize: size, scaleBy: sd, epochs: passes };
  expect(run.spec).toEqual({ ...stored, version: 2, method: { id: 'grpo', params } });
  expect((await api.compare.overview({ runIds: ['earlier'] })).rows.map(({ name }) => name)).toEqual([
    'earlier',
  ]);
  await api.runs.resume({ id: 'earlier' });
  await waitForRun('earlier');
  expect(await api.runs.get({ id: 'earlier' })).toMatchObject({ state: 'done', step: 6 });
  // as the form does for "launch again"
  expect(await api.runs.check({ spec: run.spec })).toEqual(run.spec);
});
