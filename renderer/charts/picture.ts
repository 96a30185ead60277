import { WhetstoneError } from '../../engine/common/errors.ts';

/** What a file with a chart's picture says besides its drawing. */
export interface PictureText {
  readonly title: string;
  readonly note: string;
  readonly keys: readonly ChartKey[];
}
/** A class of a chart that its drawing does not name. */
export interface ChartKey {
  readonly name: string;
  readonly note?: string;
  readonly variable: string;
  readonly dash?: string;
  /** Drawn as bars, not as a line. */
  readonly filled?: boolean;
}

const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 16;
const LINE = 18;
const properties = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
] as const;

/** An element of an SVG with its attributes. */
export function svgNode<K extends keyof SVGElementTagNameMap>(
  kind: K,
  attributes: Readonly<Record<string, string | number | undefined>>,
  text?: string,
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) node.setAttribute(name, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
}

/**
 * A file of a chart's drawing, as SVG: with its title and keys, and in the colours of a light page, whatever
 * the theme. All styles are attributes with plain colours, so that every program shows the same.
 */
export function pictureOf(drawing: SVGSVGElement, { title, note, keys }: PictureText): string {
  const { width, height } = sizeOf(drawing);
  const head = MARGIN + LINE + (keys.length ? LINE : 0);
  const size = { width: width + 2 * MARGIN, height: head + height + MARGIN };
  const picture = svgNode('svg', { ...size, viewBox: `0 0 ${size.width} ${size.height}` });
  const body = svgNode('g', { transform: `translate(${MARGIN} ${head})` });
  body.append(...drawing.cloneNode(true).childNodes);
  const heading = svgNode('text', { x: MARGIN, y: MARGIN + 6, fill: 'var(--ink)', 'font-size': 13 });
  heading.append(
    svgNode('tspan', { 'font-weight': 600 }, title),
    svgNode('tspan', { dx: 8, 'font-size': 11, fill: 'var(--ink-2)' }, note),
  );
  picture.append(
    svgNode('rect', { ...size, fill: 'var(--surface)' }),
    heading,
    ...keyNodes(keys, MARGIN + LINE + 4),
    body,
  );
  return inLight((stage) => {
    stage.append(picture);
    for (const node of picture.querySelectorAll<SVGElement>('*')) writeStyles(node);
    return new XMLSerializer().serializeToString(picture);
  });
}

/** Calls `make` with an element out of sight whose colours are those of the light theme. */
export function inLight<T>(make: (stage: HTMLElement) => T): T {
  const stage = document.createElement('div');
  stage.dataset.theme = 'light';
  Object.assign(stage.style, { position: 'fixed', left: '-20000px', top: '0' });
  document.body.append(stage);
  try {
    return make(stage);
  } finally {
    stage.remove();
  }
}

const sizeOf = (drawing: SVGSVGElement) => ({
  width: Number(drawing.getAttribute('width')),
  height: Number(drawing.getAttribute('height')),
});

/** Swatches with their names, from left to right. */
function keyNodes(keys: readonly ChartKey[], y: number): SVGElement[] {
  let x = MARGIN;
  return keys.flatMap(({ name, note = '', variable, dash, filled }) => {
    const from = x;
    x += 36 + 7 * (name.length + note.length);
    return [
      svgNode('line', {
        x1: from,
        x2: from + 14,
        y1: y,
        y2: y,
        stroke: `var(${variable})`,
        'stroke-width': filled ? 7 : 2,
        'stroke-dasharray': dash,
        opacity: filled ? 0.45 : 1,
      }),
      svgNode(
        'text',
        { x: from + 20, y: y + 4, 'font-size': 11, fill: 'var(--ink-2)' },
        `${name} ${note}`.trim(),
      ),
    ];
  });
}

function writeStyles(node: SVGElement): void {
  const style = getComputedStyle(node);
  for (const name of properties) {
    const value = style.getPropertyValue(name);
    const isPaint = name === 'fill' || name === 'stroke';
    if (value) node.setAttribute(name, isPaint && value !== 'none' ? plainColor(value) : value);
  }
  node.removeAttribute('class');
  node.removeAttribute('style');
}

/** A colour as `rgb(…)`: programs other than browsers read no `oklch(…)`. */
export function plainColor(color: string): string {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [1, 1];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return color;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${red},${green},${blue})`;
}

/** An SVG file drawn on pixels, with `density` pixels per unit. */
export async function pngOf(svg: string, density = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width * density, image.height * density];
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new WhetstoneError('internal', 'The picture could not be drawn.')),
    ),
  );
}
