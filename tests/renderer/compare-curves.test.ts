import { describe, expect, it } from 'vitest';
import type { Sample, Series } from '../../preload/contract/runs.ts';
import { comparedNames } from '../../preload/wire/metric-names.ts';
import type { Line } from '../../renderer/charts/series.ts';
import { collapse, pointsIn, shownAt } from '../../renderer/features/compare/answers.ts';
import { alongOf, bandOf, interpolated, lineAlong } from '../../renderer/features/compare/axis.ts';
import { linesOf, stepsOf } from '../../renderer/features/compare/curve-lines.ts';
import { CurvesState } from '../../renderer/features/compare/curves.svelte.ts';
import { spanIn, spanText } from '../../renderer/features/compare/query.ts';
import { tableCsv } from '../../renderer/features/compare/save-table.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';

const floats = (...values: number[]) => Float64Array.from(values);
const series = (runId: string, name: string, steps: number[], values: number[]): Series => ({
  runId,
  name,
  steps: floats(...steps),
  values: floats(...values),
  at: Float64Array.from(steps, (step) => 5000 + 2000 * step),
});
const line = (steps: number[], values: number[]): Line => ({
  id: 'r/loss',
  label: 'r',
  mark: markOf(0),
  steps: floats(...steps),
  values: floats(...values),
});

describe('a metric of several roles', () => {
  it('is compared as the main role’s, and the legend says so', () => {
    expect(comparedNames(['loss', 'policy/loss', 'partner/loss', 'kl'])).toEqual([
      'kl',
      'loss',
      'partner/loss',
    ]);
    const groups = [
      { name: 'alone', mark: markOf(0), runIds: ['a'] },
      { name: 'both', mark: markOf(1), runIds: ['b', 'c'] },
    ];
    const co = (runId: string) => ({ ...series(runId, 'loss', [1, 2], [3, 2]), role: 'policy' });
    const all = [series('a', 'loss', [1, 2], [3, 1]), co('b'), co('c')];
    const labels = (folded: boolean) =>
      linesOf([...all], 'loss', groups, { axis: 'step', folded, whole: all }).map(({ label }) => label);
    expect(labels(false)).toEqual(['alone', 'both (policy)', 'both (policy)']);
    expect(labels(true)).toEqual(['alone, n = 1', 'both (policy), n = 2']);
  });
});

describe('the x of a curve', () => {
  it('is interpolated between known steps, and unknown outside them', () => {
    const known = { steps: floats(0, 10, 20), at: floats(0, 1, 3) };
    expect([...interpolated(known, floats(-1, 0, 5, 10, 15, 20, 21))]).toEqual([
      Number.NaN,
      0,
      0.5,
      1,
      2,
      3,
      Number.NaN,
    ]);
    expect([...interpolated({ steps: floats(), at: floats() }, floats(1))]).toEqual([Number.NaN]);
  });

  it('is wall time since the first point, tokens as a running sum, or KL', () => {
    const own = [
      series('r', 'loss', [1, 2, 3], [3, 2, 1]),
      series('r', 'tokens_per_second', [1, 2, 3], [100, 200, 100]),
      series('r', 'seconds/step', [1, 2, 3], [1, 1, 2]),
      series('r', 'kl', [1, 2, 3], [0, 0.3, 0.2]),
    ];
    expect([...(alongOf('time', own)?.at ?? [])]).toEqual([0, 2, 4]);
    expect([...(alongOf('tokens', own)?.at ?? [])]).toEqual([100, 300, 500]);
    const kl = alongOf('kl', own);
    expect(kl && [...lineAlong(line([1, 2, 3], [3, 2, 1]), kl).steps]).toEqual([0, 0.2, 0.3]);
    expect(kl && [...lineAlong(line([1, 2, 3], [3, 2, 1]), kl).values]).toEqual([3, 1, 2]);
    expect(alongOf('kl', own.slice(0, 1)), 'a run without KL').toBeNull();
    expect(alongOf('time', [])).toBeNull();
  });
});

describe('the band of several seeds', () => {
  it('is their mean with the least and the greatest, where all of them have reached', () => {
    const band = bandOf([line([0, 10, 20], [1, 2, 3]), line([0, 5, 10], [3, 3, 4])], 'grpo');
    expect(band.label).toBe('grpo, n = 2');
    expect([...band.steps]).toEqual([0, 5, 10]);
    expect([...band.values]).toEqual([2, 2.25, 3]);
    expect([...(band.low ?? [])]).toEqual([1, 1.5, 2]);
    expect([...(band.high ?? [])]).toEqual([3, 3, 4]);
  });

  it('of one seed is its line, and says so', () => {
    const one = line([0, 1], [1, 2]);
    expect(bandOf([one], 'base')).toEqual({ ...one, label: 'base, n = 1' });
  });

  it('keeps a value that is not a number', () => {
    const band = bandOf([line([0, 1], [1, Number.NaN]), line([0, 1], [1, 2])], 'x');
    expect([...band.values]).toEqual([1, Number.NaN]);
  });
});

it('hiding a run leaves the lines of the others as they are', () => {
  const view = new CurvesState();
  view.series = [series('a', 'loss', [1, 2], [2, 1]), series('b', 'loss', [1, 2], [4, 9])];
  const groups = ['a', 'b'].map((id, at) => ({ name: id, mark: markOf(at), runIds: [id] }));
  const both = view.linesOf('loss', groups, 'step', false);
  expect(view.linesOf('loss', groups.slice(1), 'step', false)).toEqual([both[1]]);
});

it('a part of the axis is in the address; what is no part shows all', () => {
  expect(spanText([0.1 + 0.2, 1_000_000])).toBe('0.3,1000000');
  expect(spanIn(spanText([-1.5, 2e-9]))).toEqual([-1.5, 2e-9]);
  expect(spanText(null)).toBe('');
  for (const wrong of [undefined, '', '1', '2,1', '1,1', 'a,b', '1,2,3', '1,Infinity'])
    expect(spanIn(wrong), String(wrong)).toBeNull();
});

describe('a part of the axis, read at its own resolution', () => {
  const groups = [{ name: 'a', mark: markOf(0), runIds: ['a'] }];
  const steps = [1, 2, 3, 4, 5];
  const whole = [
    series('a', 'loss', steps, [5, 4, 3, 2, 1]),
    series('a', 'tokens_per_second', steps, [10, 10, 10, 10, 10]),
    series('a', 'seconds/step', steps, [1, 1, 1, 1, 1]),
    series('a', 'kl', steps, [0, 0.1, 0.5, 0.2, 0.3]),
  ];
  const detailed = [series('a', 'loss', [2, 2.5, 3, 3.5, 4], [4, 9, 3, 2.5, 2])];
  const shown = async (axis: 'time' | 'tokens' | 'kl', span: [number, number], detail: Series[]) => {
    const view = new CurvesState();
    await view.show({ runIds: [], metrics: [], axis, width: 100 });
    view.series = whole;
    view.look(span);
    view.zoom.detail = { read: [2, 4], series: detail };
    return view.detailOf('loss', groups, axis, false);
  };

  it('counts time and tokens from the beginning of the run', async () => {
    // seconds 0, 2, 4, 6, 8 at steps 1 to 5
    const [line] = (await shown('time', [4, 4.5], detailed)) ?? [];
    expect([...line.steps]).toEqual([2, 3, 4, 5, 6]);
    expect([...line.values]).toEqual([4, 9, 3, 2.5, 2]);
    const [counted] = (await shown('tokens', [30, 35], detailed)) ?? [];
    expect([...counted.steps]).toEqual([20, 25, 30, 35, 40]);
  });

  it('lies between two points, or in the first bucket, of a reduced curve', () => {
    const reduced = (name: string, values: number[]): Series => ({
      ...series('a', name, [1000, 2000, 3000], values),
      low: floats(0, 0, 0),
      high: floats(9, 9, 9),
    });
    const own = [reduced('loss', [3, 2, 1])];
    // two seconds a step, from step 0 on
    expect(stepsOf([2100, 2900], 'time', own)).toEqual([1000, 2000]);
    expect(stepsOf([100, 200], 'time', own)).toEqual([0, 1000]);
    expect(stepsOf([6001, 7000], 'time', own)).toBeNull();
    const [line] = linesOf([series('a', 'loss', [500, 1000, 1500], [5, 4, 3])], 'loss', groups, {
      axis: 'time',
      folded: false,
      whole: own,
    });
    expect([...line.steps]).toEqual([1000, 2000, 3000]);
  });

  it('covers all steps whose KL lies in it, with the KL of that resolution', async () => {
    const own = [...detailed, series('a', 'kl', [2, 2.5, 3, 3.5, 4], [0.1, 0.3, 0.5, 0.4, 0.2])];
    const [line] = (await shown('kl', [0.4, 0.6], own)) ?? [];
    expect([...line.steps]).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
    expect([...line.values]).toEqual([4, 2, 9, 2.5, 3]);
    expect(await shown('kl', [0.15, 0.6], own), 'steps 1 to 5 are not all read').toBeNull();
    expect(await shown('kl', [2, 3], own), 'no step has such a KL').toBeNull();
  });
});

describe('answers side by side', () => {
  const sample = (attempt: number, step: number, at: number, completion: string, right = 1): Sample => ({
    id: `${attempt}-${step}-${at}`,
    runId: 'r',
    attempt,
    step,
    purpose: 'evaluation',
    promptId: 'p',
    sample: at,
    prompt: '1+1',
    completion,
    tokens: 2,
    logp: -1,
    stopReason: 'end',
    scores: { verifier: right },
  });
  const all = [
    sample(1, 10, 1, 'b'),
    sample(1, 10, 0, 'a'),
    sample(1, 20, 0, 'old'),
    sample(2, 20, 0, 'new'),
  ];

  it('are those of the newest attempt, or of the last evaluation up to a step', () => {
    expect(shownAt(all, null).map(({ completion }) => completion)).toEqual(['new']);
    expect(shownAt(all, 15).map(({ completion }) => completion)).toEqual(['a', 'b']);
    expect(shownAt(all, 5)).toEqual([]);
    expect(pointsIn(all)).toEqual([10, 20]);
  });

  it('collapse where text and scores are equal', () => {
    const found = collapse([
      sample(1, 1, 0, 'x'),
      sample(1, 1, 1, 'y'),
      sample(1, 1, 2, 'y'),
      sample(1, 1, 3, 'y', 0),
    ]);
    expect(found.map(({ sample: { completion }, times }) => [completion, times])).toEqual([
      ['y', 2],
      ['x', 1],
      ['y', 1],
    ]);
  });
});

it('a table as CSV quotes commas, quotes and line breaks, and leaves nothing for null', () => {
  expect(
    tableCsv(
      ['a', 'b,c'],
      [
        ['x"y', null],
        ['1\n2', 0.25],
      ],
    ),
  ).toBe('a,"b,c"\n"x""y",\n"1\n2",0.25');
});
