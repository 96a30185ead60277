import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { LEAST_EFFECTIVE } from '../../engine/common/least-effective.ts';
import type { ReplayContents } from '../../engine/schema/replay.ts';
import type { RunFinding } from '../../engine/schema/run-finding.ts';
import Replay from '../../renderer/features/runs/replay/Replay.svelte';
import {
  ageLines,
  effectiveLines,
  gaugesOf,
  newestText,
  replayedBy,
  shareText,
  weightLines,
} from '../../renderer/features/runs/replay/replay.ts';
import {
  ageAndWeight,
  byAge,
  byWeight,
  cellsOf,
  storedIn,
  storedText,
} from '../../renderer/features/runs/replay/stored.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';
import { shownRun } from '../support/shown-run.ts';

afterEach(() => cleanup());
const curve = (name: string, ...values: number[]) => ({
  name,
  lines: [
    {
      id: name,
      label: 'run',
      mark: markOf(3),
      steps: Float64Array.from(values, (_value, at) => 10 * (at + 1)),
      values: Float64Array.from(values),
    },
  ],
});
/** A run whose weights came apart between two steps. */
const curves = [
  curve('loss', 1, 1),
  curve('replay/share', 1, 1),
  curve('replay/effective_sample_size', 0.9, 0.03125),
  curve('replay/heaviest', 0.02, 0.40625),
  curve('replay/age', 50, 80),
  curve('replay/age/p10', 5, 20),
  curve('replay/age/p50', 50, 75),
  curve('replay/age/p90', 95, 200),
  curve('replay/weight/p10', 0.9, 0.01),
  curve('replay/weight/p50', 1, 0.1),
  curve('replay/weight/p90', 1.1, 1),
  curve('replay/weight/max', 1.2, 100),
];
/** The same, with each newest value of the last twenty steps. */
const lasting = curves.map(({ name, lines }) => {
  const [before, after] = lines[0].values;
  return curve(name, before, ...new Array<number>(20).fill(after));
});
const [collapsed] = replayedBy(lasting);

describe('gauges of replay', () => {
  it('are of the roles whose metrics say so, and of no other run', () => {
    expect(replayedBy([curve('loss', 1), curve('eval/return', 2)])).toEqual([]);
    const two = replayedBy([curve('policy/replay/age', 1), curve('critic/replay/age', 2), curve('loss', 3)]);
    expect(two.map(({ role }) => role)).toEqual(['policy', 'critic']);
    expect(collapsed.role).toBe('');
  });

  it('warn of an effective sample size below the share at which the run doctor does', () => {
    const [effective] = gaugesOf(collapsed);
    expect(effective).toMatchObject({ title: 'Effective sample size', at: 0.03125, isLow: true });
    expect(effective.text).toBe('3 % of rows');
    expect(effective.limit).toEqual({ at: LEAST_EFFECTIVE, text: 'the run doctor warns below 10 %' });
    expect(effective.words).toEqual([
      'A few rows have nearly all the weight: an update learns from these, and its gradient is noisy.',
      'The heaviest row has 40.6 % of the weight.',
    ]);
    const wordsOf = (share: number) =>
      gaugesOf(replayedBy([curve('replay/effective_sample_size', share)])[0])[0];
    expect(wordsOf(LEAST_EFFECTIVE).isLow).toBe(false);
    expect(wordsOf(0.3).words[0]).toContain('as if it had 30 % of its rows');
    expect(wordsOf(0.95).words[0]).toContain('nearly even');
    expect(wordsOf(1).words[0]).toBe('All replayed rows weigh alike.');
  });

  it('are means of the last twenty points, since one batch has a heavy row by chance', () => {
    const [changing] = replayedBy([
      curve('replay/age', ...Array.from({ length: 30 }, (_none, at) => (at < 10 ? 1000 : at % 2))),
    ]);
    expect(gaugesOf(changing)[0].value).toBe(0.5);
    expect(newestText(changing)).toBe('Gauges are means of steps 110 to 300.');
    expect(newestText(replayedBy([curve('replay/age', 3)])[0])).toBe('Gauges are of step 10.');
  });

  it('place the age between 0 and the oldest of the run, with eight in ten rows as a band', () => {
    const age = gaugesOf(collapsed)[1];
    expect(age).toMatchObject({ text: '80 batches', at: 0.4, band: [0.1, 1], domain: [0, 200] });
    expect(age.words[0]).toBe(
      'That is the mean; half are older than 75 batches, one in ten is older than 200 batches.',
    );
  });

  it('place weights on a log scale, and say where all are alike', () => {
    const spread = gaugesOf(collapsed)[2];
    expect(spread.text).toBe('up to 100 ×');
    // from .01 to 100, four decades
    expect(spread.at).toBeCloseTo(0.25, 9);
    expect(spread.band?.[1]).toBeCloseTo(0.5, 9);
    expect(spread.words[0]).toBe(
      'The heaviest row has 100 × the mean weight; eight in ten rows have .01 to 1 ×.',
    );
    const oneHeavy = ['p10', 'p50', 'p90'].map((id) => curve(`replay/weight/${id}`, 0.8));
    const [one] = gaugesOf(replayedBy([...oneHeavy, curve('replay/weight/max', 24)])[0]);
    expect(one.words[0]).toBe(
      'The heaviest row has 24 × the mean weight; eight in ten rows have the same weight.',
    );
    const even = ['p10', 'p50', 'p90', 'max'].map((id) => curve(`replay/weight/${id}`, 1));
    expect(gaugesOf(replayedBy(even)[0])[0]).toMatchObject({ text: 'all alike', at: 0.5 });
  });

  it('leave out what was not measured', () => {
    const [mean] = replayedBy([curve('replay/share', 0.75), curve('replay/age', 4)]);
    expect(gaugesOf(mean).map(({ text }) => text)).toEqual(['4 batches']);
    expect(shareText(mean)).toBe('75 % of the rows that an update learns from are stored ones.');
    expect(ageLines(mean).map(({ label }) => label)).toEqual(['mean']);
    expect([...weightLines(mean), ...effectiveLines(mean)]).toEqual([]);
    expect(shareText(replayedBy([curve('replay/share', 0)])[0])).toContain('No row');
  });

  it('have curves over the run, that of the sample size beside the limit', () => {
    const [size, limit] = effectiveLines(collapsed);
    expect([...size.values.subarray(0, 3)]).toEqual([0.9, 0.03125, 0.03125]);
    expect(limit.steps).toEqual(size.steps);
    expect(new Set(limit.values)).toEqual(new Set([LEAST_EFFECTIVE]));
    expect(ageLines(collapsed).map(({ label }) => label)).toEqual(['90 % below', 'median', '10 % below']);
    expect(weightLines(collapsed)[0]).toMatchObject({ label: 'heaviest' });
    expect(new Set(weightLines(collapsed).map(({ id }) => id)).size).toBe(4);
  });
});

const held: ReplayContents = {
  step: 40,
  buffer: 'steps',
  rows: 7,
  effective: 0.4,
  ages: [1, 3, 5],
  weights: [1, 10, 100],
  counts: [
    [4, 1],
    [0, 2],
  ],
};
const even: ReplayContents = { ...held, step: 20, ages: [1, 2], weights: [1, 1], counts: [[7]] };

describe('what a buffer holds', () => {
  it('is of each buffer by step, from the newest attempt', () => {
    const result = (attempt: number, step: number, buffer: string, rows: number) => ({
      kind: 'replay',
      attempt,
      step,
      value: { ...held, step, buffer, rows },
    });
    const all = [
      result(1, 10, 'a', 1),
      result(1, 20, 'a', 2),
      result(1, 20, 'b', 3),
      result(2, 20, 'a', 4),
      { kind: 'episodes', attempt: 1, step: 20, value: {} },
    ];
    expect(storedIn(all).map(({ buffer, at }) => [buffer, ...at.map(({ rows }) => rows)])).toEqual([
      ['a', 1, 4],
      ['b', 3],
    ]);
  });

  it('is drawn by age, by the log of the weight, and by both', () => {
    expect(byAge(held)).toEqual({
      bins: [
        { from: 1, to: 3 },
        { from: 3, to: 5 },
      ],
      counts: [4, 3],
    });
    expect(byWeight(held)).toEqual({
      bins: [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ],
      counts: [5, 2],
      weight: [5, 2].map((rows, at) => expect.closeTo(rows * Math.sqrt(10) * 10 ** at, 9) as number),
    });
    expect(ageAndWeight(held)).toMatchObject({
      x: ['1–2', '3–4'],
      y: ['1–10', '10–100'],
      values: [
        [Math.log10(4), 0],
        [null, Math.log10(2)],
      ],
    });
    expect(cellsOf(held)).toEqual([
      ['1', '10', '1–2', '4'],
      ['1', '10', '3–4', '1'],
      ['10', '100', '3–4', '2'],
    ]);
    expect(storedText(held)).toBe(
      '7 rows, 1 to 4 batches old, of weight 1 to 100. By these they count as 40 % of them, weighed alike.',
    );
  });

  it('has no chart of weights that are alike', () => {
    expect([byWeight(even), ageAndWeight(even)]).toEqual([null, null]);
    expect(storedText(even)).toBe('7 rows, 1 batches old, all of weight 1.');
  });
});

describe('the panel', () => {
  const finding = { title: 'A few replayed rows have all the weight' } as RunFinding;
  const results = [even, held].map((value) => ({ kind: 'replay', attempt: 1, step: value.step, value }));

  it('shows meters with their limit, links to the finding, and goes back to an earlier evaluation', async () => {
    render(Replay, { run: shownRun(), curves: lasting, results, finding });
    const meter = screen.getByRole('meter', { name: 'Effective sample size' });
    expect(meter.getAttribute('aria-valuenow')).toBe('0.03125');
    expect(meter.getAttribute('aria-valuetext')).toContain('the run doctor warns below 10 %');
    expect(screen.getByRole('link', { name: /A few replayed rows/ }).getAttribute('href')).toMatch(/doctor$/);
    const stored = within(screen.getByRole('region', { name: 'Stored rows of steps' }));
    expect(stored.getAllByRole('status')[0].textContent).toBe(storedText(held));
    await fireEvent.change(stored.getByRole('combobox'), { target: { value: '20' } });
    expect(stored.getAllByRole('status')[0].textContent).toBe(storedText(even));
  });

  it('says what is to come before the first replay, and nothing for a run without', () => {
    render(Replay, {
      run: shownRun(),
      curves: [curve('replay/share', 0)],
      results: [],
      finding: undefined,
    });
    expect(screen.getByText('Gauges appear once stored rows are replayed.')).toBeTruthy();
    cleanup();
    const { container } = render(Replay, { run: shownRun(), curves: [], results, finding: undefined });
    expect(container.textContent.trim()).toBe('');
  });
});
