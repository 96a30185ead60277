import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { examineChart } from '../../engine/control/charts/examine-chart.ts';
import { laneBehaviours } from '../../engine/control/charts/lane-behaviours.ts';
import { controlWorldById } from '../../engine/control/index.ts';
import type { Chart } from '../../engine/schema/chart.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { BehaviourState } from '../../renderer/features/behaviour/behaviour.svelte.ts';
import ChartEditor from '../../renderer/features/behaviour/ChartEditor.svelte';
import {
  addState,
  movePlace,
  removeState,
  renameState,
  setWithin,
} from '../../renderer/features/behaviour/edits.ts';
import { chartIn } from '../../renderer/features/behaviour/read-chart.ts';
import { conditionText, diagramOf } from '../../renderer/features/behaviour/diagram.ts';

afterEach(cleanup);

const road = controlWorldById('control/lane-grid', 'world');
const [, stop] = laneBehaviours;
/** Stopped at step 2, fast at step 3. */
const episode = [
  [1, 1, 1, 0, 2, 2, 3],
  [1, 5, 1, 0, 2, 2, 3],
  [1, 5, 0, 0, 2, 2, 3],
  [1, 10, 2, 0, 2, 2, 3],
];

const opened = async (episodes: readonly (readonly (readonly number[])[])[] = [episode]) => {
  const asked: unknown[] = [];
  const client = {
    behaviours: {
      open: async () =>
        await Promise.resolve({
          worlds: [{ id: road.id, title: road.title, observations: [...road.observations] }],
          world: road.id,
          charts: [stop],
          run: 'mine',
        }),
      check: async (input: { readonly chart?: unknown }) => {
        asked.push(input);
        return await Promise.resolve(examineChart(road, input.chart, episodes));
      },
    },
  } as unknown as Pick<WhetstoneClient, 'behaviours'>;
  const editor = new BehaviourState('run', client);
  await editor.load();
  return { editor, asked };
};

describe('a diagram', () => {
  it('has the order, states outside it, and what a step of a replay lights', () => {
    const outside = { name: 'crawls', when: [{ value: 'speed', is: '<', than: 1, plus: 0 }] } as const;
    const chart: Chart = {
      ...stop,
      states: [...stop.states, { ...outside, when: [...outside.when] }],
      forbidden: ['crawls'],
    };
    const replay = examineChart(road, chart, [episode]).replays.at(-1);
    const { order, others } = diagramOf(chart, replay, 2);
    expect(order.map(({ state, isInside, isReached }) => [state, isInside, isReached])).toEqual([
      ['stopped', true, true],
      ['fast', false, false],
    ]);
    expect(others).toMatchObject([{ state: 'crawls', isForbidden: true, isInside: true, place: null }]);
    expect(diagramOf(chart, replay, 3).order.map(({ isReached }) => isReached)).toEqual([true, true]);
  });

  it('has conditions in signs', () => {
    const beside = { value: 'lane', is: '=', than: 'lane of the first car', plus: -1 } as const;
    expect(conditionText(beside)).toBe('lane = lane of the first car − 1');
    expect(conditionText({ value: 'speed', is: '>=', than: 2, plus: 0 })).toBe('speed ≥ 2');
  });
});

describe('the editor', () => {
  it('shows a chart, replays an episode, and says what it did', async () => {
    const { editor, asked } = await opened();
    render(ChartEditor, { editor });
    expect(asked).toMatchObject([{ world: road.id, runId: 'run' }]);
    expect(screen.getByText('No fault was found.')).toBeTruthy();
    await fireEvent.change(screen.getByLabelText('Trajectory'), { target: { value: '1' } });
    expect(screen.getByText('stopped (step 2), then fast (step 3); the order is complete.')).toBeTruthy();
  });

  it('names the faults of what was typed, and the field of what is no chart', async () => {
    const { editor } = await opened();
    const { getByLabelText, findByText, getByText, getByRole } = render(ChartEditor, { editor });
    await fireEvent.click(getByRole('tab', { name: 'JSON' }));
    const text = getByLabelText('Chart as JSON');
    const middle = { name: 'middle', when: [{ value: 'lane', is: '=', than: 1 }] };
    const faulty = { ...stop, states: [...stop.states, middle], order: ['middle'] };
    await fireEvent.input(text, { target: { value: JSON.stringify(faulty) } });
    expect(getByText('Changed since the check')).toBeTruthy();
    await fireEvent.click(getByRole('button', { name: 'Check' }));
    expect(await findByText(/The order is complete at the start/)).toBeTruthy();
    await fireEvent.input(text, { target: { value: '{' } });
    await fireEvent.click(getByRole('button', { name: 'Check' }));
    expect(await findByText(/The chart is no JSON/)).toBeTruthy();
    expect(editor.examined).toBeNull();
  });

  it('edits by the diagram what the text holds, and takes it back', async () => {
    const { editor } = await opened();
    const { getByRole, getByLabelText } = render(ChartEditor, { editor });
    const panel = () => within(getByRole('region', { name: /^State / }));
    await fireEvent.click(getByRole('button', { name: /^fast/ }));
    await fireEvent.change(panel().getByLabelText('Name'), { target: { value: 'quick' } });
    await fireEvent.input(panel().getAllByLabelText('Number')[0], { target: { value: '1' } });
    await fireEvent.input(panel().getAllByLabelText('Number')[0], { target: { value: '1.5' } });
    await fireEvent.click(panel().getByLabelText('Forbidden'));
    expect(editor.chart).toMatchObject({ order: ['stopped', 'quick'], forbidden: ['quick'] });
    expect(editor.chart?.states[1].when[0]).toMatchObject({ value: 'speed', is: '=', than: 1.5 });
    await fireEvent.keyDown(getByRole('button', { name: /^quick/ }), { key: 'ArrowLeft', altKey: true });
    expect(editor.chart?.order).toEqual(['quick', 'stopped']);
    await fireEvent.click(getByRole('tab', { name: 'JSON' }));
    expect((getByLabelText('Chart as JSON') as HTMLTextAreaElement).value).toBe(editor.text);
    // numbers typed into one field are one step
    for (let step = 0; step < 4; step++) await fireEvent.keyDown(window, { key: 'z', ctrlKey: true });
    expect(editor.chart).toEqual(stop);
    expect(editor.history.canUndo).toBe(false);
    await fireEvent.keyDown(window, { key: 'Z', ctrlKey: true, shiftKey: true });
    expect(editor.chart?.order).toEqual(['stopped', 'quick']);
  });

  it('refuses a name that another state has, and says so at the field', async () => {
    const { editor } = await opened();
    const { getByText, getByLabelText } = render(ChartEditor, { editor });
    await fireEvent.change(getByLabelText('Name'), { target: { value: 'fast' } });
    expect(getByText("There is a state 'fast' already.")).toBeTruthy();
    expect(editor.chart).toEqual(stop);
  });

  it('trains a copy of the run with the chart, and without a run by the world', async () => {
    const { editor } = await opened();
    const query = (address: string | null) => new URLSearchParams((address ?? '').split('?')[1]);
    const own = query(editor.trainAddress);
    expect(own.get('from')).toBe('run');
    expect(JSON.parse(own.get('set') ?? '')).toEqual({ 'task.charts': [{ chart: stop, weight: 1 }] });
    editor.choose('control/cart-pole');
    const other = query(editor.trainAddress);
    expect([other.get('world'), JSON.parse(other.get('chart') ?? '')]).toEqual(['control/cart-pole', stop]);
  });
});

describe('edits of a chart', () => {
  it('rename and remove a state wherever it stands', () => {
    const chart = { ...stop, order: ['stopped', 'fast', 'stopped'], forbidden: ['stopped'] };
    const renamed = renameState(chart, 'stopped', 'still');
    expect(renamed).toMatchObject({ order: ['still', 'fast', 'still'], forbidden: ['still'] });
    expect(removeState(renamed, 'still')).toMatchObject({ order: ['fast'], forbidden: [] });
  });

  it('move places within the order only, and add states with free names', () => {
    expect(movePlace(stop, 0, -1)).toBe(stop);
    expect(movePlace(stop, 0, 1).order).toEqual(['fast', 'stopped']);
    const twice = addState(addState(stop, 'speed'), 'speed');
    expect(twice.order.slice(2)).toEqual(['state', 'state 2']);
    expect(setWithin(setWithin(stop, 4), null)).toEqual(stop);
  });

  it('read every example as it is, and nothing that is no chart', () => {
    for (const chart of laneBehaviours) expect(chartIn(JSON.stringify(chart))).toEqual(chart);
    const texts = ['{', '[]', '{"name":"a"}', '{"name":"a","order":[1],"states":[]}'];
    for (const text of texts) expect(chartIn(text)).toBeNull();
  });
});
