import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { checkSpec, methods, planNodes, worlds } from '../../engine/index.ts';
import { previewOf } from '../../main/plans/facts.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { ArenaForm } from '../../renderer/features/plans/new/arena-form.svelte.ts';
import Form from '../../renderer/features/plans/new/ArenaForm.svelte';
import AddCandidate from '../../renderer/features/plans/AddCandidate.svelte';
import { leadsOn } from '../../renderer/features/runs/leads-on.ts';
import { noFindings } from '../support/findings.ts';

const dataset = (id: string, name: string, verifier: string | null): Dataset => ({
  id,
  name,
  source: '',
  hash: '',
  createdAt: 0,
  rows: 9,
  doctor: { ...noFindings, references: verifier === null ? 0 : 9, verifier },
});
const runOf = (id: string, own: object) => ({
  id,
  name: id,
  spec: checkSpec({
    method: { id: 'grpo' },
    models: { policy: { kind: 'model', modelId: 'm' } },
    task: { kind: 'dataset', datasetId: 'd' },
    ...own,
  }),
});
const runs = [
  runOf('by match', { rewards: [{ id: 'match/exact', params: { part: 'last-line' } }] }),
  runOf('by length', { task: { kind: 'dataset', datasetId: 'bare' }, rewards: [{ id: 'length' }] }),
  runOf('imitation', { method: { id: 'sft' } }),
  runOf('watched imitation', { method: { id: 'sft' }, rewards: [{ id: 'match/exact' }] }),
  runOf('search', { method: { id: 'search-rounds' }, rewards: [{ id: 'match/exact' }] }),
];

/** The form on a workspace with these; the plans that it launched. */
async function open() {
  const launched: unknown[] = [];
  const tried: unknown[] = [];
  const client = {
    plans: {
      preview: ({ plan }: { plan: unknown }) =>
        Promise.resolve({ ...previewOf(planNodes(plan, checkSpec)), known: null }),
      launch: ({ plan }: { plan: unknown }) => {
        launched.push(plan);
        return Promise.resolve({ id: 'made' });
      },
    },
    models: { list: () => Promise.resolve([{ id: 'm', name: 'Qwen', head: 'next-token' }]) },
    runs: { checkpoints: () => Promise.resolve([]), catalogue: () => Promise.resolve({ worlds, methods }) },
    datasets: {
      list: () =>
        Promise.resolve([
          dataset('d', 'My FAQ', 'match/exact'),
          { ...dataset('gaps', 'Half a FAQ', 'match/exact'), rows: 11 },
          dataset('bare', 'prompts', null),
        ]),
    },
    rewards: {
      trySnippet: ({ code, task }: { code: string; task: unknown }) => {
        tried.push(task);
        const error = code.includes('missing') ? { kind: 'invalid-input', message: 'no such field' } : null;
        return Promise.resolve([{ prompt: 'p', completion: 'c', value: error ? null : 1, error, log: '' }]);
      },
    },
  };
  const form = new ArenaForm(client as never);
  await form.load(
    runs as never,
    undefined,
    () => 'base',
    () => null,
  );
  const texts: string[] = [];
  render(Form, { form, onlaunch: () => void form.launch(), onedit: (text: string) => texts.push(text) });
  return { form, launched, texts, tried };
}
const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Launch the plan' });
const ready = () => waitFor(() => expect(button().disabled).toBe(false));
const choose = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const optionsOf = (label: string) =>
  [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ value }) => value);

describe('the form of a reward arena', () => {
  it('shows the nodes of the default arena, tries each reward, and launches it', async () => {
    const { form, launched, texts, tried } = await open();
    await waitFor(() =>
      expect(screen.getByRole('status').textContent).toMatch(/17 nodes, 17 runs, 280 steps/),
    );
    await fireEvent.click(screen.getByRole('button', { name: 'Edit as JSON' }));
    await fireEvent.click(button());
    // a change after the click is not launched
    form.candidates[2].code = '(row) => row.missing.length';
    await waitFor(() => expect(launched).toEqual([JSON.parse(texts[0])]));
    expect(tried).toHaveLength(3);
    expect(tried[0]).toMatchObject({ kind: 'world', id: 'sorting', params: { levels: 1 } });
  });

  it('launches nothing while a reward fails on an answer, and names it', async () => {
    const { form, launched } = await open();
    form.candidates[1].code = '(row) => row.missing.length';
    await ready();
    await fireEvent.click(button());
    await waitFor(() => expect(screen.getByText(/The reward “words” fails on an answer/)).toBeTruthy());
    expect(launched).toEqual([]);
  });

  it('offers tasks whose answers can be judged, and suggests lengths and rates until others are typed', async () => {
    const { form, launched, tried } = await open();
    expect(optionsOf('Task')).toContain('dataset:d');
    expect(optionsOf('Task')).not.toContain('dataset:bare');
    await choose('Task', 'dataset:d');
    expect(form.maxTokens.value).toBe(48);
    await waitFor(() => expect(screen.getByText(/Choose a model: a new one/)).toBeTruthy());
    await choose('Start', 'model:m');
    expect(form.rate.value).toBe(5e-6);
    await choose('Task', 'dataset:gaps');
    await waitFor(() => expect(screen.getByText(/2 rows of “Half a FAQ” have no reference/)).toBeTruthy());
    await choose('Task', 'dataset:d');
    await ready();
    await fireEvent.click(button());
    await waitFor(() => expect(launched).toHaveLength(1));
    expect(tried).toEqual(Array(3).fill({ kind: 'dataset', datasetId: 'd' }));
    form.maxTokens.set(20);
    await choose('Task', 'world:arithmetic');
    expect(form.maxTokens.value).toBe(20);
  });

  it('takes the settings of a run, and says if nothing judges its answers', async () => {
    const { form, texts } = await open();
    expect(optionsOf('Settings')).toEqual(['', 'by match', 'by length']);
    await choose('Settings', 'by match');
    expect(screen.queryByLabelText('Task')).toBeNull();
    await ready();
    await fireEvent.click(screen.getByRole('button', { name: 'Edit as JSON' }));
    expect(JSON.parse(texts[0]).nodes[0].candidates[0].spec).toMatchObject({
      evaluation: { rewards: [{ id: 'match/exact', params: { part: 'last-line' } }] },
    });
    form.runId = 'by length';
    await waitFor(() => expect(screen.getByText(/has no references/)).toBeTruthy());
  });

  it('is offered by runs that learned from their rewards, not by those that recorded them', () => {
    const offers = (id: string, learnsFrom: string) =>
      leadsOn(runs.find((run) => run.id === id) as never, {
        learnsFrom,
        probed: null,
        evolving: null,
      }).map(({ title }) => title);
    expect(offers('by match', 'verifiable')).toEqual(['Reward arena…']);
    expect(offers('watched imitation', 'demonstrations')).toEqual([]);
    expect(offers('search', 'prompts')).toEqual([]);
  });

  it('adds and removes rewards, each with a name of its own', async () => {
    const { form } = await open();
    await fireEvent.click(screen.getByRole('button', { name: 'Add a reward' }));
    form.candidates[3].id = 'reward-5';
    await fireEvent.click(screen.getByRole('button', { name: 'Add a reward' }));
    expect(form.candidates.map(({ id }) => id).slice(3)).toEqual(['reward-5', 'reward-6']);
    await fireEvent.click(screen.getByRole('button', { name: 'Remove ending' }));
    expect(form.candidates.map(({ id }) => id)).toEqual(['words', 'brief', 'reward-5', 'reward-6']);
    expect(document.activeElement?.textContent).toBe('Add a reward');
    form.candidates[0].id = 'brief';
    await waitFor(() => expect(screen.getByText(/Two candidates have the name “brief”/)).toBeTruthy());
    form.candidates[0].id = 'a b';
    await waitFor(() => expect(screen.getByText(/An id has letters/)).toBeTruthy());
  });
});

describe('a reward that joins an arena', () => {
  it('begins from the policy of a candidate, if one is chosen', async () => {
    const added: unknown[] = [];
    render(AddCandidate, {
      origins: [{ id: 'exact', isLeading: true }],
      onadd: (wish) => {
        added.push(wish);
        return Promise.resolve(true);
      },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Add a reward…' }));
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'heir' } });
    await choose('Begins from', 'exact');
    await fireEvent.click(screen.getByRole('button', { name: 'Add to the arena' }));
    await waitFor(() => expect(added).toMatchObject([{ name: 'heir', origin: 'exact' }]));
  });
});
