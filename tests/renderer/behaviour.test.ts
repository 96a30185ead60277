import { fireEvent, render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { examineChart } from '../../engine/control/charts/examine-chart.ts';
import { laneBehaviours } from '../../engine/control/charts/lane-behaviours.ts';
import { controlWorldById } from '../../engine/control/index.ts';
import type { Chart } from '../../engine/schema/chart.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { BehaviourState } from '../../renderer/features/behaviour/behaviour.svelte.ts';
import ChartEditor from '../../renderer/features/behaviour/ChartEditor.svelte';
import { conditionText, diagramOf } from '../../renderer/features/behaviour/diagram.ts';

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
    const { getByLabelText, findByText, getByText } = render(ChartEditor, { editor });
    const text = getByLabelText('Chart as JSON');
    const middle = { name: 'middle', when: [{ value: 'lane', is: '=', than: 1 }] };
    const faulty = { ...stop, states: [...stop.states, middle], order: ['middle'] };
    await fireEvent.input(text, { target: { value: JSON.stringify(faulty) } });
    expect(getByText('Changed since the check')).toBeTruthy();
    await fireEvent.click(getByText('Check'));
    expect(await findByText(/The order is complete at the start/)).toBeTruthy();
    await fireEvent.input(text, { target: { value: '{' } });
    await fireEvent.click(getByText('Check'));
    expect(await findByText(/The chart is no JSON/)).toBeTruthy();
    expect(editor.examined).toBeNull();
  });
});
