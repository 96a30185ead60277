import { fireEvent, render } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import type { EpisodeEvaluation, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import { episodeColumns, policyColumns } from '../../preload/wire/measures.ts';
import Frontier from '../../renderer/charts/Frontier.svelte';
import Results from '../../renderer/features/runs/Results.svelte';
import { shownRun } from '../support/shown-run.ts';
import { columnOf } from '../support/table.ts';
import { newestPerStep } from '../../renderer/lib/attempts.ts';
import EvaluationTable from '../../renderer/features/compare/EvaluationTable.svelte';

const mark = { index: 0, variable: '--run-1', dash: [] };
const evaluation = (kl: number | null): PolicyEvaluation => ({
  step: 10,
  problems: 4,
  samples: 2,
  passAt1: 0.5,
  passAt1Interval: [0.4, 0.6],
  passAtK: [
    { k: 1, value: 0.5 },
    { k: 2, value: 0.7 },
  ],
  greedy: 0.6,
  kl,
  meanLength: 9,
  truncated: 0,
  gold: 0.5,
  proxy: null,
});

const episodes = (value: number): EpisodeEvaluation => ({
  step: 10,
  episodes: 100,
  return: value,
  returnInterval: [value - 5, value + 5],
  deviation: 25,
  length: 90,
});

describe('evaluations of several attempts', () => {
  it('count once for each step, with the value of the newest attempt', () => {
    const evaluated = (attempt: number, step: number, value: string) => ({ attempt, step, value });
    const all = [
      evaluated(1, 10, 'a'),
      evaluated(1, 20, 'old'),
      evaluated(1, 30, 'only'),
      evaluated(2, 20, 'new'),
      evaluated(2, 20, 'said again'),
    ];
    expect(newestPerStep(all).map(({ step, value }) => [step, value])).toEqual([
      [10, 'a'],
      [20, 'said again'],
      [30, 'only'],
    ]);
    expect(newestPerStep([...all].reverse()).map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  });
  it('appear once in the table of results', () => {
    const found = (attempt: number, gold: number) => ({
      kind: 'evaluation',
      attempt,
      step: 20,
      value: { gold },
    });
    const { container } = render(Results, {
      run: shownRun(),
      curves: [],
      findings: [],
      checkpoints: [],
      onplan: () => undefined,
      results: [found(1, 0.25), found(2, 0.75)],
    });
    expect([...container.querySelectorAll('tbody tr')].map((tr) => tr.textContent)).toEqual([
      '20.750Behind this',
    ]);
  });
  it('of episodes have the return with its interval', () => {
    const { container } = render(Results, {
      run: shownRun(),
      curves: [],
      findings: [],
      checkpoints: [],
      onplan: () => undefined,
      results: [{ kind: 'episodes', attempt: 1, step: 20, value: episodes(-91.5) }],
    });
    expect(columnOf(container, 'return')).toEqual(['−91.5 [−96.5, −86.5]']);
    expect(columnOf(container, 'length steps')).toEqual(['90.0']);
  });
});

const asPolicies = {
  columnsOf: (all: readonly PolicyEvaluation[]) => policyColumns('page', all),
  kind: 'evaluation',
  note: '',
  markOf: () => mark,
} as const;

describe('a run that started from random weights', () => {
  it.each([
    [1, null],
    [1, 0.5],
    [2, null],
    [2, 0.5],
  ])('spans as many columns with pass@%i and a proxy of %j as without an evaluation', (k, proxy) => {
    const measured = { ...evaluation(1), passAtK: [{ k, value: 0.5 }], proxy };
    const rows = [measured, null].map((each, at) => ({
      runId: `r${at}`,
      name: `n${at}`,
      method: 'sft',
      state: 'done',
      evaluation: each,
    }));
    const { container } = render(EvaluationTable<PolicyEvaluation>, { rows, ...asPolicies });
    const widths = [...container.querySelectorAll('tr')].map((line) =>
      [...line.cells].reduce((sum, cell) => sum + cell.colSpan, 0),
    );
    expect(new Set(widths).size, widths.join(', ')).toBe(1);
    expect(container.querySelector('thead')?.textContent).toContain('KL nats');
  });

  it('has no KL in the table, while the next run keeps its own', () => {
    const row = (runId: string, kl: number | null) => ({
      runId,
      name: runId,
      method: 'sft',
      state: 'done',
      evaluation: evaluation(kl),
    });
    const { container } = render(EvaluationTable<PolicyEvaluation>, {
      rows: [row('base', null), row('tuned', 1.25)],
      ...asPolicies,
    });
    expect(columnOf(container, 'KL nats')).toEqual(['–', '1.250']);
  });
  it('shows the interval of each value on one axis, and none without an evaluation', () => {
    const row = (runId: string, passAt1: number | null) => ({
      runId,
      name: runId,
      method: 'sft',
      state: 'done',
      evaluation: passAt1 === null ? null : { ...evaluation(0), passAt1, passAt1Interval: interval(passAt1) },
    });
    const interval = (value: number): [number, number] => [value - 0.1, value + 0.1];
    const { container } = render(EvaluationTable<PolicyEvaluation>, {
      rows: [row('low', 0.2), row('high', 0.8), row('none', null)],
      ...asPolicies,
    });
    const places = [...container.querySelectorAll('circle')].map((each) => Number(each.getAttribute('cx')));
    // the axis spans .1 − .04 to .9 + .04 over 5…145 px
    const px = (value: number) => 5 + (140 * (value - 0.06)) / 0.88;
    expect(places).toHaveLength(2);
    expect(places[0]).toBeCloseTo(px(0.2), 6);
    expect(places[1]).toBeCloseTo(px(0.8), 6);
  });
  it('is left out of the chart over √KL', async () => {
    const run = (id: string, kl: number | null) => ({ id, name: id, mark, points: [evaluation(kl)] });
    const onpick = vi.fn();
    const runs = [run('base', null), run('tuned', 1.44)];
    const { container } = render(Frontier, { kind: 'gold', runs, onpick });
    expect([...container.querySelectorAll('circle title')].map((title) => title.textContent)).toEqual([
      'tuned, step 10: .500 at √KL 1.200',
    ]);
    const point = container.querySelector('circle');
    if (point) await fireEvent.click(point);
    expect(onpick).toHaveBeenCalledWith('tuned', 10);
  });
});

it('returns of runs in control worlds are drawn on an axis of their own', () => {
  const row = (runId: string, value: number | null) => ({
    runId,
    name: runId,
    method: 'dqn',
    state: 'done',
    evaluation: value === null ? null : episodes(value),
  });
  const { container } = render(EvaluationTable<EpisodeEvaluation>, {
    rows: [row('low', -200), row('high', -100)],
    columnsOf: () => episodeColumns,
    kind: 'episodes',
    note: 'Returns of different worlds cannot be compared.',
    markOf: () => mark,
  });
  expect(columnOf(container, 'return')).toEqual(['−200 [−205, −195]', '−100 [−105, −95]']);
  expect(container.querySelectorAll('circle')).toHaveLength(2);
  expect(container.textContent).toContain('different worlds');
  const links = [...container.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  expect(links).toContain('#/lineage/evaluation/low%2Fepisodes%2F10');
});
