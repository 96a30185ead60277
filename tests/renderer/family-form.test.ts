import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { checkSpec, planNodes } from '../../engine/index.ts';
import { previewOf } from '../../main/plans/facts.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { FamilyForm, taskName } from '../../renderer/features/plans/new/family-form.svelte.ts';
import Form from '../../renderer/features/plans/new/FamilyForm.svelte';
import { noFindings } from '../support/findings.ts';

const dataset = (id: string, name: string, own: Partial<Dataset['doctor']> = {}): Dataset => ({
  id,
  name,
  source: '',
  hash: '',
  createdAt: 0,
  rows: 9,
  doctor: { ...noFindings, answers: 9, references: 9, verifier: 'match/exact', ...own },
});
/** Of the runs behind checkpoints: one trained an added model, one a network of a control world. */
const specs: Readonly<Record<string, object>> = {
  r: { task: { kind: 'world' }, models: { policy: { kind: 'model', modelId: 'm' } } },
  control: { task: { kind: 'control' }, models: { policy: { kind: 'network' } } },
};
const checkpoint = { id: 'c', runId: 'r', step: 9, head: 'next-token', createdAt: 0 };

/** The form on a workspace with these; the plans that it launched. */
async function open() {
  const launched: unknown[] = [];
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
    runs: {
      checkpoints: () => Promise.resolve([checkpoint, { ...checkpoint, id: 'net', runId: 'control' }]),
    },
    datasets: {
      list: () =>
        Promise.resolve([dataset('d', 'My FAQ (2)'), dataset('bare', 'prompts', { references: 0 })]),
    },
  };
  const form = new FamilyForm(client as never);
  await form.load(
    () => 'base',
    (runId) => specs[runId] as never,
  );
  const texts: string[] = [];
  render(Form, { form, onlaunch: () => void form.launch(), onedit: (text: string) => texts.push(text) });
  return { form, launched, texts };
}
const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Launch the plan' });
const tick = (name: RegExp | string) => fireEvent.click(screen.getByRole('checkbox', { name }));

describe('the form of a robustness family', () => {
  it('shows the nodes of the default family and launches it', async () => {
    const { launched, texts } = await open();
    await waitFor(() =>
      expect(screen.getByRole('status').textContent).toMatch(/13 nodes, 13 runs, 960 steps/),
    );
    await fireEvent.click(screen.getByRole('button', { name: 'Edit as JSON' }));
    expect(JSON.parse(texts[0])).toMatchObject({ name: 'Robustness family' });
    await fireEvent.click(button());
    expect(launched).toEqual([JSON.parse(texts[0])]);
  });

  it('offers models that generate text, and datasets whose references tell right answers', async () => {
    const { form } = await open();
    const options = [...screen.getByLabelText<HTMLSelectElement>('Start').options].map(({ value }) => value);
    expect(options).toEqual(['', 'model:m', 'checkpoint:c']);
    expect(screen.queryByRole('checkbox', { name: /^prompts/ })).toBeNull();
    await tick(/^My FAQ/);
    expect(form.maxTokens.value).toBe(48);
    await waitFor(() => expect(screen.getByText(/Choose a model: a new one/)).toBeTruthy());
    await fireEvent.change(screen.getByLabelText('Start'), { target: { value: 'model:m' } });
    expect(form.rate.value).toBe(0.01);
    await waitFor(() => expect(button().disabled).toBe(false));
    expect(form.tasks.at(-1)).toEqual({ name: 'my-faq-2', datasetId: 'd', verifier: 'match/exact' });
  });

  it('suggests rates and lengths until others are typed', async () => {
    const { form } = await open();
    // a checkpoint of a run on an added model
    form.begin('checkpoint:c');
    expect(form.rate.value).toBe(0.01);
    form.begin('');
    expect(form.rate.value).toBe(1);
    form.rate.set(3);
    form.begin('model:m');
    expect(form.rate.value).toBe(3);
    form.toggleDataset('d');
    form.toggleDataset('d');
    expect(form.maxTokens.value).toBe(5);
    form.maxTokens.set(20);
    form.toggleDataset('d');
    expect(form.maxTokens.value).toBe(20);
  });

  it('says what is missing: two tasks, one recipe, a number', async () => {
    const { form } = await open();
    await tick('swap');
    await tick('previous');
    await waitFor(() => expect(screen.getByText(/at least two tasks/)).toBeTruthy());
    expect(button().disabled).toBe(true);
    await tick('sort');
    for (const recipe of [...form.recipes]) form.toggleRecipe(recipe);
    await waitFor(() => expect(screen.getByText('Choose at least one recipe.')).toBeTruthy());
    await tick(/^LoRA/);
    await waitFor(() => expect(button().disabled).toBe(false));
    await fireEvent.input(screen.getByLabelText('Seeds'), { target: { value: '0' } });
    await waitFor(() => expect(button().disabled).toBe(true));
  });

  it('names tasks so that ids can have them, each once', () => {
    expect(taskName('Ünïcode Data!', [])).toBe('n-code-data');
    expect(taskName('???', [])).toBe('data');
    expect(taskName('swap', ['swap', 'swap-2'])).toBe('swap-3');
  });
});
