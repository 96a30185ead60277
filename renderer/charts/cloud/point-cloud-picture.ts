import { svgNode } from '../picture.ts';
import {
  batches,
  fitted,
  mark,
  radiusOf,
  toScreen,
  type Area,
  type Cloud,
  type PointStyle,
} from './point-cloud.ts';
import { svgPath } from '../svg-path.ts';

const SIZE = { width: 800, height: 600 } as const;

/** Points as an SVG drawing, for files; colours are variables of the page that it is put on. */
export function cloudPicture(
  cloud: Cloud,
  area: Area,
  stylesOf: (color: (name: string) => string) => readonly PointStyle[],
): SVGSVGElement {
  const styles = stylesOf((name) => `var(${name})`);
  const plot = { area: fitted(area, SIZE.width, SIZE.height), left: 0, top: 0, ...SIZE };
  const radius = radiusOf(cloud.x.length);
  const picture = svgNode('svg', { ...SIZE });
  for (const { style, opacity, points } of batches(cloud)) {
    const { color, shape } = styles[style];
    const d = svgPath((path) => {
      for (const at of points) {
        const { x, y } = toScreen(plot, cloud.x[at], cloud.y[at]);
        mark(path, shape, x, y, radius);
      }
    });
    picture.append(svgNode('path', { d, fill: color, opacity }));
  }
  return picture;
}
