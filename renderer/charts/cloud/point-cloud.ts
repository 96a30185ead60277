/** Points in a plane, drawn in one unit for both axes; a style per point. */
export interface Cloud {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Index into the styles, by point. */
  readonly style: ArrayLike<number>;
  /** 1 for points in front, in full colour; others are faint while there are both. */
  readonly front: ArrayLike<number>;
}
/** Limits of the part of the plane that is shown, or of a region of it. */
export interface Area {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}
export const shapes = ['circle', 'square', 'triangle', 'diamond', 'plus', 'cross', 'bar'] as const;
export type Shape = (typeof shapes)[number];
export interface PointStyle {
  /** A colour of CSS. */
  readonly color: string;
  readonly shape: Shape;
}

/** The plane's place on a drawing of this size, in CSS pixels. */
export interface Plot {
  readonly area: Area;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Least span of an area: coordinates are of the order of 1, so points this near are one. */
const LEAST = 0.001;

/** The smallest area around another one in which both axes have one unit, with a margin. */
export function fitted({ x, y }: Area, width: number, height: number): Area {
  const spans = [x[1] - x[0], y[1] - y[0]] as const;
  const unit = Math.max(spans[0] / width, spans[1] / height, LEAST / Math.min(width, height)) * 1.06;
  const around = ([low, high]: readonly [number, number], size: number): [number, number] => {
    const middle = (low + high) / 2;
    return [middle - (unit * size) / 2, middle + (unit * size) / 2];
  };
  return { x: around(x, width), y: around(y, height) };
}

export const toScreen = ({ area, left, top, width, height }: Plot, x: number, y: number) => ({
  x: left + ((x - area.x[0]) / (area.x[1] - area.x[0])) * width,
  y: top + (1 - (y - area.y[0]) / (area.y[1] - area.y[0])) * height,
});
export const fromScreen = ({ area, left, top, width, height }: Plot, x: number, y: number) => ({
  x: area.x[0] + ((x - left) / width) * (area.x[1] - area.x[0]),
  y: area.y[0] + (1 - (y - top) / height) * (area.y[1] - area.y[0]),
});

/** The area between two corners on the screen, in any order, inside the plot. */
export function areaBetween(
  plot: Plot,
  a: { readonly x: number; readonly y: number },
  b: { readonly x: number; readonly y: number },
): Area {
  const inside = (at: number, from: number, size: number): number =>
    Math.min(from + size, Math.max(from, at));
  const corners = [a, b].map((corner) =>
    fromScreen(plot, inside(corner.x, plot.left, plot.width), inside(corner.y, plot.top, plot.height)),
  );
  const sorted = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  return { x: sorted(corners.map(({ x }) => x)), y: sorted(corners.map(({ y }) => y)) };
}

/** The point nearest to a place on the screen, at most `most` pixels away; of equally near ones a front one. */
export function nearest(
  cloud: Cloud,
  plot: Plot,
  place: { readonly x: number; readonly y: number },
  most: number,
): number | null {
  let best: number | null = null;
  let least = most * most;
  for (let at = 0; at < cloud.x.length; at++) {
    const point = toScreen(plot, cloud.x[at], cloud.y[at]);
    // a point in the background has to be nearer by a pixel
    const distance = (point.x - place.x) ** 2 + (point.y - place.y) ** 2 + (cloud.front[at] ? 0 : 1);
    if (distance <= least) [best, least] = [at, distance];
  }
  return best;
}

/** The path that a mark is drawn on: of a canvas, or of an SVG. */
export interface Path {
  moveTo(x: number, y: number): unknown;
  lineTo(x: number, y: number): unknown;
  closePath(): unknown;
  rect(x: number, y: number, width: number, height: number): unknown;
  circle(x: number, y: number, r: number): unknown;
}

/** Adds a point's mark around (x, y), `r` pixels in radius. */
export function mark(path: Path, shape: Shape, x: number, y: number, r: number): void {
  const polygon = (...corners: readonly (readonly [number, number])[]): void => {
    for (const [at, [dx, dy]] of corners.entries())
      if (at === 0) path.moveTo(x + dx * r, y + dy * r);
      else path.lineTo(x + dx * r, y + dy * r);
    path.closePath();
  };
  if (shape === 'circle') path.circle(x, y, r);
  else if (shape === 'square') path.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
  else if (shape === 'triangle') polygon([0, -1.2], [1.1, 0.8], [-1.1, 0.8]);
  else if (shape === 'diamond') polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]);
  else if (shape === 'bar') path.rect(x - 1.3 * r, y - 0.45 * r, 2.6 * r, 0.9 * r);
  else if (shape === 'plus') {
    path.rect(x - 1.2 * r, y - 0.4 * r, 2.4 * r, 0.8 * r);
    path.rect(x - 0.4 * r, y - 1.2 * r, 0.8 * r, 2.4 * r);
  } else {
    polygon([-1.2, -0.7], [-0.7, -1.2], [1.2, 0.7], [0.7, 1.2]);
    polygon([-1.2, 0.7], [-0.7, 1.2], [1.2, -0.7], [0.7, -1.2]);
  }
}

/** Points of a batch. */
const BATCH = 200;

/** Points that are drawn at once. */
export interface Batch {
  readonly style: number;
  readonly opacity: number;
  readonly points: readonly number[];
}

/**
 * The points in the order of drawing: those in the background first, and the styles in turn, a few points of each,
 * so that none hides another one.
 */
export function* batches({ style, front }: Cloud): Generator<Batch> {
  const all = Array.from(front, (_each, at) => at);
  const parts = [0, 1].map((side) => all.filter((at) => front[at] === side));
  const hasBoth = parts.every(({ length }) => length > 0);
  for (const [side, points] of parts.entries())
    for (let from = 0; from < points.length; from += BATCH) {
      const some = Map.groupBy(points.slice(from, from + BATCH), (at) => style[at]);
      for (const [own, batch] of some)
        yield { style: own, opacity: hasBoth && side === 0 ? 0.14 : 0.8, points: batch };
    }
}

/** Radius of a point: many points are drawn smaller. */
export const radiusOf = (points: number): number => (points > 5000 ? 2 : points > 1000 ? 2.5 : 3.5);

/** True if a place lies in a region, its edges included. */
export const inRegion = ({ x, y }: Area, atX: number, atY: number): boolean =>
  atX >= x[0] && atX <= x[1] && atY >= y[0] && atY <= y[1];
