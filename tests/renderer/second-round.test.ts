import { fireEvent, render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import DistilAndRestart from '../../renderer/features/runs/starts/DistilAndRestart.svelte';
import { shownRun } from '../support/shown-run.ts';

const spec = RunSpec.parse({
  method: { id: 'satori' },
  models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
  task: { kind: 'world', id: 'arithmetic' },
  rewards: [{ id: 'verifier' }],
  budget: { steps: 120, batch: 64 },
  optimizer: { learningRate: 3e-4 },
});
const checkpoints = [
  { id: 'newest', final: true },
  { id: 'older', final: false },
];
const open = (own: object = {}) => {
  const plans: object[] = [];
  const run = shownRun({ method: 'satori', name: 'restarts', spec });
  const onplan = (plan: object) => {
    plans.push(plan);
  };
  render(DistilAndRestart, { run, spec, checkpoints, onplan, ...own });
  return { plans, button: screen.getByRole<HTMLButtonElement>('button', { name: 'Distil and restart' }) };
};
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

describe('the form of a second round', () => {
  it('begins with the numbers of the run and makes a plan of what is typed', async () => {
    const { plans, button } = open();
    expect(field('Prompts').value).toBe('256');
    expect(field('Learning rate of fine-tuning').value).toBe('0.0024');
    expect(field('Updates of PPO').value).toBe('120');
    await fireEvent.input(field('Updates of PPO'), { target: { value: '30' } });
    await fireEvent.click(screen.getByRole('checkbox', { name: /without the reset/ }));
    await fireEvent.click(button);
    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatchObject({
      name: 'Distil and restart after restarts',
      nodes: [
        { id: 'answers', spec: { models: { policy: { checkpointId: 'newest' } } } },
        { id: 'distil', spec: { models: { policy: { checkpointId: 'base' } } } },
        { id: 'again', spec: { budget: { steps: 30 } } },
        { id: 'on', spec: { budget: { steps: 30 } } },
      ],
    });
  });

  it('waits while a number is not valid', async () => {
    const { button } = open();
    await fireEvent.input(field('Prompts'), { target: { value: '0' } });
    expect(button.disabled).toBe(true);
    expect(field('Prompts').getAttribute('aria-invalid')).toBe('true');
  });

  it('says why it cannot begin', () => {
    const { button } = open({ checkpoints: [] });
    expect(button.disabled).toBe(true);
    expect(screen.getByText(/its last checkpoint was deleted/)).toBeTruthy();
  });
});
