/** The plan of a robustness family: any start, recipes, tasks and seeds, measured as one family. */
import { describe, expect, it } from 'vitest';
import { checkSpec, planNodes } from '../../engine/index.ts';
import { familyOf } from '../../main/plans/family.ts';
import { followPlan } from '../../main/plans/follow.ts';
import { plansOf } from '../../main/plans/index.ts';
import { inheritanceOf } from '../../main/plans/inheritance.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import type { PlanNode } from '../../preload/contract/plans.ts';
import {
  familyNodes,
  familyPlan,
  recipeIds,
  rules,
  type FamilySettings,
} from '../../preload/wire/family-plan.ts';
import { rewritingRules } from '../../engine/worlds/toy/rewriting.ts';
import { caught } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { servicesForTest } from '../support/workspace.ts';

const settings: FamilySettings = {
  start: null,
  tasks: [
    { name: 'reverse', rule: 'reverse' },
    { name: 'swap', rule: 'swap' },
  ],
  recipes: ['sft'],
  seeds: [0],
  learned: 2,
  steps: 1,
  every: 0,
  problems: 2,
  rate: 1,
  maxTokens: 5,
};
const checkpoint = { kind: 'checkpoint', checkpointId: 'mine' } as const;
const rows = { name: 'faq', datasetId: 'd', verifier: 'match/exact' };
const planned = (change: Partial<FamilySettings> = {}) =>
  planNodes(familyPlan({ ...settings, ...change }), checkSpec);
const specOf = (plan: ReturnType<typeof planned>, id: string) => {
  const found = plan.nodes.find((node) => node.id === id);
  if (found?.kind !== 'run') throw new Error(`${id} is no run`);
  return found.checked;
};

describe('the plan of a family', () => {
  it('offers the rules of its world', () => expect([...rules]).toEqual([...rewritingRules]));

  it('has each recipe on each task, also of a model of the workspace, which is measured as it is', () => {
    const plan = planned({ start: checkpoint, recipes: recipeIds });
    expect(familyOf(plan)?.members.map(({ recipe, task }) => [recipe, task])).toEqual(
      [0, 1].flatMap((task) => ['sft', 'lwf', 'grpo', 'lora', 'wise'].map((recipe) => [recipe, task])),
    );
    expect(specOf(plan, 'base')).toMatchObject({ models: { policy: checkpoint }, budget: { steps: 0 } });
    expect(specOf(plan, 'lora-swap').adapter).toMatchObject({ kind: 'lora', rank: 8 });
    expect(specOf(planned({ rate: 0.01 }), 'sft-swap').optimizer.learningRate).toBeCloseTo(5e-6, 12);
  });

  it('brings along what is averaged, and begins each seed of a recipe', () => {
    const plan = planned({ recipes: ['wise'], seeds: [0, 1] });
    expect(plan.nodes.map(({ id }) => id).slice(1, 5)).toEqual([
      'sft-reverse-seed-0',
      'wise-reverse-seed-0',
      'sft-reverse-seed-1',
      'wise-reverse-seed-1',
    ]);
    expect(familyOf(plan)?.members.map(({ recipe }) => recipe)).toEqual(
      Array.from({ length: 4 }, () => ['sft', 'wise']).flat(),
    );
    expect(specOf(plan, 'sft-reverse-seed-1').seed).toBe(51);
  });

  it('takes datasets as tasks, scored by the comparison with their references', () => {
    const plan = planned({ start: checkpoint, tasks: [...settings.tasks, rows], recipes: ['sft', 'grpo'] });
    expect(familyOf(plan)?.tasks.map(({ name }) => name)).toEqual(['reverse', 'swap', 'faq']);
    expect(familyOf(plan)?.members.filter(({ task }) => task === 2)).toHaveLength(2);
    expect(specOf(plan, 'grpo-faq').rewards).toMatchObject([{ id: 'match/exact' }]);
    expect(specOf(plan, 'sft-faq').task).toMatchObject({ kind: 'dataset', datasetId: 'd' });
  });

  it('is refused with the field', () => {
    const where = (change: Partial<FamilySettings>) =>
      caught(() => familyPlan({ ...settings, ...change })).where;
    expect(where({ tasks: settings.tasks.slice(1) })).toBe('tasks');
    expect(where({ recipes: [] })).toBe('recipes');
    expect(where({ seeds: [] })).toBe('seeds');
    expect(where({ tasks: [...settings.tasks, rows] })).toBe('start');
  });

  it('is measured by the mean over seeds', () => {
    const family = familyOf(planned({ seeds: [0, 1] }));
    if (!family) throw new Error('the plan has no family');
    const reached: Readonly<Record<string, number>> = {
      base: 0.5,
      'sft-reverse-seed-0': 0.3,
      'sft-reverse-seed-1': 0.2,
      'sft-swap-seed-0': 0.5,
    };
    const nodes = new Map(
      Object.entries(reached).map(([id, value]) => [
        id,
        {
          id,
          state: 'done',
          runId: `run of ${id}`,
          evaluation: { 'reverse/pass_at_1': 1, 'swap/pass_at_1': value },
        } as unknown as PlanNode,
      ]),
    );
    const [recipe] = inheritanceOf({ ...family, nodes }).recipes;
    expect(recipe.tasks[0]).toMatchObject({ runId: 'run of sft-reverse-seed-0', gain: 0 });
    expect(recipe.tasks[0].retention).toBeCloseTo(-0.25, 9);
    // one of its seeds is not done
    expect(recipe.tasks[1].retention).toBe(0);
  });

  it(
    'runs to its end from a model of the workspace, with a dataset among its tasks',
    { timeout: 240_000 },
    async () => {
      const { services, api } = await servicesForTest({ engine: null });
      const ended = async (plan: object) => {
        const found = await followPlan(services, await plansOf(services).launch(plan), {});
        expect(found.nodes.filter(({ state }) => state !== 'done')).toEqual([]);
        return found;
      };
      const { nodes } = await ended({ nodes: familyNodes(settings).slice(0, 1) });
      const [mine] = await api.runs.checkpoints({ runId: nodes[0].runId ?? '' });
      const { store } = services;
      const datasetId = await store.datasets.stage({ name: 'faq', source: 'test' });
      const texts = ['abcd', 'bcda', 'cdab', 'dabc', 'aacc', 'bbdd', 'abba', 'cddc', 'acbd', 'bdac'];
      await store.datasets.append(
        datasetId,
        texts.map((text, row): DatasetRow => ({
          row,
          line: row + 1,
          promptId: text,
          prompt: `N${text}>`,
          answer: text,
          reference: text,
          correct: true,
          source: 'test',
        })),
        [],
      );
      await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
      const family = familyPlan({
        ...settings,
        start: { kind: 'checkpoint', checkpointId: mine.id },
        tasks: [settings.tasks[0], { ...rows, datasetId }],
        recipes: ['grpo', 'lora', 'wise'],
      });
      const { id } = await ended(family);
      const found = await api.plans.inheritance({ id });
      expect(found?.tasks).toEqual(['reverse', 'faq']);
      expect(found?.recipes.map(({ name }) => name)).toEqual(['sft', 'grpo', 'lora', 'wise']);
      expect(found?.recipes.every(({ retention }) => retention !== null)).toBe(true);
    },
  );
});
