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

/** Marks are added to a path of a canvas. */
const onCanvas = (path: Path2D): Path => ({
  moveTo: (x, y) => path.moveTo(x, y),
  lineTo: (x, y) => path.lineTo(x, y),
  closePath: () => path.closePath(),
  rect: (x, y, width, height) => path.rect(x, y, width, height),
  circle: (x, y, r) => {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
  },
});

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
    const path = new Path2D();
    const marks = onCanvas(path);
    for (const at of points) {
      const { x, y } = toScreen(plot, cloud.x[at], cloud.y[at]);
      mark(marks, styles[style].shape, x, y, radius);
    }
    context.globalAlpha = opacity;
    context.fillStyle = styles[style].color;
    context.fill(path);
  }
  context.restore();
}
