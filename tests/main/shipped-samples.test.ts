/** Finished samples: made once, copied whole for each user, and opened with what they made. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeSamples, samplePlans } from '../../main/checkout/samples.ts';
import { ShippedSamples } from '../../main/services/shipped-samples.ts';
import { createFolder } from '../../main/store/folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesIn, smallSpec } from '../support/workspace.ts';

const plans = ['first', 'second'].map((title) => ({
  title,
  plan: {
    name: title,
    nodes: [{ id: 'learn', spec: smallSpec({ name: title, budget: { steps: 4, batch: 4 } }) }],
  },
}));

/** A workspace that ships, of this name, without anything in it. */
const shippedIn = async (home: string): Promise<string> => {
  const folder = join(home, 'shipped');
  await (await createFolder(folder, 'Samples')).close();
  return folder;
};

it('samples that ran elsewhere are opened with their results', { timeout: 120_000 }, async () => {
  const home = temporaryFolder();
  const said: string[] = [];
  await makeSamples(join(home, 'shipped'), plans, (line) => said.push(line));
  expect(said).toHaveLength(3);
  expect(said[2]).toMatch(/^\d+\.\d MB$/);

  const samples = new ShippedSamples(join(home, 'shipped'), join(home, 'users', 'samples'));
  const bench = await servicesIn(home, { samples });
  const { path, name } = await bench.api.workspaces.openSamples({});
  expect([path, name]).toEqual([join(home, 'users', 'samples'), 'Samples']);
  const found = await bench.api.plans.list({});
  expect(found.map(({ name, state }) => [name, state]).sort()).toEqual([
    ['first', 'done'],
    ['second', 'done'],
  ]);
  const { id } = await bench.api.plans.launch({ plan: plans[0].plan });
  expect(found.map((plan) => plan.id)).toContain(id);
  const runs = (await bench.api.runs.list({ archived: false })).map((run) => run.id);
  expect(runs).toHaveLength(2);
  for (const runId of runs) expect(await bench.api.runs.checkpoints({ runId })).not.toEqual([]);
  await bench.close();
});

it('what a user changes in the copy stays, and two clicks make one copy', async () => {
  const home = temporaryFolder();
  const samples = new ShippedSamples(await shippedIn(home), join(home, 'samples'));
  const bench = await servicesIn(home, { samples });
  const { api } = bench;
  const opened = await Promise.all([api.workspaces.openSamples({}), api.workspaces.openSamples({})]);
  expect(opened.map(({ path }) => path)).toEqual([join(home, 'samples'), join(home, 'samples')]);
  expect(readdirSync(home).filter((name) => name.startsWith('samples'))).toEqual(['samples']);
  await api.workspaces.rename({ name: 'mine' });
  await api.workspaces.open({ path: join(home, 'workspace') });
  expect((await api.workspaces.openSamples({})).name).toBe('mine');
  await bench.close();
});

it('without samples nothing is offered; a copy that cannot be made is not left half', async () => {
  const home = temporaryFolder();
  const none = await servicesIn(home, { samples: new ShippedSamples(null, join(home, 'samples')) });
  expect(await none.api.workspaces.samples({})).toBeNull();
  await expect(none.api.workspaces.openSamples({})).rejects.toMatchObject({ kind: 'not-found' });
  await none.close();

  writeFileSync(join(home, 'users'), 'a file, where a folder should be');
  const blocked = await servicesIn(home, {
    path: join(home, 'other'),
    samples: new ShippedSamples(await shippedIn(home), join(home, 'users', 'samples')),
  });
  await expect(blocked.api.workspaces.openSamples({})).rejects.toThrow();
  expect((await blocked.api.workspaces.current({}))?.path).toBe(join(home, 'other'));
  await blocked.close();

  mkdirSync(join(home, 'taken', 'samples'), { recursive: true });
  writeFileSync(join(home, 'taken', 'samples', 'mine.txt'), 'of somebody else');
  const taken = await servicesIn(home, {
    path: join(home, 'other'),
    samples: new ShippedSamples(join(home, 'shipped'), join(home, 'taken', 'samples')),
  });
  await expect(taken.api.workspaces.openSamples({})).rejects.toThrow();
  expect(readdirSync(join(home, 'taken'))).toEqual(['samples']);
  expect(existsSync(join(home, 'taken', 'samples', 'workspace.db'))).toBe(false);
  await taken.close();
});

it('each sample has a card of its own on Home', () => {
  const cards = samplePlans().map(({ sample }) => sample);
  expect(cards.length).toBeGreaterThan(7);
  expect(new Set(cards.map((card) => card?.title)).size).toBe(cards.length);
  for (const card of cards) expect(card?.about).toMatch(/\.$/);
});
