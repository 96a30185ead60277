import { WhetstoneError } from '../common/errors.ts';
import type { ReliabilityBin } from '../schema/evaluation.ts';
import { finite, notNegative, sameLength, notEmpty, whole } from './inputs.ts';
import { binOf } from './moments.ts';

/**
 * Reliability diagram: mean confidence against share of hits, in equal-width bins of the confidence over
 * `range`; empty bins are left out. `hits` are 1, 0, or one half for a tie.
 */
export const reliability = (
  confidence: ArrayLike<number>,
  hits: ArrayLike<number>,
  bins = 10,
  range: readonly [number, number] = [0, 1],
): ReliabilityBin[] => {
  sameLength(confidence, hits, 'confidences and outcomes');
  finite(confidence, 'confidences');
  finite(hits, 'outcomes');
  finite(range, 'ends of the range');
  whole(bins, 'number of bins', 1);
  const [low, high] = range;
  const edges = Array.from({ length: bins + 1 }, (_, i) => low + ((high - low) * i) / bins);
  const found = edges.slice(1).map((to, i) => ({ from: edges[i], to, n: 0, confidence: 0, hits: 0 }));
  for (let i = 0; i < confidence.length; i++) {
    const at = binOf(edges, confidence[i]);
    if (at < 0)
      throw new WhetstoneError(
        'invalid-input',
        `A confidence must lie between ${low} and ${high}, not ${confidence[i]}.`,
      );
    found[at].n++;
    found[at].confidence += confidence[i];
    found[at].hits += hits[i];
  }
  return found
    .filter((bin) => bin.n > 0)
    .map(({ from, to, n, confidence: total, hits: right }) => ({
      from,
      to,
      n,
      confidence: total / n,
      accuracy: right / n,
    }));
};

/**
 * Expected calibration error (Guo et al. 2017, arXiv:1706.04599): |accuracy − confidence| averaged over bins,
 * weighted by their sizes.
 */
export const expectedCalibrationError = (bins: readonly ReliabilityBin[]): number => {
  notEmpty(bins, 'bins');
  notNegative(
    bins.map(({ n }) => n),
    'sizes of bins',
  );
  finite(
    bins.flatMap(({ confidence, accuracy }) => [confidence, accuracy]),
    'means of bins',
  );
  const n = bins.reduce((total, bin) => total + bin.n, 0);
  return bins.reduce((total, bin) => total + (bin.n / n) * Math.abs(bin.accuracy - bin.confidence), 0);
};

/** σ(x). It passes NaN on, so that the caller can name the model that produced it. */
export const sigmoid = (x: number): number =>
  x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
