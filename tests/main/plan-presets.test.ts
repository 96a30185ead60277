/** Plans that ship: each runs to its end at a small size, and does what its paper's mechanism needs. */
import { describe, expect, it } from 'vitest';
import { readViews, resultViews } from '../../main/commands/result-views.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { presets } from '../../main/plans/presets/index.ts';
import { plansOf } from '../../main/plans/index.ts';
import { followPlan } from '../../main/plans/follow.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Plan } from '../../preload/contract/plans.ts';
import { servicesForTest } from '../support/workspace.ts';

/** The plan with small budgets, few problems and copies, and shorter strings to copy. */
const resized = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resized);
  if (typeof value !== 'object' || value === null) return value;
  const { steps, problems } = value as { steps?: number; problems?: number };
  return Object.fromEntries(
    Object.entries({
      ...value,
      ...('letters' in value && { letters: 4, length: 'families' in value ? 3 : 2, wrong: 0.2 }),
      ...('copies' in value && { copies: 4 }),
      ...(steps !== undefined && { steps: Math.min(steps, 60), batch: 8 }),
      ...(problems !== undefined && { problems: Math.min(problems, 8), samples: 1 }),
    }).map(([key, each]) => [key, key === 'rounds' ? 2 : key === 'pulls' ? 9 : resized(each)]),
  );
};

const runOf = (plan: Plan, node: string): string => {
  const found = plan.nodes.find(({ id }) => id === node)?.runId;
  if (found === undefined || found === null) throw new Error(`no run of ${node}`);
  return found;
};
const lastOf = async ({ api }: OpenServices, runId: string, name: string): Promise<number | undefined> => {
  const series = await api.runs.metrics({ runIds: [runId], names: [name], from: 0, to: null, points: 100 });
  return series[0]?.values.at(-1);
};

/** What the runs of a plan must have done besides ending. */
const checks: Readonly<Record<string, (bench: OpenServices, plan: Plan) => Promise<void>>> = {
  // TÜLU 3: the critic of PPO starts from the reward model
  'tulu-3': async ({ api }, plan) => {
    const [judge] = await api.runs.checkpoints({ runId: runOf(plan, 'reward-model') });
    const { spec, lineage } = await api.runs.get({ id: runOf(plan, 'rlvr') });
    expect((spec as RunSpec).models.critic).toEqual({ kind: 'checkpoint', checkpointId: judge.id });
    expect(lineage.checkpoints).toContain(judge.id);
  },
  // Impossible languages: a random order is harder than the natural one
  'impossible-languages': async (bench, plan) => {
    const loss = (order: string) => lastOf(bench, runOf(plan, `order.${order}.learn`), 'eval/loss');
    expect(await loss('random')).toBeGreaterThan((await loss('natural')) ?? Infinity);
  },
  // Explore: each node tells the share of the rooms that it has visited
  explore: async (_bench, { nodes }) => {
    const visited = nodes.map(({ evaluation }) => evaluation['coverage/states']);
    expect(visited.every((share) => share > 0 && share < 1)).toBe(true);
    expect(nodes.every(({ evaluation }) => 'return' in evaluation)).toBe(true);
  },
};

/** Views of the results that some run of a plan has, besides evaluations. */
const views: Readonly<Record<string, readonly string[]>> = {
  explore: ['episodes'],
  replay: ['replay'],
  'co-training': ['verdicts'],
  satori: ['starts'],
  probe: ['gallery'],
  'red-team': ['red-team'],
  evolve: ['search'],
};
const viewsOf = async ({ api }: OpenServices, { nodes }: Plan) => {
  const runs = nodes.flatMap(({ runId }) => runId ?? []);
  const found = await Promise.all(runs.map((runId) => readViews(resultViews, { api, runId, limit: 3 })));
  return found.flat();
};

describe.each(presets.map((preset) => [preset.id, preset] as const))('the plan %s', (id, { plan }) => {
  it('runs to its end', { timeout: 180_000 }, async () => {
    const bench = await servicesForTest({ engine: null });
    const started = await plansOf(bench.services).launch(resized(plan));
    const found = await followPlan(bench.services, started, {});
    expect(found.nodes.filter(({ state }) => state !== 'done')).toEqual([]);
    for (const { kind, rows } of found.nodes) if (kind === 'data') expect(rows).toBeGreaterThan(0);
    await checks[id]?.(bench, found);
    const shown = await viewsOf(bench, found);
    expect(shown.map((view) => view.id)).toEqual(expect.arrayContaining([...(views[id] ?? [])]));
    // no table has a cell that was read wrongly
    expect(shown.filter(({ text }) => /undefined|NaN|\[object/.test(text))).toEqual([]);
  });
});
