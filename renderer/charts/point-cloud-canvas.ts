import {
  batches,
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

/** Draws the points that are in the plot. */
export function drawCloud(
  context: CanvasRenderingContext2D,
  cloud: Cloud,
  plot: Plot,
  styles: readonly PointStyle[],
): void {
  const radius = radiusOf(cloud.x.length);
  context.save();
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  for (const { style, opacity, points } of batches(cloud)) {
    const path = new CanvasPath();
    for (const at of points) {
      const { x, y } = toScreen(plot, cloud.x[at], cloud.y[at]);
      mark(path, styles[style].shape, x, y, radius);
    }
    context.globalAlpha = opacity;
    context.fillStyle = styles[style].color;
    context.fill(path);
  }
  context.restore();
}
