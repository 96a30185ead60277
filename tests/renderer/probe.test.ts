import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Gallery } from '../../preload/contract/gallery.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { GalleryState } from '../../renderer/features/gallery/gallery.svelte.ts';
import RunProbe from '../../renderer/features/gallery/RunProbe.svelte';
import { tabOf, tabsOf } from '../../renderer/features/runs/tabs.ts';

afterEach(() => cleanup());

const checkpoint = { kind: 'checkpoint', checkpointId: 'c' };
const runOf = (more: object = {}, policy: object = checkpoint, method = 'ert'): Run =>
  ({
    id: 'r',
    name: 'first look',
    method,
    state: 'done',
    attempt: 1,
    step: 2,
    totalSteps: 2,
    findings: null,
    spec: {
      method: { id: method, params: {} },
      models: { policy },
      task: { kind: 'world', id: 'toy/errands', params: {} },
      rewards: [],
      sampling: {},
      optimizer: { learningRate: 5e-4 },
      budget: { steps: 2, batch: 10 },
      seed: 3,
    },
    ...more,
  }) as unknown as Run;

const rate = { rate: 0.25, low: 0.1, high: 0.5 };
const nothing: Gallery = {
  rate: 0,
  low: 0,
  high: 1,
  instructions: 0,
  answers: 0,
  tellsRight: true,
  rounds: [],
  themes: [],
  failed: 0,
  failures: [],
};
const found: Gallery = {
  ...rate,
  instructions: 2,
  answers: 4,
  tellsRight: true,
  rounds: [
    { ...rate, round: 1, instructions: 1, answers: 2, diversity: 0.5 },
    { ...rate, round: 2, instructions: 1, answers: 2, diversity: 0.5 },
  ],
  themes: [
    { ...rate, theme: 'negation', instructions: 1, failed: 1 },
    { ...rate, theme: null, instructions: 1, failed: 0 },
  ],
  failed: 1,
  failures: [
    {
      instruction: 'take not pen but cup then push box.',
      themes: ['negation'],
      round: 2,
      expected: 'tc pb',
      answers: [{ text: 'tp pb', isRight: false }],
    },
  ],
};

/** The services behind the tab: what a run has found, and what was asked for. */
const servicesWith = (answer: () => Gallery) => {
  const asked: { readonly runId: string; readonly theme?: string | null }[] = [];
  const of = async (query: { readonly runId: string; readonly theme?: string | null }) => {
    asked.push(query);
    return answer();
  };
  return { asked, state: new GalleryState({ gallery: { of } } as never) };
};

describe('the tab of a probe', () => {
  it('is the first tab of a run that probes, and of no other', () => {
    expect(tabOf(runOf())).toBe('probe');
    expect(tabsOf(runOf({}, checkpoint, 'grpo')).map(({ id }) => id)).not.toContain('probe');
  });

  it('says what is missing until the first round has ended', async () => {
    const { state } = servicesWith(() => nothing);
    const { rerender } = render(RunProbe, {
      run: runOf({ state: 'queued', step: 0 }),
      state,
      onplan: vi.fn(),
    });
    await screen.findByRole('heading', { name: 'No instructions yet' });
    expect(screen.getByText('It waits in the queue.')).toBeTruthy();
    await rerender({ run: runOf({ state: 'running', step: 0 }) });
    expect(screen.getByText(/The first round of instructions is being asked/)).toBeTruthy();
    await rerender({ run: runOf({ state: 'stopped', step: 0 }) });
    expect(screen.getByText('It ended before its first round.')).toBeTruthy();
  });

  it('shows the failures of this run after its round, by theme', async () => {
    let now = nothing;
    const { state, asked } = servicesWith(() => now);
    const { rerender } = render(RunProbe, {
      run: runOf({ state: 'running', step: 0 }),
      state,
      onplan: vi.fn(),
    });
    await screen.findByRole('heading', { name: 'No instructions yet' });
    now = found;
    await rerender({ run: runOf({ state: 'running', step: 1 }) });
    const failures = await screen.findByRole('region', { name: 'Failures' });
    expect(within(failures).getByText('take not pen but cup then push box.')).toBeTruthy();
    expect(screen.getByText(/first look: 25 %.* right of 4 answers to 2 instructions/)).toBeTruthy();
    // one probe needs no choice among several
    expect(screen.queryByLabelText('Failures of')).toBeNull();
    await fireEvent.change(screen.getByLabelText('Change'), { target: { value: 'negation' } });
    expect(asked.at(-1)).toMatchObject({ runId: 'r', theme: 'negation' });
  });

  it('trains on the failures and probes again, once the probe is done and something failed', async () => {
    const { state } = servicesWith(() => found);
    const onplan = vi.fn();
    const { rerender } = render(RunProbe, { run: runOf({ state: 'running' }), state, onplan });
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: /Train on these/ });
    expect([button.disabled, button.title]).toEqual([true, 'All rounds must have ended.']);
    await rerender({ run: runOf() });
    await vi.waitFor(() => expect(button.disabled).toBe(false));
    await fireEvent.click(button);
    const plan = onplan.mock.lastCall?.[0] as { readonly name: string; readonly nodes: { id: string }[] };
    expect(plan.name).toBe('Train after first look');
    expect(plan.nodes.map(({ id }) => id)).toEqual(['probe', 'ordinary', 'learn', 'again']);
  });

  it('says why random weights are not trained on their failures', async () => {
    const { state } = servicesWith(() => found);
    render(RunProbe, { run: runOf({}, { kind: 'new' }), state, onplan: vi.fn() });
    expect(await screen.findByText(/The probed policy has random weights/)).toBeTruthy();
  });

  it('says where the right answers to failures are not known', async () => {
    const { state } = servicesWith(() => ({ ...found, tellsRight: false }));
    render(RunProbe, { run: runOf(), state, onplan: vi.fn() });
    expect(await screen.findByText(/^Only worlds with wordings of their own tell/)).toBeTruthy();
  });

  it('leaves the learning rate of an added model to the suggestion for it', async () => {
    const { state } = servicesWith(() => found);
    const onplan = vi.fn();
    render(RunProbe, { run: runOf({}, { kind: 'model', modelId: 'm' }), state, onplan });
    await fireEvent.click(await screen.findByRole('button', { name: /Train on these/ }));
    const { nodes } = onplan.mock.lastCall?.[0] as {
      nodes: { id: string; spec: { optimizer: unknown } }[];
    };
    expect(nodes.find(({ id }) => id === 'learn')?.spec.optimizer).toEqual({ schedule: 'linear' });
  });
});
