/** Texts and numbers of findings, on runs that differ in more than the fault. */
import { describe, expect, it } from 'vitest';
import { examineRun, type StoredRun } from '../../../engine/index.ts';
import type { RunFinding } from '../../../engine/schema/run-finding.ts';
import { curve, instead, learning, run } from '../../support/healthy-runs.ts';

const findingOf = (rule: string, stored: StoredRun): RunFinding | undefined =>
  examineRun(stored).find((each) => each.rule === rule);

describe('a critic that explains nothing', () => {
  const of = (error: number, length = 100) =>
    findingOf(
      'critic-explains-nothing',
      run(
        { id: 'ppo' },
        [
          ...learning.map(({ name, values }) => curve(name, (step) => values[step - 1], { length })),
          curve('value/error', () => error, { length }),
        ],
        { spec: { budget: { steps: length } } },
      ),
    );
  it('is told in percent down to −100 %', () => {
    expect(of(0.24)?.text).toMatch(/: it explains -\d\d % of it, less than their mean would\.$/);
    expect(of(0.24)?.expected).toEqual({ name: 'explained variance', value: 0, text: 'above 0 %' });
  });
  it('is told in multiples of the variance below that', () => {
    const found = of(16 * 0.16);
    expect(found?.text).toMatch(/: its error is 16 times the variance, which is the error of their mean\.$/);
    expect(found?.observed.text).toBe('16 times the variance of rewards');
    expect([found?.text, found?.observed.text].join()).not.toMatch(/-\d+ %|explains/);
  });
  it('that has had few updates has just begun, and may run longer', () => {
    const found = of(16 * 0.16, 20);
    expect(found?.text).toMatch(
      / After 20 steps it has only just begun to learn; a longer run may be enough\.$/,
    );
    expect(found?.remedies[0].title).toBe('500 steps');
    expect(of(16 * 0.16)?.text).not.toContain('begun');
  });
});

describe('weights of replayed rows', () => {
  const contents = (step: number, effective: number) => ({
    kind: 'replay' as const,
    step,
    attempt: 1,
    value: { step, buffer: 'kept', rows: 400, effective, ages: [1, 2], weights: [1, 2], counts: [[400]] },
  });
  const of = (effective: readonly number[], batches: number | null = 0.8) =>
    findingOf(
      'weights-collapse',
      run({ id: 'roer' }, batches === null ? [] : [curve('replay/effective_sample_size', () => batches)], {
        results: effective.map((share, at) => contents(25 * (at + 1), share)),
      }),
    );
  it('collapse in the buffer, also where most batches draw none of its heavy rows', () => {
    expect(of([0.6, 0.05, 0.04, 0.03])).toMatchObject({
      text: 'The weights of the buffer’s rows came down to an effective sample of 3 % of them.',
      observed: { value: 0.03, text: '3 % of the buffer’s rows' },
      step: 50,
      lastStep: 100,
      metric: 'replay/effective_sample_size',
    });
    expect(of([0.03], null)).toMatchObject({ step: 25, metric: null });
  });
  it('that recovered in the buffer, or never were uneven, are none', () => {
    expect(of([0.05, 0.6])).toBeUndefined();
    expect(of([])).toBeUndefined();
  });
  it('collapse by the importance of drawn rows, whose priorities may be even', () => {
    expect(of([1, 1], 0.03)?.observed.text).toBe('3 % of the replayed rows');
  });
});

describe('a verifier that guides a policy', () => {
  const of = (method: Parameters<typeof run>[0], ...points: [step: number, f1: number][]) =>
    findingOf(
      'verifier-misleads',
      run(
        method,
        instead({
          name: 'eval/errors/first_error_f1',
          steps: Float64Array.from(points, ([step]) => step),
          values: Float64Array.from(points, ([, f1]) => f1),
        }),
      ),
    );
  it('misleads it if it finds few first errors when the policy begins, with what to do', () => {
    const found = of({ id: 'tango' }, [20, 0.5], [60, 0.18], [100, 0.5]);
    expect(found).toMatchObject({
      severity: 'warning',
      observed: { value: 0.18, text: '0.18' },
      step: 60,
      metric: 'eval/errors/first_error_f1',
    });
    expect(found?.text).toContain('planted errors');
    expect(found?.remedies.map(({ title }) => title)).toEqual(['Warm-up of 160 batches, in 220 steps']);
  });
  it('does not if it found enough by then, whatever it was before its warm-up', () => {
    expect(of({ id: 'tango' }, [20, 0.1], [60, 0.44], [100, 0.3])).toBeUndefined();
  });
  it('begins at once without a warm-up', () => {
    expect(of({ id: 'tango', params: { warmup: 0 } }, [0, 0.1], [100, 0.5])?.step).toBe(0);
  });
  it('is no matter for a run that trains a verifier alone', () => {
    expect(of({ id: 'grpo' }, [0, 0.1], [100, 0.1])).toBeUndefined();
  });
});
