import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import { goalOf, goals, methodsFor } from '../../renderer/features/runs/form/goals.ts';
import { Launching, type Launched } from '../../renderer/features/runs/form/launching.svelte.ts';
import { EstimateState } from '../../renderer/features/runs/form/estimate.svelte.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { noFindings } from '../support/findings.ts';
import { catalogue, checkpoint, newModel, openForm, small } from '../support/launch-form.ts';

afterEach(cleanup);

const sft = { ...newModel, method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } };
const enter = (label: string, value: string) =>
  fireEvent.input(screen.getByLabelText(label, { exact: true }), { target: { value } });
const button = () => document.querySelector<HTMLButtonElement>('button[type="submit"]') as HTMLButtonElement;

describe('several runs at once', () => {
  it('launches every combination of a list and seeds, each with its own name', async () => {
    const { launch, launched } = openForm({ ...sft, name: 'rates' });
    render(LaunchForm, { launch });
    await enter('Learning rate', '0.0003, 0.001');
    await enter('Seeds', '2');
    expect(button().textContent).toBe('Launch 4 runs');
    await fireEvent.submit(button().closest('form') as HTMLFormElement);
    await waitFor(() => expect(launched).toHaveLength(4));
    expect(launched).toMatchObject(
      [
        [0.0003, 0],
        [0.0003, 1],
        [0.001, 0],
        [0.001, 1],
      ].map(([learningRate, seed]) => ({
        optimizer: { learningRate },
        seed,
        name: `rates (learning rate ${learningRate}, seed ${seed})`,
      })),
    );
  });
  it.each([
    ['Learning rate', '0.0003, 0,001', /“0,001” is not a number/],
    ['Learning rate', '0.0003, ', /a number is missing/],
    ['Learning rate', '0.0003, 11', /must be at most 10/],
    ['Steps', '10, 1.5', /must be a whole number/],
    ['Seeds', '0', /must be at least 1/],
    ['Seeds', '1,5', /is not a number/],
    ['Seeds', '', /a number is missing/],
  ])('refuses %s “%s”', async (label, text, message) => {
    const { launch, launched } = openForm(sft);
    render(LaunchForm, { launch });
    await enter(label, text);
    expect(launch.problems.map((problem) => problem.message).join()).toMatch(message);
    expect(button().getAttribute('aria-disabled')).toBe('true');
    await launch.launch();
    expect(launched).toEqual([]);
  });
  it('refuses a number of seeds beside a list of seeds', async () => {
    const { launch } = openForm({ ...sft, seed: '4, 5' });
    render(LaunchForm, { launch });
    expect([launch.problems, launch.sweep.count]).toEqual([[], 2]);
    await enter('Seeds', '3');
    expect(launch.problems.map(({ message }) => message)).toEqual([
      'The field Seed has several seeds already; leave this at 1.',
    ]);
  });
  it('refuses more runs than it can make', async () => {
    const { launch } = openForm(sft);
    render(LaunchForm, { launch });
    await enter('Steps', '1, 2, 3');
    await enter('Seeds', '30');
    expect(launch.problems.map(({ message }) => message)).toEqual([
      '90 runs at once; at most 64 can be made',
    ]);
  });
});

describe('a launch', () => {
  const port = (fail: number) => {
    let count = 0;
    return {
      launch: async () => {
        if (++count === fail) throw new WhetstoneError('conflict', 'The workspace was closed.');
        return { runId: `run ${count}` };
      },
    };
  };
  const never = new EstimateState({ preflight: () => () => undefined });
  const specs = [{ seed: 0 }, { seed: 1 }, { seed: 2 }];

  it('does not wait for an estimate that takes long', async () => {
    const done: Launched[] = [];
    const began = performance.now();
    await new Launching(port(0), never, (each) => done.push(each)).launch(() => [{}], false);
    expect(done).toMatchObject([{ runId: 'run 1', queued: 1, of: 1, error: null }]);
    expect(performance.now() - began).toBeGreaterThan(500);
  });
  it('reports how many of its runs were queued before one failed, and launches none twice', async () => {
    const done: Launched[] = [];
    const launching = new Launching(port(3), never, (each) => done.push(each));
    await launching.launch(() => specs, true);
    await launching.launch(() => specs, true);
    expect(done).toMatchObject([{ runId: 'run 1', queued: 2, of: 3, error: { kind: 'conflict' } }]);
  });
  it('can be tried again where the first of its runs failed', async () => {
    const done: Launched[] = [];
    const launching = new Launching(port(1), never, (each) => done.push(each));
    await launching.launch(() => specs, true);
    expect([launching.refusal?.kind, done]).toEqual(['conflict', []]);
    await launching.launch(() => specs, true);
    expect(done).toMatchObject([{ queued: 3, of: 3 }]);
  });
  it('starts nothing if the form changes meanwhile', async () => {
    let spec = { seed: 0 };
    const done: Launched[] = [];
    const launching = new Launching(port(0), never, (each) => done.push(each));
    const launch = launching.launch(() => [spec], false);
    spec = { seed: 1 };
    await launch;
    expect([launching.refusal?.kind, done]).toEqual(['conflict', []]);
  });
});

describe('goals', () => {
  it('cover every method, each once', () => {
    const everything = ['world', 'dataset', 'labels', 'control'];
    const all = goals.flatMap(({ id }) => methodsFor(catalogue, id, everything).map((method) => method.id));
    expect(all.toSorted()).toEqual(catalogue.methods.map(({ id }) => id).toSorted());
  });
  it('begin with the recommended method', () => {
    const firsts = goals.map(({ id }) => methodsFor(catalogue, id, ['world', 'labels'])[0].id);
    expect(firsts).toEqual(['sft', 'dpo', 'grpo', 'bradley-terry', 'control-ppo']);
  });
  it('put methods without data last', () => {
    const fits = (id: string, has: string[]) => {
      const method = catalogue.methods.find((each) => each.id === id);
      return catalogue.taskKinds
        .find(({ kind }) => kind === method?.task)
        ?.offeredBy.some((kind) => has.includes(kind));
    };
    for (const { id } of goals) {
      const order = methodsFor(catalogue, id, ['labels']).map((method) => fits(method.id, ['labels']));
      expect(order, id).toEqual(order.toSorted((a, b) => Number(b) - Number(a)));
    }
  });
  it.each(goals.map(({ id }) => id))('%s: the form shows at most eight fields at first', async (id) => {
    const { launch } = openForm(newModel, { stock: { checkpoints: [checkpoint('base')] } });
    launch.chooseGoal(id);
    render(LaunchForm, { launch });
    await tick();
    expect(launch.goal).toBe(id);
    expect(goalOf(catalogue, launch.method)).toBe(id);
    const controls = [...document.querySelectorAll('form input, form select, form textarea')].filter(
      (each) => !each.closest('details') && !each.closest('[aria-label="Goal"]'),
    );
    expect(controls.length).toBeGreaterThan(5);
    expect(controls.length).toBeLessThanOrEqual(8);
  });
  it('chooses a trained model to sharpen, and random weights for a base', () => {
    const { launch } = openForm(newModel, { stock: { checkpoints: [checkpoint('base')] } });
    const policy = () => launch.draft.get(['models', 'policy', 'kind']);
    launch.draft.set(['models', 'policy'], undefined);
    launch.chooseGoal('verifier');
    expect([policy(), launch.method?.id]).toEqual(['checkpoint', 'grpo']);
    launch.chooseGoal('base');
    expect([policy(), launch.method?.id]).toEqual(['new', 'sft']);
  });
});

describe('what will run, in words', () => {
  it('is the checked specification, and what was changed of its defaults', async () => {
    const { launch } = openForm(sft);
    launch.checkSoon();
    await waitFor(() => expect(launch.summary).not.toBeNull());
    expect(launch.summary?.differences).toEqual([]);
    const lines = Object.fromEntries((launch.summary?.lines ?? []).map(({ term, text }) => [term, text]));
    expect(lines.Start).toMatch(/^random weights: \d layers? of width \d+/);
    launch.draft.set(['budget', 'steps'], 17);
    expect(launch.summary?.isOld).toBe(true);
    launch.checkSoon();
    await waitFor(() => expect(launch.summary?.isOld).toBe(false));
    expect(launch.summary?.differences).toMatchObject([{ path: 'budget.steps', to: 17 }]);
  });
  it('of a copied run shows only what differs from it', async () => {
    const { launch } = openForm({ ...sft, budget: { steps: 17 }, seed: 3, name: '' });
    launch.checkSoon();
    await waitFor(() => expect(launch.summary).not.toBeNull());
    expect(launch.summary).toMatchObject({ isCopy: true, differences: [] });
    launch.draft.set(['seed'], 4);
    launch.checkSoon();
    await waitFor(() => expect(launch.summary?.differences).toEqual([{ path: 'seed', from: 3, to: 4 }]));
  });
  it('estimates by itself once it is valid', async () => {
    const { launch, asked } = openForm(sft);
    launch.checkSoon();
    await waitFor(() => expect(launch.estimate.value).toEqual(small), { timeout: 3000 });
    expect(asked[0]).toEqual({ dryRun: false });
  });
  it('estimates nothing once the form is left', async () => {
    const { launch, asked } = openForm(sft, { estimates: 'never' });
    launch.checkSoon();
    launch.close();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(asked).toEqual([]);
    launch.checkSoon();
    await waitFor(() => expect(asked).toHaveLength(1), { timeout: 3000 });
    launch.close();
    expect(asked.at(-1)).toBe('let go');
  });
  it('estimates the newest form when it changes during an estimate', async () => {
    const { launch, asked } = openForm(sft, { estimates: 'never' });
    launch.checkSoon();
    await waitFor(() => expect(asked).toHaveLength(1), { timeout: 3000 });
    launch.draft.set(['seed'], 4);
    launch.checkSoon();
    await waitFor(() => expect(asked).toEqual([{ dryRun: false }, 'let go', { dryRun: false }]), {
      timeout: 3000,
    });
  });
});

describe('data that the starting model cannot read', () => {
  const stock = {
    datasets: [
      {
        id: 'prose',
        name: 'prose',
        source: '',
        hash: '',
        createdAt: 0,
        rows: 10,
        doctor: { ...noFindings, answers: 10, meanAnswerCharacters: 300 },
      },
    ],
  };
  const start = { ...newModel, method: { id: 'sft' }, task: { kind: 'dataset', datasetId: 'prose' } };
  const misfit = (where: string) =>
    new WhetstoneError('invalid-input', 'No row fits the context of 96 tokens.', { where });

  it('is reported by the form itself, with a model that can read it in one click', async () => {
    const { launch } = openForm(start, { stock, estimates: misfit('models.policy.architecture.context') });
    render(LaunchForm, { launch });
    launch.checkSoon();
    const remedy = await screen.findByRole(
      'button',
      { name: 'Use a new model: 1024 tokens, bytes' },
      { timeout: 4000 },
    );
    expect(launch.blocked).toBe(true);
    await fireEvent.click(remedy);
    expect(launch.draft.get(['models', 'policy'])).toEqual({
      kind: 'new',
      architecture: { context: 1024 },
      tokenizer: { kind: 'bytes' },
    });
    launch.checkSoon();
    await waitFor(() => expect(screen.queryByText('The starting model cannot read this data.')).toBeNull());
  });
  it('is counted, with the same remedy, if only some rows are too long', async () => {
    const { launch } = openForm(start, { stock, estimates: { ...small, tooLong: 7 } });
    render(LaunchForm, { launch });
    await screen.findByText(/^7 rows of this data exceed the model’s context/, {}, { timeout: 4000 });
    expect(launch.blocked).toBe(false);
    await fireEvent.click(await screen.findByRole('button', { name: /^Use a new model: 1024 tokens/ }));
    await waitFor(() => expect(launch.remedy).toBeNull());
    // no longer context is on offer
    await screen.findByText(/^7 rows of this data exceed/, {}, { timeout: 4000 });
    expect(launch.remedy).toBeNull();
  });
  it('has no remedy by another model if something else is wrong', async () => {
    const { launch } = openForm(start, { stock, estimates: misfit('method.params') });
    launch.checkSoon();
    await waitFor(() => expect(launch.blocked).toBe(true), { timeout: 4000 });
    expect(launch.remedy).toBeNull();
  });
});
