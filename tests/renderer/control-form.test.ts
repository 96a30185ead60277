import { cleanup, render } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { checkSpec, laneBehaviours } from '../../engine/index.ts';
import { LaunchView } from '../../renderer/views/launch.svelte.ts';
import LaunchForm from '../../renderer/features/runs/form/LaunchForm.svelte';
import { dataGroups, startGroups } from '../../renderer/features/runs/form/quick.ts';
import { differencesOf, summaryOf } from '../../renderer/features/runs/form/summary.ts';
import { catalogue, checkpoint, newModel, openForm } from '../support/launch-form.ts';

afterEach(cleanup);

const text = checkpoint('base');
const network = checkpoint('driver', { method: 'control-ppo', createdAt: 2 });
const stock = { checkpoints: [network, text] };
const methodOf = (id: string) => catalogue.methods.find((each) => each.id === id);
const idsOf = (groups: ReturnType<typeof startGroups>, kind: string) =>
  groups.filter((group) => group.kind === kind).flatMap(({ choices }) => choices.map(({ value }) => value));

describe('a run in a control world', () => {
  it('begins with a network in a world whose actions are those of the method, and is valid', () => {
    const { launch } = openForm(newModel, { stock });
    launch.chooseGoal('control');
    expect(launch.goal).toBe('control');
    const spec = checkSpec(launch.draft.plain());
    expect(spec).toMatchObject({ method: { id: 'control-ppo' }, models: { policy: { kind: 'network' } } });
    for (const method of catalogue.methods.filter(({ task }) => task === 'control')) {
      launch.chooseMethod(method.id);
      const world = catalogue.controlWorlds.find(({ id }) => id === launch.draft.get(['task', 'id']));
      expect(world?.actions, method.id).toBe(method.actions);
    }
  });

  it('offers only worlds and checkpoints that suit it, and text methods none of them', () => {
    const all = { ...openForm(newModel, { stock }).launch.stock };
    const ppo = methodOf('control-ppo');
    expect(idsOf(dataGroups(all, ppo), 'control')).toContain('control/lane-grid');
    expect(idsOf(dataGroups(all, methodOf('sac')), 'control')).not.toContain('control/lane-grid');
    expect(idsOf(dataGroups(all, methodOf('sft')), 'control')).toEqual([]);
    expect(startGroups(all, ppo).map(({ kind }) => kind)).toEqual(['network', 'checkpoint']);
    expect(idsOf(startGroups(all, ppo), 'checkpoint')).toEqual(['driver']);
    expect(idsOf(startGroups(all, methodOf('grpo')), 'checkpoint')).toEqual(['base']);
  });

  it('is told in episodes, and its charts are compared by name', () => {
    const [weave, stop] = laneBehaviours;
    const specOf = (charts: readonly object[]) =>
      checkSpec({
        method: { id: 'control-ppo' },
        models: { policy: { kind: 'network' } },
        task: { kind: 'control', id: 'control/lane-grid', charts },
        evaluation: { problems: 30 },
      });
    const [from, to] = [specOf([{ chart: weave }, { chart: stop }]), specOf([{ chart: weave, weight: 2 }])];
    expect(differencesOf(from, to).map(({ path }) => path)).toEqual([
      'task.charts.weave.weight',
      'task.charts.stop and go',
    ]);
    const lines = summaryOf(to, openForm(newModel, { stock }).launch.stock, true);
    expect(lines.find(({ term }) => term === 'Evaluation')?.text).toBe('30 episodes, at the end');
  });

  it('changes the model and the data together with the method, there and back', () => {
    const { launch } = openForm(
      { models: { policy: { kind: 'checkpoint', checkpointId: 'base' } } },
      { stock },
    );
    const policy = () => launch.draft.get(['models', 'policy']);
    launch.chooseMethod('control-ppo');
    expect([policy(), launch.draft.get(['task', 'kind'])]).toEqual([{ kind: 'network' }, 'control']);
    launch.chooseMethod('grpo');
    expect([policy(), launch.draft.get(['task', 'kind'])]).toEqual([
      { kind: 'checkpoint', checkpointId: 'base' },
      'world',
    ]);
  });

  it('starts no run on text from a network, even if that is the newest policy', () => {
    const { launch } = openForm(newModel, { stock });
    launch.draft.set(['models', 'policy'], undefined);
    launch.chooseGoal('verifier');
    expect(launch.draft.get(['models', 'policy', 'checkpointId'])).toBe('base');
  });

  it('shows a control world and a network as choices of the form', async () => {
    const { launch } = openForm(newModel, { stock });
    launch.chooseGoal('control');
    render(LaunchForm, { launch });
    await tick();
    const shown = (field: string) =>
      document.querySelector<HTMLSelectElement>(`[data-field="${field}"] select`)?.selectedOptions[0]
        .textContent;
    expect(shown('data')).toBe('Cart-pole');
    expect(shown('start')).toBe('New small network');
  });
});

describe('a form that a button opens', () => {
  const client = {
    runs: {
      catalogue: async () => structuredClone(catalogue),
      checkpoints: async () => [text, network],
      list: async () => [],
      check: async ({ spec }: { spec: unknown }) => checkSpec(spec),
      preflight: () => () => undefined,
    },
    system: { devices: async () => [{ id: 'cpu', title: 'CPU', state: 'works' }] },
    models: { list: async () => [] },
    datasets: { list: async () => [] },
    labels: { sets: async () => [] },
  } as unknown as ConstructorParameters<typeof LaunchView>[0];

  it('opens with a valid run that is rewarded by the chart, also without a run to copy', async () => {
    const view = new LaunchView(client, () => undefined);
    await view.load({ world: 'control/lane-grid', chart: JSON.stringify(laneBehaviours[0]) });
    const spec = checkSpec(view.launch?.draft.plain());
    expect(spec).toMatchObject({
      method: { id: 'control-ppo', params: { atLimit: 'nothing' } },
      models: { policy: { kind: 'network' } },
      task: { id: 'control/lane-grid', charts: [{ chart: laneBehaviours[0], weight: 1 }] },
    });
  });

  it('starts from a network by the method that made it', async () => {
    const view = new LaunchView(client, () => undefined);
    await view.load({ checkpoint: 'driver' });
    expect(checkSpec(view.launch?.draft.plain())).toMatchObject({
      method: { id: 'control-ppo' },
      models: { policy: { kind: 'checkpoint', checkpointId: 'driver' } },
      task: { kind: 'control' },
    });
  });

  it('refuses an address whose chart cannot be read', async () => {
    const view = new LaunchView(client, () => undefined);
    await expect(view.load({ world: 'control/lane-grid', chart: '{' })).rejects.toThrow(/cannot be read/);
  });
});
