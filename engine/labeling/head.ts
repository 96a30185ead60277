import { WhetstoneError } from '../common/errors.ts';
import { clusteredRateInterval, clustersOf } from '../evaluate/intervals.ts';
import { part, pause } from '../pace/index.ts';
import { shuffle, stream } from '../random/random.ts';
import {
  crossValidated,
  fitLogistic,
  marginsOf,
  rescale,
  subset,
  type Comparisons,
  type Fitted,
} from '../regression/index.ts';
import type { HeldoutAccuracy } from '../schema/judge.ts';

/** Labeled pairs of answers. */
export interface LabeledPairs {
  /** P × width, row by row: features of answer a minus those of answer b. */
  readonly differences: Float64Array;
  readonly width: number;
  /** P: 1 if a was chosen, 0 if b, one half for a tie. */
  readonly targets: Float64Array;
  /** P: weight of a label, such as the reliability of its labeler; 1 by default. */
  readonly weights?: Float64Array;
  /** P: pairs of one prompt have one key, and are left out together. */
  readonly prompts: readonly string[];
}

export interface HeadOptions {
  readonly folds?: number;
  /** Heads of the bootstrap ensemble. */
  readonly heads?: number;
  readonly seed?: number;
}

export interface PreferenceHead {
  /** On the features as given: P(a is preferred) = σ(weights · difference). */
  readonly weights: Float64Array;
  /** Heads fitted on resampled prompts, with the same penalty. */
  readonly ensemble: readonly Float64Array[];
  readonly penalty: number;
  /** On left-out prompts; null with pairs of a single prompt. */
  readonly heldout: HeldoutAccuracy | null;
  /** P: probability that a is preferred by a head that did not learn from the pair's prompt; null likewise. */
  readonly probabilities: Float64Array | null;
}

const FOLDS = 5;
const HEADS = 8;
/** Distance from the minimum of each head of an ensemble, in nats a pair. */
const ROUGH = 1e-8;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

const refuse = (message: string, where: string): never => {
  throw new WhetstoneError('invalid-input', message, { where });
};

interface Prepared {
  readonly data: Comparisons;
  readonly scale: Float64Array;
  /** P: number of the prompt. */
  readonly groups: Float64Array;
}

/** Checks pairs, scales a copy of their features, and numbers their prompts in random order. */
const prepared = (
  { differences, width, targets, weights, prompts }: LabeledPairs,
  seed: number,
): Prepared => {
  const pairs = targets.length;
  if (pairs < 2) refuse(`A judge needs at least two labeled pairs; there are ${pairs}.`, 'labels');
  if (differences.length !== pairs * width || prompts.length !== pairs)
    refuse(`Each of ${pairs} pairs needs ${width} features and a prompt.`, 'features');
  if (!differences.every(Number.isFinite)) refuse('A feature is not a finite number.', 'features');
  if (!targets.every((target) => target >= 0 && target <= 1))
    refuse('A label must lie between 0 and 1.', 'labels');
  if (weights && !(weights.length === pairs && weights.every((w) => w >= 0 && Number.isFinite(w))))
    refuse('Each pair needs a weight of at least 0.', 'weights');
  const scaled = differences.slice();
  const scale = rescale(scaled, width);
  const order = new Map(shuffle([...new Set(prompts)], seed, 'folds of prompts').map((key, at) => [key, at]));
  return {
    data: { differences: scaled, width, targets, weights: weights ?? new Float64Array(pairs).fill(1) },
    scale,
    groups: Float64Array.from(prompts, (key) => order.get(key) ?? 0),
  };
};

const heldoutOf = (
  targets: Float64Array,
  margins: Float64Array,
  prompts: readonly string[],
  labels: number,
): HeldoutAccuracy => {
  const right = Float64Array.from(targets, (target, p) =>
    margins[p] > 0 ? target : margins[p] < 0 ? 1 - target : 0.5,
  );
  return {
    labels,
    accuracy: right.reduce((a, b) => a + b, 0) / right.length,
    interval: clusteredRateInterval(clustersOf(prompts, right)),
  };
};

/** Heads on prompts drawn with replacement: a prompt drawn twice counts twice. */
const ensembleOf = async (
  { data, groups }: Prepared,
  { weights, penalty, factor }: Fitted,
  heads: number,
  seed: number,
): Promise<Float64Array[]> => {
  const prompts = groups.reduce((most, group) => Math.max(most, group), 0) + 1;
  const found: Float64Array[] = [];
  for (let head = 0; head < heads; head++) {
    await pause(head / heads);
    const draw = stream(seed, 'ensemble of heads', head);
    const times = new Float64Array(prompts);
    for (let i = 0; i < prompts; i++) times[draw.int(prompts)]++;
    const resampled = { ...data, weights: data.weights.map((weight, p) => weight * times[groups[p]]) };
    const drawn = resampled.weights.some((weight) => weight > 0);
    found.push(
      drawn ? await fitLogistic(resampled, penalty, { weights, factor, tolerance: ROUGH }) : weights,
    );
  }
  return found;
};

/**
 * Fits a Bradley–Terry head (1952) to labeled pairs: logistic regression on the differences of frozen
 * features, its ridge penalty chosen by cross-validation over prompts, with a bootstrap ensemble. Throws
 * `invalid-input` for fewer than two pairs and for features that are not finite.
 */
export const fitHead = async (pairs: LabeledPairs, options: HeadOptions = {}): Promise<PreferenceHead> => {
  const { folds = FOLDS, heads = HEADS, seed = 0 } = options;
  const ready = prepared(pairs, seed);
  const fitted = await part(0, 0.8, () => crossValidated({ ...ready.data, groups: ready.groups, folds }));
  const ensemble = await part(0.8, 1, () => ensembleOf(ready, fitted, heads, seed));
  const unscaled = (weights: Float64Array) => weights.map((w, f) => w / ready.scale[f]);
  const { heldoutMargins: margins } = fitted;
  return {
    weights: unscaled(fitted.weights),
    ensemble: ensemble.map(unscaled),
    penalty: fitted.penalty,
    heldout: margins ? heldoutOf(pairs.targets, margins, pairs.prompts, pairs.targets.length) : null,
    probabilities: margins ? margins.map(sigmoid) : null,
  };
};

/** P(a is preferred) of each pair by weights of a head, and by each head of its ensemble. */
export const judged = (
  { weights, ensemble }: Pick<PreferenceHead, 'weights' | 'ensemble'>,
  differences: Float64Array,
): { readonly probabilities: Float64Array; readonly ensemble: readonly Float64Array[] } => {
  const width = weights.length;
  const count = width === 0 ? 0 : differences.length / width;
  const data = { differences, width, targets: new Float64Array(count), weights: new Float64Array(count) };
  const by = (head: Float64Array) => marginsOf(data, head).map(sigmoid);
  return { probabilities: by(weights), ensemble: ensemble.map(by) };
};

/**
 * Accuracy on left-out prompts of heads that learned from the first n labels in random order, for several n
 * (the last one leaves out a fold of all). The penalty of the whole fit is scaled by the number of labels.
 */
export const learningCurve = async (
  pairs: LabeledPairs,
  sizes: readonly number[],
  { penalty, folds = FOLDS, seed = 0 }: HeadOptions & { readonly penalty: number },
): Promise<HeldoutAccuracy[]> => {
  const { data, groups } = prepared(pairs, seed);
  const count = data.targets.length;
  const rank = new Map(
    shuffle([...data.targets.keys()], seed, 'learning curve').map((pair, at) => [pair, at]),
  );
  const found: HeldoutAccuracy[] = [];
  for (const [at, size] of sizes.entries()) {
    if (!Number.isSafeInteger(size) || size < 1)
      refuse(`A point of a learning curve needs at least one label, not ${size}.`, 'sizes');
    await pause(at / sizes.length);
    const margins = new Float64Array(count);
    for (let fold = 0; fold < folds; fold++) {
      const isOut = (pair: number) => groups[pair] % folds === fold;
      const inside = [...data.targets.keys()]
        .filter((pair) => !isOut(pair))
        .sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))
        .slice(0, size);
      const chosen = new Set(inside);
      if (chosen.size === 0) continue;
      const weights = await fitLogistic(
        subset(data, (pair) => chosen.has(pair)),
        (penalty * count) / chosen.size,
        { tolerance: ROUGH },
      );
      marginsOf(data, weights).forEach((margin, pair) => isOut(pair) && (margins[pair] = margin));
    }
    found.push(heldoutOf(data.targets, margins, pairs.prompts, Math.min(size, count)));
  }
  return found;
};
