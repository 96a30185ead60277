import { svgNode } from './picture.ts';
import { fitted, mark, radiusOf, toScreen, type Area, type Cloud, type PointStyle } from './point-cloud.ts';
import { svgPath } from './svg-path.ts';

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
  const hasBoth = cloud.front.length > 0 && new Set(Array.from(cloud.front)).size > 1;
  for (const front of [0, 1])
    for (const [at, { color, shape }] of styles.entries()) {
      const d = svgPath((path) => {
        for (let point = 0; point < cloud.x.length; point++) {
          if (cloud.front[point] !== front || cloud.style[point] !== at) continue;
          const { x, y } = toScreen(plot, cloud.x[point], cloud.y[point]);
          mark(path, shape, x, y, radius);
        }
      });
      const opacity = hasBoth && front === 0 ? 0.14 : 0.8;
      if (d !== '') picture.append(svgNode('path', { d, fill: color, opacity }));
    }
  return picture;
}
