import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import { newModel, openForm } from '../support/launch-form.ts';

const open = (start: Record<string, unknown> = newModel) => openForm(start);

describe('the launch form', () => {
  it('says what will run and what differs from its offers, after a change of any field', async () => {
    const { launch } = open();
    launch.chooseMethod('sft');
    render(LaunchForm, { launch });
    const summary = within(screen.getByRole('region', { name: 'What will run' }));
    await waitFor(() => expect(summary.getByText('Nothing.')).toBeTruthy());
    await fireEvent.input(screen.getByLabelText('Learning rate'), { target: { value: '0.00077' } });
    await waitFor(() => expect(summary.getByText(/at 0\.00077$/)).toBeTruthy());
    expect(summary.getByText(/→ 0\.00077$/)).toBeTruthy();
    await fireEvent.input(screen.getByLabelText('Width'), { target: { value: '50' } });
    await fireEvent.input(screen.getByLabelText('Heads'), { target: { value: '3' } });
    await waitFor(() => expect(launch.blocked).toBe(true));
    await fireEvent.input(screen.getByLabelText('Heads'), { target: { value: '5' } });
    await waitFor(() => expect(launch.blocked).toBe(false));
    await waitFor(() => expect(summary.getByText(/of width 50,/)).toBeTruthy());
  });

  it('does not count what follows from other data as a difference', async () => {
    const { launch } = open();
    launch.chooseMethod('sft');
    render(LaunchForm, { launch });
    launch.draft.set(['task'], { kind: 'world', id: 'toy/pairs' });
    await waitFor(() => expect(launch.summary?.isOld).toBe(false));
    expect(launch.summary?.differences).toEqual([]);
  });

  it('of a copied run says what differs from it, and launches without a name', async () => {
    const copied = checkSpec({
      ...newModel,
      name: 'first',
      method: { id: 'sft' },
      task: { kind: 'world', id: 'toy/copy' },
    });
    const start: Record<string, unknown> = structuredClone(copied);
    delete start.name;
    const { launch, launched } = open(start);
    render(LaunchForm, { launch });
    await waitFor(() => expect(launch.summary?.isOld).toBe(false));
    await fireEvent.input(screen.getByLabelText('Steps'), { target: { value: '7' } });
    await waitFor(() =>
      expect(launch.summary?.differences).toEqual([
        { path: 'budget.steps', from: copied.budget.steps, to: 7 },
      ]),
    );
    await fireEvent.click(screen.getByRole('button', { name: 'Launch' }));
    await waitFor(() => expect(launched).toHaveLength(1));
  });

  it('learns preferences from worlds that have some, where there are no labels', async () => {
    const { launch } = open();
    for (const goal of ['labels', 'judge'] as const) {
      launch.chooseGoal(goal);
      expect(checkSpec(launch.draft.plain()).task.kind).toBe('world');
    }
    launch.chooseGoal('labels');
    render(LaunchForm, { launch });
    expect(screen.getByRole('link', { name: 'label pairs' })).toBeTruthy();
  });

  it('opens and folds its advanced section by a click, for the next form too', async () => {
    for (const isOpen of [true, false]) {
      const { launch } = open();
      launch.chooseMethod('sft');
      const { container } = render(LaunchForm, { launch });
      const fold = container.querySelector<HTMLDetailsElement>('details.advanced');
      await fireEvent.click(screen.getByRole('heading', { name: 'Advanced' }));
      expect(fold?.open).toBe(isOpen);
      cleanup();
    }
  });

  it('stays folded after a problem in a folded section was solved', async () => {
    const first = open();
    first.launch.chooseMethod('sft');
    first.launch.draft.set(['seed'], 'one');
    const { container } = render(LaunchForm, { launch: first.launch });
    const fold = () => container.querySelector<HTMLDetailsElement>('details.advanced');
    await waitFor(() => expect(fold()?.open).toBe(true));
    cleanup();
    const second = open();
    second.launch.chooseMethod('sft');
    render(LaunchForm, { launch: second.launch });
    await tick();
    expect(document.querySelector<HTMLDetailsElement>('details.advanced')?.open).toBe(false);
  });
});
