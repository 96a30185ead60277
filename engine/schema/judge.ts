import type { Interval } from './evaluation.ts';

/** Share of held-out pairs judged as labeled, ties counted half, with the interval over prompts. */
export interface HeldoutAccuracy {
  readonly labels: number;
  readonly accuracy: number;
  readonly interval: Interval;
}

/** Files of differences of features, little-endian float32, count × width; NaN for a pair that was not read. */
export interface StoredFeatures {
  readonly files: readonly {
    /** Absolute path. */
    readonly path: string;
    /** Position in the queue of its first pair, and number of its pairs. */
    readonly first: number;
    readonly count: number;
  }[];
  readonly width: number;
}

/** A judge's weights on features as stored, and those of its ensemble. */
export interface HeadWeights {
  readonly weights: Float64Array;
  readonly ensemble: readonly Float64Array[];
}

export interface JudgeLabels {
  /** P: position in the queue of each labeled pair. */
  readonly positions: Float64Array;
  /** P: 1 if answer a was chosen, 0 for b, one half for a tie. */
  readonly targets: Float64Array;
  /** P: pairs of one prompt have one key. */
  readonly prompts: readonly string[];
}

/** A judge fitted to labels. */
export interface JudgeFit extends HeadWeights {
  /** On left-out prompts; null if all pairs are about one prompt. */
  readonly heldout: HeldoutAccuracy | null;
  /** The same with fewer labels, rising; the last point is `heldout`. */
  readonly curve: readonly HeldoutAccuracy[];
  /** Labels whose pairs have no features. */
  readonly leftOut: number;
  /** P: P(a) by a head that did not learn from the pair's prompt; NaN for a pair that was left out. */
  readonly probabilities: Float64Array;
}

export interface JudgeOrder {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Positions of the items to order or to compare with, and a 1 for those that have a label. */
  readonly positions: Float64Array;
  readonly labeled: Uint8Array;
  /** Most items to return. */
  readonly most: number;
}
