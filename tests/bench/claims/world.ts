/**
 * Runs for claims: toy worlds, a model of 13 thousand parameters, seconds each. Budgets, thresholds and
 * initial policies are chosen by the baseline alone on seeds that are not reported.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as z from 'zod';
import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import { checkSpec } from '../../../engine/index.ts';
import type { Substitutes } from '../../../engine/rl/run/open-task.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import type { Demonstration } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { noResources, recorder, toyModel, type Seen } from '../../support/toy-run.ts';
import type { Claim, Lab, Side } from './claim.ts';

export type ToySpec = Omit<RunSpecInput, 'models'> & { readonly models?: RunSpecInput['models'] };

/**
 * Runs a spec, from random weights or `from` the checkpoint of an earlier run; `as`: the name of its
 * checkpoint, for models and rewards. `prepare` changes its data before it begins.
 */
export type Run = (
  spec: ToySpec,
  given?: { readonly from?: string; readonly as?: string } & Pick<Substitutes, 'prepare'>,
) => Promise<Seen[]>;

export interface Workbench {
  readonly run: Run;
  readonly dataset: (id: string, rows: readonly z.input<typeof Demonstration>[]) => Promise<void>;
}

/** Runs that build on one another, in a temporary folder. */
export const runs = async <T>(
  { device, most = Infinity }: Lab,
  use: (bench: Workbench) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-claim-'));
  const checkpoints: Record<string, string> = {};
  const datasets: Record<string, string> = {};
  const run: Run = async (
    { models = toyModel, budget, evaluation, ...spec },
    { from, as, ...substitutes } = {},
  ) => {
    const outDir = await mkdtemp(join(folder, 'run-'));
    const { seen, events } = recorder();
    const checked = checkSpec({
      ...spec,
      models: from === undefined ? models : { policy: { kind: 'checkpoint', checkpointId: from } },
      budget: { ...budget, steps: Math.min(budget?.steps ?? 100, most) },
      evaluation: { ...evaluation, problems: Math.min(evaluation?.problems ?? 0, most) },
    });
    const start = {
      runId: 'claim',
      attempt: 1,
      spec: checked,
      resources: { ...noResources, checkpoints, datasets },
      outDir,
    };
    await runToEnd(start, events, new AbortController().signal, device, substitutes);
    const saved = seen.findLast((event) => event.type === 'checkpoint');
    if (as !== undefined && saved?.type === 'checkpoint') checkpoints[as] = saved.checkpoint.path;
    return seen;
  };
  const dataset: Workbench['dataset'] = async (id, rows) => {
    datasets[id] = join(folder, `${id}.jsonl`);
    await writeFile(datasets[id], rows.map((row) => JSON.stringify(row)).join('\n'));
  };
  try {
    return await use({ run, dataset });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Prepares the common start of both sides' runs, and measures each side. */
export const pairedRuns =
  (
    start: (bench: Workbench, seed: number) => Promise<unknown>,
    number: (run: Run, side: Side, seed: number, start: number) => Promise<number>,
  ): Claim['of'] =>
  (lab, seed) =>
    runs(lab, async (bench) => {
      await start(bench, seed);
      return {
        method: await number(bench.run, 'method', seed + 100, seed),
        baseline: await number(bench.run, 'baseline', seed + 100, seed),
      };
    });

/** Supervised training of the initial policy: batches of 32 demonstrations. */
export const imitation = (steps: number, schedule: 'constant' | 'linear' = 'linear') =>
  ({
    method: { id: 'sft' },
    optimizer: { learningRate: 1e-2, beta2: 0.95, schedule },
    budget: { steps, batch: 32 },
  }) as const;

/**
 * Sorting three to seven digits, the answer alone: a model of this size learns it, the short ones long
 * before the long ones.
 */
export const sorting = {
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 32, layers: 1, heads: 2, context: 40 },
      tokenizer: { kind: 'characters' },
    },
  },
  task: {
    kind: 'world',
    id: 'sorting',
    params: { method: 'none', levels: 5, heldoutLevels: 0, wrong: 0, rambling: 0 },
  },
  sampling: { maxTokens: 16 },
} as const;

/** Every value of a metric, first to last. */
export const curve = (seen: readonly Seen[], name: string): number[] =>
  seen.flatMap((event) => (event.type === 'metrics' && name in event.values ? [event.values[name]] : []));

/** Results of evaluations, first to last. */
export const evaluations = (seen: readonly Seen[]): PolicyEvaluation[] =>
  seen.flatMap((event) =>
    event.type === 'result' && event.kind === 'evaluation' ? [event.value as PolicyEvaluation] : [],
  );

/** Throws for an empty list: a claim's number is never made up. */
export const mean = (values: readonly number[]): number => {
  if (values.length === 0) throw new Error('the run reported no values to average');
  return values.reduce((a, b) => a + b, 0) / values.length;
};
