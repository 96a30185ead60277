import { part } from '../pace/index.ts';
import type {
  HeadWeights,
  HeldoutAccuracy,
  JudgeFit,
  JudgeLabels,
  JudgeOrder,
  StoredFeatures,
} from '../schema/judge.ts';
import { WhetstoneError } from '../common/errors.ts';
import { fitHead, judged, learningCurve, type LabeledPairs, type PreferenceHead } from './head.ts';
import { orderOf, orders } from './orders/index.ts';
import { featuresAt } from './stored-features.ts';

/** First point of a learning curve, and most points before its last one. */
const FIRST_POINT = 25;
const MOST_POINTS = 6;
/** Share of the time of a fit that is spent on its learning curve. */
const CURVE_SHARE = 0.5;

/** Numbers of labels at which a judge of `labels` is compared with itself: doubling, below `labels`. */
const sizesBelow = (labels: number): number[] => {
  const sizes: number[] = [];
  for (let size = FIRST_POINT; size < labels && sizes.length < 40; size *= 2) sizes.push(size);
  return sizes.slice(-MOST_POINTS);
};

const curveOf = async (
  pairs: LabeledPairs,
  { penalty, heldout }: PreferenceHead,
  seed: number,
): Promise<HeldoutAccuracy[]> =>
  heldout === null
    ? []
    : [...(await learningCurve(pairs, sizesBelow(heldout.labels), { penalty, seed })), heldout];

/** Rows of features at the numbers given. */
const rowsOf = (values: Float64Array, width: number, rows: readonly number[]): Float64Array => {
  const taken = new Float64Array(rows.length * width);
  rows.forEach((row, at) => taken.set(values.subarray(row * width, (row + 1) * width), at * width));
  return taken;
};

/**
 * Fits a judge to the labels of a queue whose features are stored, with its learning curve. Labels without
 * features are left out. Throws `invalid-input` for fewer than two labels with features.
 */
export const fitJudge = async (
  features: StoredFeatures,
  { positions, targets, prompts }: JudgeLabels,
  seed: number,
): Promise<JudgeFit> => {
  const { values, present } = await featuresAt(features, positions);
  const kept = [...positions.keys()].filter((row) => present[row] === 1);
  if (kept.length < 2)
    throw new WhetstoneError(
      'invalid-input',
      `Of ${positions.length} labeled pairs, ${kept.length} have features.`,
      {
        where: 'labels',
        hint: 'Choose a model that can read pairs of this length, or label more pairs.',
      },
    );
  const pairs: LabeledPairs = {
    differences: rowsOf(values, features.width, kept),
    width: features.width,
    targets: Float64Array.from(kept, (row) => targets[row]),
    prompts: kept.map((row) => prompts[row]),
  };
  const head = await part(0, 1 - CURVE_SHARE, () => fitHead(pairs, { seed }));
  const curve = await part(1 - CURVE_SHARE, 1, () => curveOf(pairs, head, seed));
  const probabilities = new Float64Array(positions.length).fill(NaN);
  kept.forEach((row, at) => (probabilities[row] = head.probabilities?.[at] ?? NaN));
  return {
    weights: head.weights,
    ensemble: head.ensemble,
    heldout: head.heldout,
    curve,
    leftOut: positions.length - kept.length,
    probabilities,
  };
};

/**
 * Positions of the unlabeled items of a queue, the first to be labeled first, at most `most`; items without
 * features are left out. Throws `unsupported` if the order needs a judge and there is none, and `not-found`
 * for an unknown order.
 */
export const orderQueue = async (
  features: StoredFeatures,
  head: HeadWeights | null,
  { id, params, seed, positions, labeled, most }: JudgeOrder,
): Promise<Float64Array> => {
  const { values, present } = await featuresAt(features, positions);
  const kept = [...positions.keys()].filter((row) => present[row] === 1);
  const known = rowsOf(values, features.width, kept);
  const queue = {
    count: kept.length,
    labeled: Uint8Array.from(kept, (row) => labeled[row]),
    seed,
    features: { values: known, width: features.width },
    ...(head && judged(head, known)),
  };
  const entries = await orderOf(orders, id).order(queue, params);
  return Float64Array.from(
    entries.filter(({ kind }) => kind === 'new').slice(0, most),
    ({ item }) => positions[kept[item]],
  );
};
