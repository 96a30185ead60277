import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { gridValues } from '../../engine/experiments/axes.ts';
import { decide, foldSeeds, ranking } from '../../engine/experiments/decide.ts';
import { stateObstacles } from '../../engine/experiments/fork.ts';
import { planOf, runsOf } from '../../engine/experiments/plan.ts';
import { grid, halvingRungs, random } from '../../engine/experiments/strategies.ts';
import { ExperimentAxis, ExperimentSpec, type ExperimentSpecInput } from '../../engine/schema/experiment.ts';
import { caught } from '../support/errors.ts';
import { parsedSpec, smallSpec } from '../support/workspace.ts';

const axis = (given: unknown): ExperimentAxis => ExperimentAxis.parse(given);
const rate = { path: 'optimizer.learningRate', values: [1e-3, 3e-3] };
const experiment = (own: Partial<ExperimentSpecInput> = {}): ExperimentSpec =>
  ExperimentSpec.parse({ base: smallSpec(), axes: [rate], ...own });
const plan = (own: Partial<ExperimentSpecInput> = {}) => planOf(experiment(own), checkSpec);

describe('the values of an axis', () => {
  it.each([
    [{ from: 1e-5, to: 1e-3, scale: 'log', count: 3 }, [1e-5, 1e-4, 1e-3]],
    [{ from: 0, to: 0.3, count: 4 }, [0, 0.1, 0.2, 0.3]],
    [{ from: 4, to: 64, scale: 'log', count: 5, whole: true }, [4, 8, 16, 32, 64]],
    [{ from: 1, to: 3, count: 6, whole: true }, [1, 2, 3]],
    [{ from: 5, to: 5, count: 3 }, [5]],
    [{ from: 2, to: 8, count: 1 }, [2]],
    [{ values: ['adamw', 'lion', 'adamw'] }, ['adamw', 'lion']],
  ])('%j are %j', (given, values) => {
    expect(gridValues(axis({ path: 'a', ...given }))).toEqual(values);
  });

  it.each([
    [{ from: 1, to: 0, count: 3 }, 'begins at 1, above its end 0'],
    [{ from: 0, to: 1, scale: 'log', count: 3 }, 'cannot begin at 0'],
    [{ from: 0, to: 1 }, 'needs the number of values'],
  ])('are refused of %j', (given, message) => {
    const error = caught(() => gridValues(axis({ path: 'a.b', ...given })));
    expect(error).toMatchObject({ kind: 'invalid-input', where: 'a.b' });
    expect(error.message).toContain(message);
  });
});

describe('combinations', () => {
  const axes = [axis({ path: 'a', values: [1, 2] }), axis({ path: 'b', values: ['x', 'y', 'z'] })];

  it('of a grid are all of them, the first axis slowest', () => {
    expect(grid(axes)).toEqual([
      [1, 'x'],
      [1, 'y'],
      [1, 'z'],
      [2, 'x'],
      [2, 'y'],
      [2, 'z'],
    ]);
    expect(grid([])).toEqual([[]]);
  });

  it('of a random search repeat with its seed, and more trials only add some', () => {
    const range = axis({ path: 'r', from: 1e-5, to: 1e-1, scale: 'log' });
    const [few, many, other] = [
      random([range, axes[1]], { trials: 5, seed: 3 }),
      random([range, axes[1]], { trials: 200, seed: 3 }),
      random([range, axes[1]], { trials: 5, seed: 4 }),
    ];
    expect(many.slice(0, 5)).toEqual(few);
    expect(other).not.toEqual(few);
    const logs = many.map(([value]) => Math.log10(Number(value)));
    expect(Math.min(...logs)).toBeGreaterThanOrEqual(-5);
    expect(Math.max(...logs)).toBeLessThanOrEqual(-1);
    // uniform on its scale: mean −3, standard error 4 ÷ √(12 · 200)
    expect(Math.abs(logs.reduce((sum, each) => sum + each, 0) / 200 + 3)).toBeLessThan(0.33);
  });

  it('of a random search are different, and fewer where there are fewer', () => {
    const found = random(axes, { trials: 50, seed: 0 });
    expect(new Set(found.map((each) => each.join())).size).toBe(6);
    expect(found).toHaveLength(6);
  });
});

describe('the rungs of successive halving', () => {
  it.each([
    // Li et al. 2018, Table 1, brackets s = 4, 3 (of the 2017 version), 0
    [81, 81, 3, 1, '81×1 27×3 9×9 3×27 1×81'],
    [27, 81, 3, 3, '27×3 9×9 3×27 1×81'],
    [5, 81, 3, 81, '5×81'],
    [8, 100, 2, 1, '8×13 4×25 2×50 1×100'],
    [10, 4, 3, 1, '10×1 3×4'],
    [2, 1, 2, 1, '2×1'],
  ])('of %i trials with %i steps, η = %i and at least %i are %s', (trials, steps, eta, leastSteps, rungs) => {
    expect(
      halvingRungs(trials, steps, { eta, leastSteps })
        .map((rung) => `${rung.configurations}×${rung.steps}`)
        .join(' '),
    ).toBe(rungs);
  });
});

describe('the plan of an experiment', () => {
  it('counts runs and steps, and names each run by its values', () => {
    const planned = plan({ name: 'lr', seeds: 3 });
    expect(planned).toMatchObject({ seeds: [0, 1, 2], runs: 6, steps: 120 });
    const runs = runsOf(experiment({ name: 'lr', seeds: 3 }), planned, 0, checkSpec);
    expect(runs.map(({ spec }) => [spec.name, spec.optimizer.learningRate, spec.seed]).slice(0, 4)).toEqual([
      ['lr (learning rate 0.001, seed 0)', 0.001, 0],
      ['lr (learning rate 0.001, seed 1)', 0.001, 1],
      ['lr (learning rate 0.001, seed 2)', 0.001, 2],
      ['lr (learning rate 0.003, seed 0)', 0.003, 0],
    ]);
  });

  it('of successive halving counts only the steps that a later rung adds', () => {
    const base = smallSpec({ budget: { steps: 9, batch: 8 } });
    const axes = [{ path: 'optimizer.learningRate', from: 1e-4, to: 1e-2, scale: 'log' as const }];
    const strategy = { kind: 'successive-halving' as const, trials: 9 };
    // 9 × 1, then 3 × (3 − 1), then 1 × (9 − 3)
    expect(plan({ base, axes, strategy, seeds: [7] })).toMatchObject({ runs: 13, steps: 21 });
  });

  it.each<[string, Partial<ExperimentSpecInput>, string]>([
    ['an unknown setting', { axes: [{ path: 'optimizer.rate', values: [1] }] }, 'optimizer.rate'],
    ['an unknown section', { axes: [{ path: 'optimiser.x', values: [1] }] }, 'optimiser.x'],
    ['a scorer that is not there', { axes: [{ path: 'rewards.5.weight', values: [1] }] }, 'rewards.5.weight'],
    ['a value of another type', { axes: [{ path: 'budget.batch', values: ['x'] }] }, 'budget.batch'],
    ['a value out of range', { axes: [{ path: 'budget.batch', values: [8, 0] }] }, 'budget.batch'],
    ['an unknown method', { axes: [{ path: 'method.id', values: ['no-such'] }] }, 'method.id'],
    ['the seed', { axes: [{ path: 'seed', values: [1, 2] }] }, 'seed'],
    ['a setting that is varied twice', { axes: [rate, rate] }, 'optimizer.learningRate'],
    [
      'the steps of successive halving',
      {
        axes: [{ path: 'budget.steps', values: [1, 2] }],
        strategy: { kind: 'successive-halving', trials: 2 },
      },
      'budget.steps',
    ],
    ['too many runs', { seeds: 64, axes: [{ path: 'budget.batch', from: 1, to: 9, count: 9 }] }, 'axes'],
    ['a specification that cannot start', { base: smallSpec({ seed: -1 }) }, 'seed'],
  ])('refuses %s and names it', (_what, own, where) => {
    expect(caught(() => plan(own))).toMatchObject({ kind: 'invalid-input', where });
  });
});

describe('results of an experiment', () => {
  it('are folded over seeds with Student’s interval, and say how many there are', () => {
    const { n, mean, interval } = foldSeeds([0.5, 0.6, 0.7]);
    expect([n, mean]).toEqual([3, expect.closeTo(0.6, 12)]);
    // closed form at 2 degrees of freedom
    const t = 0.95 * Math.sqrt(2 / (4 * 0.975 * 0.025));
    expect(interval?.[0]).toBeCloseTo(0.6 - (t * 0.1) / Math.sqrt(3), 12);
    expect(foldSeeds([0.4])).toEqual({ n: 1, mean: 0.4, interval: null });
    expect(foldSeeds([0.4, Number.NaN, null])).toEqual({ n: 1, mean: 0.4, interval: null });
    expect(foldSeeds([])).toEqual({ n: 0, mean: null, interval: null });
  });

  const scores = [
    { configuration: 0, value: 0.2 },
    { configuration: 1, value: Number.NaN },
    { configuration: 2, value: 0.9 },
    { configuration: 3, value: 0.2 },
    { configuration: 4, value: null },
  ];

  it('rank failed and NaN ones last, and equal ones in their order', () => {
    expect(ranking(scores, 'maximize').map(({ configuration }) => configuration)).toEqual([2, 0, 3, 1, 4]);
    expect(ranking(scores, 'minimize').map(({ configuration }) => configuration)).toEqual([0, 3, 2, 1, 4]);
  });

  it('let a configuration with one failed seed not go on', () => {
    const two = [
      { configuration: 0, value: 1 },
      { configuration: 0, value: null },
      { configuration: 1, value: 0.1 },
      { configuration: 1, value: 0.2 },
    ];
    expect(decide(two, { rung: 0, keep: 1, direction: 'maximize' })).toEqual({
      rung: 0,
      ranking: [
        { configuration: 1, score: expect.closeTo(0.15, 12) as number },
        { configuration: 0, score: null },
      ],
      kept: [1],
    });
    expect(decide(scores, { rung: 0, keep: 4, direction: 'maximize' }).kept).toEqual([2, 0, 3]);
  });
});

describe('the training state of a checkpoint', () => {
  const parent = parsedSpec();
  it('is valid with another rate, budget, seed, name or weight of a reward', () => {
    const { optimizer, budget } = parent;
    expect(
      stateObstacles(parent, {
        ...parent,
        name: 'other',
        seed: 5,
        optimizer: { ...optimizer, learningRate: 1 },
        budget: { ...budget, steps: 99, batch: 3 },
        rewards: [{ id: 'length', weight: 2, params: {} }],
      }),
    ).toEqual([]);
  });

  it('is not with another method, optimizer or data', () => {
    const { optimizer } = parent;
    expect(
      stateObstacles(parent, {
        ...parent,
        method: { id: 'dpo', params: {} },
        optimizer: { ...optimizer, kind: 'lion' },
        task: { kind: 'world', id: 'toy/pairs', params: {} },
      }),
    ).toEqual(['the method has changed', 'the training data has changed', 'the optimizer has changed']);
  });
});
