import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { leadsOn } from '../../renderer/features/runs/leads-on.ts';
import RunHeader from '../../renderer/features/runs/RunHeader.svelte';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import { notProbed, onlyReads } from '../../renderer/features/runs/form/probing.ts';
import { dataGroups } from '../../renderer/features/runs/form/quick.ts';
import { probe } from '../../renderer/lib/starts.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';
import { LaunchView } from '../../renderer/views/launch.svelte.ts';
import { catalogue, checkpoint, openForm } from '../support/launch-form.ts';

afterEach(cleanup);

/** A run that trained a new model of a kind of tokenizer on a world. */
const runOn = (id: string, world: string, tokenizer: 'characters' | 'bytes') => ({
  id: `run of ${id}`,
  spec: checkSpec({
    method: { id: 'sft' },
    models: { policy: { kind: 'new', architecture: {}, tokenizer: { kind: tokenizer } } },
    task: { kind: 'world', id: world },
    sampling: { maxTokens: 30 },
  }),
});
const datasetOf = (id: string, references: number) =>
  ({
    id,
    name: id,
    rows: 9,
    doctor: { references, pairs: 0, correct: 0, wrong: 0, verifier: null },
  }) as Dataset;
const stock = {
  checkpoints: ['sums', 'copier', 'reader'].map((id) => checkpoint(id)),
  runs: [
    runOn('sums', 'arithmetic', 'characters'),
    runOn('copier', 'toy/copy', 'characters'),
    runOn('reader', 'toy/copy', 'bytes'),
  ],
  datasets: [datasetOf('checked', 9), datasetOf('unchecked', 0)],
};
const startOf = (checkpointId: string) => ({ kind: 'checkpoint', checkpointId });
const all = openForm({}, { stock }).launch.stock;
const ert = catalogue.methods.find(({ id }) => id === 'ert');
const offered = (policy: object) =>
  dataGroups(all, ert, policy).flatMap(({ choices }) => choices.map(({ value }) => value));

const client = {
  runs: {
    catalogue: async () => structuredClone(catalogue),
    checkpoints: async () => stock.checkpoints,
    list: async ({ archived = false }) => (archived ? [] : stock.runs),
    check: async ({ spec }: { spec: unknown }) => checkSpec(spec),
    preflight: () => () => undefined,
  },
  system: { devices: async () => [{ id: 'cpu', title: 'CPU', state: 'works' }] },
  models: { list: async () => [] },
  datasets: { list: async () => stock.datasets },
  labels: { sets: async () => [] },
} as unknown as ConstructorParameters<typeof LaunchView>[0];
const opened = async (id: string) => {
  const view = new LaunchView(client, () => undefined);
  await view.load(probe({ kind: 'checkpoint', id }));
  return view.launch ?? expect.unreachable('a form');
};

describe('the tasks that a probe offers', () => {
  it('are, for a policy of characters, worlds of its own with wordings in them', () => {
    expect([...(onlyReads(all, startOf('sums')) ?? [])]).toEqual(['arithmetic']);
    expect(offered(startOf('sums'))).toEqual(['arithmetic']);
    expect(offered(startOf('copier'))).toEqual([]);
    const [characters, wordings] = notProbed(all, ert, startOf('copier')).toSorted(
      (a, b) => b.titles.length - a.titles.length,
    );
    expect(characters.why).toBe('The model reads only the characters of “Toy: copy”.');
    expect(characters.titles).toEqual(expect.arrayContaining(['Short arithmetic', 'checked']));
    expect([wordings.titles, wordings.why]).toEqual([['Toy: copy'], expect.stringContaining('no wordings')]);
  });

  it('are, for other policies, every world, and datasets with references', () => {
    for (const policy of [startOf('reader'), { kind: 'model', modelId: 'm' }, startOf('nobody knows')]) {
      expect(onlyReads(all, policy)).toBeNull();
      expect(offered(policy)).toEqual([...catalogue.worlds.map(({ id }) => id), 'checked']);
      expect(notProbed(all, ert, policy).map(({ titles }) => titles)).toEqual([['unchecked']]);
    }
    expect(notProbed(all, catalogue.methods[0], startOf('copier'))).toEqual([]);
  });
});

describe('“Probe…” opens a form', () => {
  it('that is ready to probe a policy on its own world, by that world’s verifier', async () => {
    const launch = await opened('sums');
    expect(launch.problems).toEqual([]);
    expect(checkSpec(launch.draft.plain())).toMatchObject({
      method: { id: 'ert' },
      models: { policy: startOf('sums') },
      task: { kind: 'world', id: 'arithmetic' },
      rewards: [{ id: 'verifier' }],
      sampling: { maxTokens: 30 },
    });
  });

  it('that says why a task cannot be probed, and does not launch it', async () => {
    const launch = await opened('copier');
    expect(launch.blocked).toBe(true);
    expect(launch.problems).toMatchObject([
      { path: ['task'], message: /^Cannot be probed: It has no wordings/ },
    ]);
    render(LaunchForm, { launch });
    await tick();
    expect(screen.getByText(/tasks cannot be probed with this model/)).toBeTruthy();
  });

  it('from the page of a run with a policy', async () => {
    const run = {
      id: 'r',
      name: 'sums',
      method: 'sft',
      state: 'done',
      step: 3,
      warnings: [],
      spec: null,
    } as never;
    const header = { run, mark: markOf(0), produces: 'policy', startRunId: null };
    const calls = { onstop: () => {}, onresume: () => {}, onrename: () => {} };
    const { rerender } = render(RunHeader, { ...header, ...calls, probed: null });
    expect(
      leadsOn(run, { learnsFrom: null, probed: null, evolving: null }).map(({ title }) => title),
    ).toEqual(['Export curves…']);
    await rerender({ probed: 'sums' });
    await fireEvent.keyDown(screen.getByRole('button', { name: 'More' }), { key: 'Enter' });
    expect((await screen.findByRole('menuitem', { name: /^Probe…/ })).getAttribute('href')).toBe(
      '#/runs/new?method=ert&checkpoint=sums',
    );
  });
});
