import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, it } from 'vitest';
import { methods } from '../../engine/index.ts';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import { checkpoint, newModel, openForm } from '../support/launch-form.ts';

const start = { ...newModel, method: { id: 'tango' }, task: { kind: 'world', id: 'toy/copy' } };
const open = (given: Record<string, unknown> = start) =>
  openForm(structuredClone(given), { stock: { checkpoints: [checkpoint('judge')] } });

/** Unfolds the settings of a role; returns their group. */
async function unfold(role: string): Promise<HTMLElement> {
  // by their text: roles of so many controls take seconds to compute
  const fold = screen.getByText(role, { selector: 'h3' }).closest('details') as HTMLDetailsElement;
  fold.open = true;
  await fireEvent(fold, new Event('toggle'));
  return fold;
}
const type = (control: HTMLElement, value: string) => fireEvent.input(control, { target: { value } });

it('gives a role a model, an optimizer and rewards of its own, and launches them', async () => {
  const { launch, launched } = open();
  render(LaunchForm, { launch });
  const role = await unfold('Verifier');
  await fireEvent.change(within(role).getByLabelText('Model'), { target: { value: 'checkpoint' } });
  await fireEvent.change(within(role).getByLabelText('Checkpoint'), { target: { value: 'judge' } });
  await type(within(role).getByLabelText('Learning rate'), '0.002');
  // the first one adds a checkpoint to an average
  const [, addReward] = within(role).getAllByText('Add', { selector: 'button' });
  await fireEvent.click(addReward);
  await fireEvent.change(within(role).getByLabelText('Scorer'), { target: { value: 'length' } });
  expect(screen.getByText('own model, optimizer, rewards')).toBeTruthy();
  launch.checkSoon();
  await waitFor(() => expect(launch.summary?.isOld).toBe(false));
  expect(launch.summary?.lines.find(({ term }) => term === 'Verifier')?.text).toBe(
    'run of judge, step 10; adamw at 0.002; rewards: Length',
  );
  const { learningRate } = methods.find(({ id }) => id === 'tango')?.suggested.optimizer as {
    learningRate: number;
  };
  expect(learningRate).not.toBe(0.002);
  // what the role has of the run is no difference
  expect(
    launch.summary?.differences.map(({ path }) => path).filter((path) => path.startsWith('roles')),
  ).toEqual(['roles.verifier.optimizer.learningRate', 'roles.verifier.rewards.length']);
  await fireEvent.click(screen.getByText('Launch', { selector: 'button' }));
  await waitFor(() => expect(launched).toHaveLength(1));
  expect(launched[0]).toMatchObject({
    models: { verifier: { kind: 'checkpoint', checkpointId: 'judge' } },
    roles: { verifier: { optimizer: { learningRate: 0.002 }, rewards: [{ id: 'length' }] } },
  });
});

it('shows the run’s own settings as the defaults of a role, also after they change', async () => {
  const { launch } = open();
  render(LaunchForm, { launch });
  const rate = within(await unfold('Verifier')).getByLabelText('Learning rate') as HTMLInputElement;
  launch.draft.set(['optimizer', 'learningRate'], 0.0007);
  await tick();
  expect(rate.placeholder).toBe('0.0007');
  await type(rate, '0.01');
  await type(rate, '');
  launch.checkSoon();
  await tick();
  expect(launch.draft.plain().roles, 'a cleared setting leaves nothing behind').toBeUndefined();
});

it('offers a role only what applies to it, and reports what does not at its field', async () => {
  const { launch } = open();
  const fields = (role: string) =>
    launch.sections.roles.find(({ key }) => key === role)?.fields.map(({ key }) => key);
  expect(fields('verifier')).toEqual(['verifier', 'optimizer', 'sampling', 'rewards']);
  launch.draft.set(['models', 'verifier'], { kind: 'checkpoint', checkpointId: 'judge' });
  expect(fields('verifier')).toContain('adapter');
  launch.chooseMethod('ppo');
  expect(fields('critic')).toEqual(['critic', 'optimizer']);
  expect(launch.draft.get(['models', 'verifier']), 'a role that PPO does not have').toBeUndefined();
  launch.chooseMethod('kdrl');
  expect(fields('teacher'), 'its model is asked for with the policy').toEqual([]);
  launch.chooseMethod('grpo');
  expect(launch.sections.roles).toEqual([]);
});

it('offers the roles that write to an evaluation, and the fields of its world or dataset', async () => {
  const { launch } = open();
  const item = () => {
    const list = launch.sections.folded
      .find(({ key }) => key === 'evaluation')
      ?.fields.find(({ key }) => key === 'evaluations');
    const first = list?.kind === 'list' ? list.item(0) : undefined;
    return first?.kind === 'group' ? first.fields.map(({ key }) => key) : [];
  };
  launch.draft.set(['evaluations'], [{ name: 'judge' }]);
  expect(item()).toEqual(['name', 'world', 'datasetId', 'role', 'measure', 'problems', 'samples']);
  expect(launch.choices('role', ['evaluations', '0', 'role'])?.map(({ value }) => value)).toEqual([
    'verifier',
  ]);
  launch.draft.set(['evaluations'], [{ name: 'judge', world: { id: 'toy/steps' } }]);
  expect(item()).not.toContain('datasetId');
  launch.draft.set(['evaluations'], [{ name: 'words', datasetId: 'd' }]);
  expect(item()).toEqual(expect.arrayContaining(['version', 'part', 'scorer']));
  expect(item()).not.toContain('world');
  launch.chooseMethod('grpo');
  expect(item()).not.toContain('role');
});

it('takes an optional choice back by its “none”, without counting it as changed', async () => {
  const { launch } = open();
  render(LaunchForm, { launch });
  const steering = screen.getByLabelText('Steering') as HTMLSelectElement;
  const shown = () => [...steering.options].map(({ text }) => text);
  expect([steering.value, shown()]).toEqual(['none', ['none', 'texts', 'answers']]);
  await fireEvent.change(steering, { target: { value: 'answers' } });
  expect([launch.changed('sampling'), shown()]).toEqual([1, ['none', 'texts', 'answers']]);
  await fireEvent.change(steering, { target: { value: 'none' } });
  expect([launch.changed('sampling'), launch.draft.get(['sampling', 'steering'])]).toEqual([0, undefined]);
});

it('tells checkpoints of runs with one name apart by their time', () => {
  const at = (id: string, createdAt: number) => checkpoint(id, { runName: 'base', createdAt });
  const { launch } = openForm(structuredClone(start), {
    stock: { checkpoints: [at('later', 86_400_000), at('earlier', 1), checkpoint('other')] },
  });
  const labels = launch
    .choices('checkpointId', ['models', 'policy', 'checkpointId'])
    ?.map(({ label }) => label);
  expect(labels?.[0]).toMatch(/^base, step 10 · .+/);
  expect(labels?.[1]).not.toBe(labels?.[0]);
  expect(labels?.[2]).toBe('run of other, step 10');
});
