import type { Path } from './cloud/point-cloud.ts';

/** The `d` of an SVG path with what is drawn on it. */
export function svgPath(draw: (path: Path) => void): string {
  const parts: string[] = [];
  const at = (x: number, y: number): string => `${Number(x.toFixed(2))} ${Number(y.toFixed(2))}`;
  draw({
    moveTo: (x, y) => parts.push(`M${at(x, y)}`),
    lineTo: (x, y) => parts.push(`L${at(x, y)}`),
    closePath: () => parts.push('Z'),
    rect: (x, y, width, height) =>
      parts.push(`M${at(x, y)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}Z`),
    circle: (x, y, r) =>
      parts.push(`M${at(x + r, y)}A${r} ${r} 0 1 1 ${at(x - r, y)}A${r} ${r} 0 1 1 ${at(x + r, y)}Z`),
  });
  return parts.join('');
}
