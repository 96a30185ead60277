import { pause } from '../pace/index.ts';
import type { Points } from './k-means.ts';

/** Points × k, row by row. */
export interface Neighbours {
  /** The nearest other points, nearest first. */
  readonly neighbours: Uint32Array;
  readonly cosines: Float64Array;
  /** Neighbours of each point: as many as were asked for, or all other points. */
  readonly k: number;
}

/** Points of unit length; a point at the origin stays there. */
function unitPoints({ values, width }: Points, count: number): Float64Array {
  const unit = values.slice();
  for (let row = 0; row < count; row++) {
    let squares = 0;
    for (let at = row * width; at < (row + 1) * width; at++) squares += unit[at] * unit[at];
    if (squares === 0) continue;
    const length = Math.sqrt(squares);
    for (let at = row * width; at < (row + 1) * width; at++) unit[at] /= length;
  }
  return unit;
}

/**
 * The k nearest other points of each by the cosine of the angle between them, found by comparing all: n² · width
 * products. Of equally near points the first ones count; the cosine with a point at the origin is 0.
 */
export async function nearestNeighbours(points: Points, most: number): Promise<Neighbours> {
  const { width } = points;
  const count = width === 0 ? 0 : points.values.length / width;
  const k = Math.max(0, Math.min(most, count - 1));
  const unit = unitPoints(points, count);
  const neighbours = new Uint32Array(count * k);
  const cosines = new Float64Array(count * k).fill(-Infinity);
  for (let own = 0; own < count && k > 0; own++) {
    await pause(own / count);
    for (let other = 0; other < count; other++) {
      if (other === own) continue;
      let cosine = 0;
      for (let f = 0; f < width; f++) cosine += unit[own * width + f] * unit[other * width + f];
      insert(cosine, other, own * k, (own + 1) * k);
    }
  }
  return { neighbours, cosines: cosines.map((cosine) => Math.max(-1, Math.min(1, cosine))), k };

  /** Puts a point into the sorted list from `start` to `end` if it is nearer than the last one there. */
  function insert(cosine: number, other: number, start: number, end: number): void {
    if (cosine <= cosines[end - 1]) return;
    let at = end - 1;
    for (; at > start && cosines[at - 1] < cosine; at--) {
      cosines[at] = cosines[at - 1];
      neighbours[at] = neighbours[at - 1];
    }
    cosines[at] = cosine;
    neighbours[at] = other;
  }
}
