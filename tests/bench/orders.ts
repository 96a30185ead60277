import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mean, variance } from '../../engine/evaluate/index.ts';
import { orders } from '../../engine/labeling/index.ts';
import { dataFile } from '../support/data-file.ts';
import { rounded, say } from './figures.ts';
import { pairFeatures } from './ours/pair-features.ts';
import { arithmeticPairs, transcriptPairs, type KnownPairs } from './ours/queues.ts';
import { simulated, type Point } from './ours/simulated-labeling.ts';

/** Labels needed to reach the target on held-out pairs, means over seeds; `ratio` is of each seed's two numbers. */
export interface OrderFigures {
  readonly order: string;
  readonly data: string;
  readonly labels: number;
  readonly randomLabels: number;
  /** Geometric mean over seeds of labels ÷ random's labels with the same seed: below 1 saves labels. */
  readonly ratio: number;
  /** 95 % of the ratio, paired by seed (Student's t of its logarithm); null for a single seed. */
  readonly interval: readonly [number, number] | null;
  /** Mean over seeds of the accuracy to reach. */
  readonly target: number;
  /** Seeds that never reached it: they count with all labels of the pool. */
  readonly missed: number;
}

const HELD_OUT = 0.35;
/** The target closes this share of the gap from chance to the judge of all labels of the pool. */
const CLOSED = 0.9;
const FILE = 'hh-harmless-1156.jsonl';
/** 97.5 % points of Student's t, by degrees of freedom from 1. */
const T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/** Points that are averaged, so that one lucky fit does not count. */
const SMOOTHED = 3;

/** Labels at the first point from which the mean accuracy of three reaches the target; null if none does. */
const labelsTo = (points: readonly Point[], target: number): number | null =>
  points.find(
    (_, at) =>
      at + SMOOTHED <= points.length &&
      mean(points.slice(at, at + SMOOTHED).map(({ accuracy }) => accuracy)) >= target,
  )?.labels ?? null;

const figuresOf = (
  order: string,
  data: string,
  needed: readonly (readonly [number | null, number | null, all: number])[],
  target: number,
): OrderFigures => {
  const own = needed.map(([labels, , all]) => labels ?? all);
  const random = needed.map(([, labels, all]) => labels ?? all);
  const logs = own.map((labels, seed) => Math.log(labels / random[seed]));
  const middle = mean(logs);
  const half =
    logs.length < 2
      ? null
      : T[Math.min(logs.length - 2, T.length - 1)] * Math.sqrt(variance(logs) / logs.length);
  return {
    order,
    data,
    labels: rounded(mean(own)),
    randomLabels: rounded(mean(random)),
    ratio: rounded(Math.exp(middle), 3),
    interval:
      half === null ? null : [rounded(Math.exp(middle - half), 3), rounded(Math.exp(middle + half), 3)],
    target: rounded(target, 3),
    missed: needed.filter(([labels]) => labels === null).length,
  };
};

export interface OrderBench {
  readonly seeds: readonly number[];
  readonly noise: number;
  readonly batch: number;
  readonly most: number;
}

/** Every order against random on pairs of known preferences, with the same labeler, seeds and held-out pairs. */
const measured = async (known: KnownPairs, bench: OrderBench): Promise<OrderFigures[]> => {
  const pool = known.prefersA.length - Math.round(HELD_OUT * known.prefersA.length);
  const run = (order: string, seed: number, batch: number, most: number) =>
    simulated(known, { order, seed, noise: bench.noise, batch, heldout: HELD_OUT, most });
  const needed = new Map<string, (number | null)[]>(orders.map(({ id }) => [id, []]));
  const targets: number[] = [];
  for (const seed of bench.seeds) {
    const [whole] = await run('random', seed, pool, pool);
    const target = 0.5 + CLOSED * (whole.accuracy - 0.5);
    targets.push(target);
    for (const { id } of orders)
      needed.get(id)?.push(labelsTo(await run(id, seed, bench.batch, Math.min(bench.most, pool)), target));
    say(
      `${known.data}, seed ${seed}: ${[...needed].map(([id, labels]) => `${id} ${labels.at(-1)}`).join(', ')}`,
    );
  }
  const random = needed.get('random') ?? [];
  const all = Math.min(bench.most, pool);
  return [...needed]
    .filter(([id]) => id !== 'random')
    .map(([id, labels]) =>
      figuresOf(
        id,
        known.data,
        labels.map((own, at) => [own, random[at], all] as const),
        mean(targets),
      ),
    );
};

/**
 * Labels that each order of the queue needs to reach a held-out accuracy, against random, with a simulated
 * labeler: on answers of a built-in world, and on HH with the features of the model in `model`, if both are
 * there.
 */
export const measureOrders = async ({
  model,
  threads,
  ...bench
}: OrderBench & { readonly model: string | undefined; readonly threads: number }): Promise<
  OrderFigures[]
> => {
  const figures = await measured(arithmeticPairs(), bench);
  const { path, missing } = dataFile(FILE);
  const why =
    missing ??
    (model === undefined
      ? 'no model was named by --model'
      : existsSync(model)
        ? null
        : `there is no folder ${model}`);
  if (why !== null || model === undefined) {
    say(`${FILE} was skipped: ${why}`);
    return figures;
  }
  const features = await pairFeatures(path, model, join(tmpdir(), 'whetstone-bench-features'), threads);
  for (const known of await transcriptPairs(features)) figures.push(...(await measured(known, bench)));
  return figures;
};
