/** A labeler of known preferences and noise works through a queue; a judge is fitted every few labels. */
import {
  fitHead,
  judged,
  orderOf,
  orders,
  type PreferenceHead,
  type Queue,
} from '../../../engine/labeling/index.ts';
import { permutation, stream } from '../../../engine/random/random.ts';
import type { KnownPairs } from './queues.ts';

export interface Simulation {
  readonly order: string;
  readonly seed: number;
  /** Probability that a label is the wrong one. */
  readonly noise: number;
  /** Labels between two fits; as many random ones come first. */
  readonly batch: number;
  /** Share of the pairs that is held out. */
  readonly heldout: number;
  readonly most: number;
}

export interface Point {
  readonly labels: number;
  /** On held-out pairs, against the true preferences. */
  readonly accuracy: number;
}

const GOLD = 0.1;

/** Rows of differences by their numbers. */
const rowsOf = ({ differences, width }: KnownPairs, rows: readonly number[]): Float64Array => {
  const found = new Float64Array(rows.length * width);
  rows.forEach((row, at) => found.set(differences.subarray(row * width, (row + 1) * width), at * width));
  return found;
};

const fitted = (known: KnownPairs, given: ReadonlyMap<number, number[]>, heads: number, seed: number) => {
  const rows = [...given.keys()];
  const mean = (labels: readonly number[]) => labels.reduce((a, b) => a + b, 0) / labels.length;
  return fitHead(
    {
      differences: rowsOf(known, rows),
      width: known.width,
      targets: Float64Array.from(rows, (row) => mean(given.get(row) ?? [])),
      weights: Float64Array.from(rows, (row) => given.get(row)?.length ?? 0),
      prompts: rows.map(String),
    },
    { heads, seed },
  );
};

const accuracyOf = (known: KnownPairs, rows: readonly number[], head: PreferenceHead): number => {
  const { probabilities } = judged(head, rowsOf(known, rows));
  return rows.filter((row, at) => probabilities[at] > 0.5 === known.prefersA[row]).length / rows.length;
};

/** Accuracy of the judge as labels come in, up to `most` labels; the pool's items are those not held out. */
export const simulated = async (
  known: KnownPairs,
  { order, seed, noise, batch, heldout, most }: Simulation,
): Promise<Point[]> => {
  const shuffled = permutation(known.prefersA.length, seed, 'held-out pairs');
  const out = shuffled.slice(0, Math.round(heldout * shuffled.length));
  const pool = shuffled.slice(out.length);
  const isGold = new Set(pool.slice(0, Math.round(GOLD * pool.length)));
  const given = new Map<number, number[]>();
  const points: Point[] = [];
  const heads = order === 'disagreement' ? 8 : 0;
  let shown = 0;
  let head: PreferenceHead | undefined;
  while (shown < Math.min(most, pool.length)) {
    const { probabilities, ensemble } = head ? judged(head, rowsOf(known, pool)) : {};
    const queue: Queue = {
      count: pool.length,
      labeled: Uint8Array.from(pool, (row) => Number(given.has(row))),
      seed: seed * 1000 + points.length,
      features: { values: rowsOf(known, pool), width: known.width },
      gold: pool.flatMap((row, item) => (isGold.has(row) ? [item] : [])),
      ...(probabilities && { probabilities, ensemble }),
    };
    const entries = await orderOf(orders, head ? order : 'random').order(queue);
    const next = entries.slice(0, batch);
    if (next.length === 0) break;
    for (const { item } of next) {
      const row = pool[item];
      const labels = given.get(row) ?? [];
      const wrong = stream(seed, 'labeler', row, labels.length).next() < noise;
      given.set(row, [...labels, Number(known.prefersA[row] !== wrong)]);
      shown++;
    }
    head = await fitted(known, given, heads, seed);
    points.push({ labels: shown, accuracy: accuracyOf(known, out, head) });
  }
  return points;
};
