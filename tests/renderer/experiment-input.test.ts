import { describe, expect, it } from 'vitest';
import type { Run } from '../../preload/contract/runs.ts';
import { axisFrom } from '../../renderer/features/runs/form/sweep-axis.ts';
import { expectedOf } from '../../renderer/features/runs/queue/times.ts';

describe('a typed axis of a sweep', () => {
  it.each([
    ['1e-5, 3e-5', { values: [1e-5, 3e-5] }],
    ['adamw, muon', { values: ['adamw', 'muon'] }],
    ['true, null, 2', { values: [true, null, 2] }],
    ['1 to 9 x 3', { from: 1, to: 9, scale: 'linear', count: 3, whole: true }],
    ['1e-5 to 1e-2 log', { from: 1e-5, to: 1e-2, scale: 'log', count: 5, whole: false }],
    ['0.5 to 2 LOG × 4', { from: 0.5, to: 2, scale: 'log', count: 4, whole: false }],
  ])('%s', (text, expected) => {
    expect(axisFrom({ path: ' a.b ', text })).toEqual({ path: 'a.b', ...expected });
  });

  it('is none while its path or its values are empty', () => {
    expect(axisFrom({ path: '', text: '1, 2' })).toBeNull();
    expect(axisFrom({ path: 'a', text: '  ' })).toBeNull();
  });

  it('leaves a range with a number that cannot be read to the checks of the specification', () => {
    expect(axisFrom({ path: 'a', text: '1,5 to 2' })).toMatchObject({ values: expect.any(Array) as unknown });
  });
});

describe('expected times of waiting runs', () => {
  const spec = { method: { id: 'sft' }, budget: { steps: 100, batch: 8 } };
  const run = (id: string, own: Partial<Run> = {}): Run =>
    ({ id, spec, state: 'queued', attempt: 0, step: 0, startedAt: null, endedAt: null, ...own }) as Run;
  // two seconds per step
  const finished = run('done', { state: 'done', attempt: 1, step: 100, startedAt: 0, endedAt: 200_000 });
  const times = (running: readonly Run[], waiting: readonly Run[], atOnce = 1, all = [finished]) =>
    waiting.map(({ id }) => expectedOf(running, waiting, all, atOnce).get(id));

  it('follow one another at the pace of finished runs', () => {
    expect(times([run('now', { secondsLeft: 30 })], [run('a'), run('b', { step: 50 })])).toEqual([
      { starts: 30, ends: 230 },
      { starts: 230, ends: 330 },
    ]);
  });

  it('run side by side where several may', () => {
    expect(times([], [run('a'), run('b'), run('c')], 2)).toEqual([
      { starts: 0, ends: 200 },
      { starts: 0, ends: 200 },
      { starts: 200, ends: 400 },
    ]);
  });

  it('follow only the runs of their own device, one at a time on an accelerator', () => {
    const onGpu = { spec: { ...spec, device: 'webgpu' } } as unknown as Partial<Run>;
    const waiting = [run('a'), run('b', onGpu), run('c', onGpu), run('d')];
    const all = [finished, run('fast', { ...finished, ...onGpu, endedAt: 50_000 })];
    expect(times([run('now', { secondsLeft: 30, ...onGpu })], waiting, 2, all)).toEqual([
      { starts: 0, ends: 200 },
      { starts: 30, ends: 80 },
      { starts: 80, ends: 130 },
      { starts: 0, ends: 200 },
    ]);
  });

  it('are unknown after a run whose time is unknown, and without finished runs', () => {
    expect(times([run('now', { secondsLeft: null })], [run('a')])).toEqual([{ starts: null, ends: null }]);
    expect(times([], [run('a'), run('b')], 1, [])).toEqual([
      { starts: 0, ends: null },
      { starts: null, ends: null },
    ]);
  });

  it('leave out the steps that a fork takes from its parent', () => {
    const fork = { checkpointId: 'c', runId: 'p', step: 60, carries: 'state' } as const;
    expect(times([], [run('a', { fork })])).toEqual([{ starts: 0, ends: 80 }]);
    expect(times([], [run('a', { fork: { ...fork, carries: 'weights' } })])).toEqual([
      { starts: 0, ends: 200 },
    ]);
  });
});
