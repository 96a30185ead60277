import { pause } from '../pace/index.ts';
import { stream } from '../random/random.ts';

/** Rows of features, N × width. */
export interface Points {
  readonly values: Float64Array;
  readonly width: number;
}

/**
 * 1 ⁄ mean square of each feature: weights of a squared distance in which every feature counts alike, whatever
 * its scale. 1 for a feature that is always 0.
 */
export const featureWeights = ({ values, width }: Points): Float64Array => {
  const squares = new Float64Array(width);
  const rows = width === 0 ? 0 : values.length / width;
  for (let row = 0, at = 0; row < rows; row++)
    for (let f = 0; f < width; f++, at++) squares[f] += values[at] * values[at];
  return squares.map((sum) => (sum > 0 ? rows / sum : 1));
};

/** Points with the weights of their features. */
interface Weighted extends Points {
  readonly weights: Float64Array;
}

const squaredDistance = (
  { values, width, weights }: Weighted,
  row: number,
  centre: Float64Array,
  start: number,
): number => {
  let sum = 0;
  for (let f = 0, at = row * width; f < width; f++, at++) {
    const d = values[at] - centre[start + f];
    sum += d * d * weights[f];
  }
  return sum;
};

/** Points that centres are fitted to; the others are only assigned. */
const FITTED = 5000;
const ROUNDS = 25;

/** First centres, each drawn with a probability that grows with its squared distance to the ones before. */
const seeded = (points: Weighted, rows: readonly number[], clusters: number, seed: number): Float64Array => {
  const { values, width } = points;
  const draw = stream(seed, 'k-means');
  const centres = new Float64Array(clusters * width);
  const nearest = new Float64Array(rows.length).fill(Infinity);
  let next = rows[draw.int(rows.length)];
  for (let c = 0; c < clusters; c++) {
    centres.set(values.subarray(next * width, (next + 1) * width), c * width);
    let total = 0;
    rows.forEach((row, i) => {
      nearest[i] = Math.min(nearest[i], squaredDistance(points, row, centres, c * width));
      total += nearest[i];
    });
    let left = draw.next() * total;
    const at = nearest.findIndex((d) => (left -= d) < 0);
    next = rows[at < 0 ? draw.int(rows.length) : at];
  }
  return centres;
};

const nearestCentre = (points: Weighted, row: number, centres: Float64Array): number => {
  let best = 0;
  let least = Infinity;
  for (let c = 0; c * points.width < centres.length; c++) {
    const distance = squaredDistance(points, row, centres, c * points.width);
    if (distance < least) [best, least] = [c, distance];
  }
  return best;
};

/**
 * The cluster of each point: k-means++ (Arthur and Vassilvitskii 2007) and Lloyd's rounds until nothing
 * moves, on at most 5,000 points drawn at random, every feature scaled to a mean square of 1. Clusters may be
 * empty.
 */
export const kMeans = async (given: Points, clusters: number, seed: number): Promise<Uint32Array> => {
  const { values, width } = given;
  const count = width === 0 ? 0 : values.length / width;
  const assigned = new Uint32Array(count);
  if (count === 0 || clusters < 2) return assigned;
  const points = { ...given, weights: featureWeights(given) };
  const all = Array.from({ length: count }, (_, row) => row);
  const rows = count <= FITTED ? all : stream(seed, 'points of k-means').shuffle(all).slice(0, FITTED);
  const centres = seeded(points, rows, clusters, seed);
  for (let round = 0; round < ROUNDS; round++) {
    await pause(round / ROUNDS);
    let moved = round === 0;
    for (const row of rows) {
      const cluster = nearestCentre(points, row, centres);
      moved ||= cluster !== assigned[row];
      assigned[row] = cluster;
    }
    if (!moved) break;
    const sums = new Float64Array(centres.length);
    const sizes = new Float64Array(clusters);
    for (const row of rows) {
      sizes[assigned[row]]++;
      for (let f = 0; f < width; f++) sums[assigned[row] * width + f] += values[row * width + f];
    }
    sums.forEach((sum, at) => {
      const size = sizes[Math.floor(at / width)];
      if (size > 0) centres[at] = sum / size;
    });
  }
  for (const row of all) {
    if (row % 1000 === 0) await pause();
    assigned[row] = nearestCentre(points, row, centres);
  }
  return assigned;
};
