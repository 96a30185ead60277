import {
  mark,
  radiusOf,
  toScreen,
  type Cloud,
  type Path,
  type Plot,
  type PointStyle,
} from './point-cloud.ts';

/** A path of a canvas with circles. */
class CanvasPath extends Path2D implements Path {
  circle(x: number, y: number, r: number): void {
    this.moveTo(x + r, y);
    this.arc(x, y, r, 0, 2 * Math.PI);
  }
}

/** Draws the points that are in the plot: those in the background first, each style at once. */
export function drawCloud(
  context: CanvasRenderingContext2D,
  cloud: Cloud,
  plot: Plot,
  styles: readonly PointStyle[],
): void {
  const hasBoth = cloud.front.length > 0 && new Set(Array.from(cloud.front)).size > 1;
  const radius = radiusOf(cloud.x.length);
  context.save();
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  for (const front of [0, 1]) {
    const paths = styles.map(() => new CanvasPath());
    for (let at = 0; at < cloud.x.length; at++) {
      if (cloud.front[at] !== front) continue;
      const { x, y } = toScreen(plot, cloud.x[at], cloud.y[at]);
      const style = cloud.style[at];
      mark(paths[style], styles[style].shape, x, y, radius);
    }
    context.globalAlpha = hasBoth && front === 0 ? 0.14 : 0.8;
    for (const [at, path] of paths.entries()) {
      context.fillStyle = styles[at].color;
      context.fill(path);
    }
  }
  context.restore();
}
