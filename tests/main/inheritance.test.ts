import { describe, expect, it } from 'vitest';
import { checkSpec, planNodes } from '../../engine/index.ts';
import { familyOf } from '../../main/plans/family.ts';
import { textsAcross } from '../../main/plans/forecast.ts';
import { inheritanceOf } from '../../main/plans/inheritance.ts';

import { ruleNodes, robustness } from '../../main/plans/presets/robustness.ts';
import type { PlanNode } from '../../preload/contract/plans.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

const planned = (nodes: readonly object[]) => planNodes({ nodes: [...nodes] }, checkSpec);
const size = { tasks: ['reverse', 'swap'], seed: 1, learned: 2, steps: 1, every: 0, problems: 2 };

describe('the family of a plan', () => {
  it('is its start, the tasks that are measured, and each recipe on each task', () => {
    const family = familyOf(planned(ruleNodes(size)));
    expect(family?.start.id).toBe('base');
    expect(family?.tasks.map(({ name }) => name)).toEqual(['reverse', 'swap']);
    expect(family?.members.map(({ recipe, task }) => [recipe, task])).toEqual(
      [0, 1].flatMap((task) => ['sft', 'lwf', 'grpo', 'wise'].map((recipe) => [recipe, task])),
    );
  });
  it('is also that of the shipped sample, which has no other', () => {
    expect(familyOf(planNodes(robustness.plan, checkSpec))?.members).toHaveLength(12);
  });
  it('needs a start, two tasks, and runs of both', () => {
    const [start, ...others] = ruleNodes(size);
    expect(familyOf(planned([start]))).toBeNull();
    expect(familyOf(planned([start, others[0]]))).toBeNull();
    expect(familyOf(planned(ruleNodes({ ...size, tasks: ['swap'] })))).toBeNull();
  });
});

describe('the inheritance of a family (ImageNet-RIB)', () => {
  const family = familyOf(planned(ruleNodes(size)));
  const accuracies: Readonly<Record<string, readonly [number, number]>> = {
    base: [0.5, 0.6],
    'sft-reverse': [0.9, 0.2],
    'sft-swap': [0.4, 0.7],
    'grpo-reverse': [0.8, 0.55],
  };
  const nodes = new Map(
    Object.entries(accuracies).map(([id, [reverse, swap]]) => [
      id,
      {
        id,
        state: 'done',
        runId: `run of ${id}`,
        evaluation: {
          pass_at_1: (reverse + swap) / 2,
          'reverse/pass_at_1': reverse,
          'swap/pass_at_1': swap,
        },
      } as unknown as PlanNode,
    ]),
  );
  const found = family && inheritanceOf({ ...family, nodes });
  const recipe = (name: string) => found?.recipes.find((each) => each.name === name);

  it('takes changes from the start, and means over the runs that are done', () => {
    const [reverse, swap] = recipe('sft')?.tasks ?? [];
    expect(reverse.changes.map((change) => change?.toFixed(2))).toEqual(['0.40', '-0.40']);
    expect(swap.retention).toBeCloseTo(-0.1, 9);
    expect(reverse.onStart).toBeCloseTo(0, 9);
    expect(recipe('grpo')?.tasks[0].onStart).toBeCloseTo(0.125, 9);
    expect(recipe('sft')?.retention).toBeCloseTo(-0.25, 9);
    expect(recipe('sft')?.gain).toBeCloseTo(0.25, 9);
    expect(recipe('grpo')?.retention).toBeCloseTo(-0.05, 9);
    expect(recipe('grpo')?.retentionInterval).toBeNull();
  });
  it('knows nothing of recipes without a finished run, and puts the others on the front', () => {
    expect(recipe('lwf')).toMatchObject({ retention: null, gain: null, isFront: false });
    expect(found?.recipes.filter(({ isFront }) => isFront).map(({ name }) => name)).toEqual(['grpo']);
  });
});

it('the texts of a dataset come from all over it, without the excluded ones', async () => {
  const { services, api } = await servicesForTest();
  const rowsOf = async (id: string) =>
    (await textsAcross(services.store, id)).map(({ answer }) => Number(answer.split(' ')[1]));
  const few = await datasetForTest(services.store, 20);
  expect(await rowsOf(few)).toEqual([...Array.from({ length: 60 }).keys()]);
  const many = await datasetForTest(services.store, 400);
  const found = await rowsOf(many);
  expect([found.length, new Set(found).size, found[0]]).toEqual([256, 256, 0]);
  expect(found.slice(-32)).toEqual(Array.from({ length: 32 }, (_none, at) => 1050 + at));
  const wrong = {
    id: many,
    target: { query: 'wrong' },
    change: { kind: 'exclude' },
    author: 'test',
  } as const;
  for await (const progress of api.curation.change(wrong, new AbortController().signal)) void progress;
  const kept = await rowsOf(many);
  expect(kept).toHaveLength(256);
  expect(kept.some((row) => row % 3 === 1)).toBe(false);
});
