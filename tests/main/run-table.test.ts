import { describe, expect, it } from 'vitest';
import { runTable } from '../../main/use-cases/run-table.ts';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';

const evaluation = (passAt1: number): PolicyEvaluation => ({
  step: 10,
  problems: 100,
  samples: 4,
  passAt1,
  passAt1Interval: [passAt1 - 0.05, passAt1 + 0.05],
  passAtK: [{ k: 4, value: Math.min(1, passAt1 + 0.2) }],
  greedy: passAt1,
  kl: null,
  meanLength: 12,
  truncated: 0,
  gold: passAt1,
  proxy: null,
});
const run = (at: number, passAt1: number | null) => ({
  runId: `r${at}`,
  name: `run ${at}`,
  evaluation: passAt1 === null ? null : evaluation(passAt1),
});
const field = (path: string, values: readonly unknown[]) => ({ path, values, names: values.map(() => null) });

describe('the table of compared runs', () => {
  const runs = [0.1, 0.2, 0.3, 0.4, 0.5].map((rate, at) => run(at, rate));

  it('has numbers as numbers, anything else as text, and a gap where a run has no such field', () => {
    const { parameters } = runTable(
      runs,
      [
        field('optimizer.learningRate', [1, 2, 3, 4, 5]),
        field('adapter', [{ rank: 4 }, { rank: 8 }, 'none', 'none', 'none']),
        field('method.params.clip', [0.1, 0.2, null, null, null]),
      ],
      [],
    );
    expect(parameters.map(({ values }) => values)).toEqual([
      [1, 2, 3, 4, 5],
      ['{"rank":4}', '{"rank":8}', 'none', 'none', 'none'],
      [0.1, 0.2, null, null, null],
    ]);
  });

  it('ranks a parameter that orders the result above one that does not, with corrected exact p-values', () => {
    const { importance } = runTable(
      runs,
      [field('optimizer.learningRate', [1, 2, 3, 4, 5]), field('seed', [3, 1, 2, 5, 4])],
      [],
    );
    const of = (path: string) =>
      importance.find((each) => each.path === path && each.result === 'evaluation:pass@1');
    // 2 of 120 orders have |ρ| = 1, and there are two parameters
    expect(of('optimizer.learningRate')).toEqual({
      path: 'optimizer.learningRate',
      result: 'evaluation:pass@1',
      n: 5,
      share: 1,
      correlation: 1,
      p: 4 / 120,
    });
    expect(of('seed')?.share).toBeCloseTo(0.36, 12);
    expect(of('seed')?.p).toBeGreaterThan(0.2);
  });

  it('names the parameters that divide the runs in the same way', () => {
    const { parameters } = runTable(
      runs,
      [
        field('optimizer.learningRate', [1, 1, 2, 2, 2]),
        field('method.id', ['dpo', 'dpo', 'ipo', 'ipo', 'ipo']),
        field('seed', [1, 2, 3, 4, 5]),
      ],
      [],
    );
    expect(parameters.map(({ together }) => together)).toEqual([
      ['method.id'],
      ['optimizer.learningRate'],
      [],
    ]);
  });

  it('has no importance for fewer than three runs with the result, nor for a constant result', () => {
    const differing = [field('seed', [1, 2, 3])];
    const two = [run(0, 0.1), run(1, 0.2), run(2, null)];
    expect(runTable(two, differing, []).importance).toEqual([]);
    const equal = [run(0, 0.1), run(1, 0.1), run(2, 0.1)];
    expect(runTable(equal, differing, []).importance).toEqual([]);
  });

  it('takes last values of metrics as results, and leaves out those that are not finite', () => {
    const { results, importance } = runTable(
      [0, 1, 2, 3].map((at) => run(at, null)),
      [field('seed', [1, 2, 3, 4])],
      [{ name: 'loss', values: [3, 2, 1, Number.NaN] }],
    );
    expect(results).toEqual([
      { id: 'metric:loss', title: 'loss', values: [3, 2, 1, null], intervals: [null, null, null, null] },
    ]);
    expect(importance).toMatchObject([{ path: 'seed', n: 3, share: 1, correlation: -1 }]);
  });
});
