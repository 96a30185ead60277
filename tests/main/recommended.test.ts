import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import type { Preflight } from '../../engine/schema/preflight.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { Values } from '../../main/commands/command.ts';
import { evaluatedAlong, recommendedCommand } from '../../main/commands/recommended.ts';
import * as demo from '../../main/demo/plan.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { servicesForTest } from '../support/workspace.ts';

/** The preflight check, including two steps. */
async function preflight({ api }: OpenServices, spec: RunSpecInput): Promise<Preflight | null> {
  let last: Preflight | null = null;
  for await (const { result } of api.runs.preflight({ spec, dryRun: true }, new AbortController().signal))
    last = result ?? last;
  return last;
}
const passes = { fits: true, dryRun: { secondsPerStep: expect.toSatisfy(Number.isFinite) as number } };

describe('the recommended plan', () => {
  it('is printed by the command line, and the printed plan can be run', async () => {
    const run = async (values: Values) =>
      (await recommendedCommand.run({ positionals: [], values, json: true, log: () => undefined })).value;
    expect(await run({ seed: '7' })).toEqual(evaluatedAlong(demo.base(7)));
    expect(await run({ seed: '7' })).toMatchObject({ evaluation: { every: 1200 } });
    const verifier = { id: 'verifier', weight: 1, params: {} };
    const grpo = evaluatedAlong(demo.grpo('grpo', 'c', [verifier], 0, { evaluationRewards: [] }));
    expect(await run({ from: 'c' })).toEqual(grpo);
    expect(checkSpec(await run({ from: 'c' }))).toEqual(grpo);
    await expect(async () => run({ seed: '-1' })).rejects.toMatchObject({ where: '--seed' });
  });

  it('is evaluated only at its end by the demo, whose numbers stay', () => {
    const specs = [demo.base(0), demo.grpo('grpo', 'c', [], 0, { evaluationRewards: [] })];
    expect(specs.map((spec) => checkSpec(spec).evaluation.every)).toEqual([0, 0]);
  });

  it('has a number for every size', () => {
    const numbers: [path: string, value: unknown][] = [];
    const walk = (path: string, value: unknown): void => {
      if (typeof value !== 'object' || value === null) numbers.push([path, value]);
      else for (const [key, part] of Object.entries(value)) walk(`${path}.${key}`, part);
    };
    walk('sizes', demo.sizes);
    expect(numbers.length).toBeGreaterThan(15);
    expect(numbers.filter(([, value]) => typeof value !== 'boolean' && !Number.isFinite(value))).toEqual([]);
  });

  it('passes the preflight check, with each run starting from the result of the previous one', async () => {
    const bench = await servicesForTest({ engine: null });
    const { api } = bench;
    expect(await preflight(bench, demo.base(0))).toMatchObject(passes);
    const finish = async (spec: RunSpecInput): Promise<string> => {
      const { runId } = await api.runs.launch({ spec });
      expect(await bench.waitForRun(runId)).toMatchObject({ state: 'done', error: null });
      return runId;
    };
    const start = await finish({
      ...demo.base(0),
      budget: { steps: 40, batch: 16 },
      evaluation: { problems: 0 },
    });
    const checkpointId = (await api.runs.checkpoints({ runId: start })).find(({ final }) => final)?.id ?? '';
    expect(
      await preflight(bench, demo.grpo('grpo', checkpointId, [], 0, { evaluationRewards: [] })),
    ).toMatchObject(passes);

    const written = await finish({ ...demo.samples(checkpointId, 0), budget: { steps: 1, batch: 30 } });
    const { id } = await api.labels.createSet({
      name: '',
      from: { kind: 'run', runId: written },
      pairsPerPrompt: 2,
      onlyDiffering: false,
      seed: 0,
    });
    const { pairs } = await api.labels.pairs({ setId: id, offset: 0, limit: 1000 });
    await api.labels.decideMany({
      labeler: 'script',
      decisions: pairs.map(({ pairId, a, b }) => ({ pairId, verdict: a < b ? 'a' : 'b' })),
    });
    expect(await preflight(bench, demo.rewardModel(checkpointId, id, 0))).toMatchObject(passes);
    expect(
      await preflight(bench, {
        ...demo.dpo(checkpointId, id, 0, { evaluationRewards: [] }),
        task: { kind: 'labels', labelSetId: id },
      }),
    ).toMatchObject(passes);
  });
});
