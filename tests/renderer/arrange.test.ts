import { describe, expect, it } from 'vitest';
import { arrange } from '../../renderer/features/runs/arrange.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';

const curve = (name: string, points: number, value = 0.5) => ({
  name,
  lines: [
    {
      id: name,
      label: 'run',
      mark: markOf(0),
      steps: Float64Array.from({ length: points }, (_, i) => i),
      values: new Float64Array(points).fill(value),
    },
  ],
});

describe('the curves of a run', () => {
  it('are grouped by topic, the most important first', () => {
    const sections = arrange([
      curve('seconds/step', 3),
      curve('eval/gold', 2),
      curve('completions/truncated', 3),
      curve('reward/mean', 3),
      curve('loss', 3),
      curve('a', 3),
      curve('kl', 3),
      curve('kl/k1', 3),
    ]);
    expect(sections.map(({ title, curves }) => [title, curves.map(({ name }) => name)])).toEqual([
      ['Training', ['reward/mean', 'loss', 'kl', 'a']],
      ['Answers and groups', ['completions/truncated', 'kl/k1']],
      ['Evaluation', ['eval/gold']],
      ['Speed and upkeep', ['seconds/step']],
    ]);
  });
  it('are grouped by role where several train', () => {
    const sections = arrange([
      curve('verifier/loss', 3),
      curve('policy/loss', 3),
      curve('reward/mean', 3),
      curve('policy/grad_norm', 3),
      curve('verifier/grad_norm', 3),
      curve('rewards/accuracies', 3),
    ]);
    expect(sections.map(({ title, curves }) => [title, curves.map(({ name }) => name)])).toEqual([
      ['Training', ['reward/mean', 'rewards/accuracies']],
      ['Training: policy', ['policy/loss']],
      ['Training: verifier', ['verifier/loss']],
      ['Speed and upkeep', ['policy/grad_norm', 'verifier/grad_norm']],
    ]);
  });
  it('show a metric with one point as a number, without empty sections', () => {
    expect(arrange([curve('eval/gold', 1)])).toEqual([
      { title: 'Evaluation', curves: [], flat: [], values: [{ name: 'eval/gold', step: 0, value: 0.5 }] },
    ]);
  });
  it('sets curves apart that stay 0, but not a single 0', () => {
    const [training] = arrange([curve('loss', 3), curve('clip_ratio/high', 3, 0), curve('skipped', 1, 0)]);
    expect([training.curves, training.flat].map((all) => all.map(({ name }) => name))).toEqual([
      ['loss'],
      ['clip_ratio/high'],
    ]);
  });
  it('leaves gold out where it is pass@1, and keeps it where it is not', () => {
    const named = (gold: number) =>
      arrange([curve('eval/pass_at_1', 2), curve('eval/gold', 2, gold)])[0].curves.map(({ name }) => name);
    expect([named(0.5), named(0.4)]).toEqual([['eval/pass_at_1'], ['eval/pass_at_1', 'eval/gold']]);
  });
});
