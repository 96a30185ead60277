import { describe, expect, it } from 'vitest';
import { linePicture } from '../../renderer/charts/line-picture.ts';
import { pictureOf } from '../../renderer/charts/picture.ts';
import type { Line } from '../../renderer/charts/series.ts';
import { number } from '../../renderer/lib/format.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';

const line = (label: string, values: readonly number[], more: Partial<Line> = {}): Line => ({
  id: label,
  label,
  mark: markOf(0),
  steps: Float64Array.from(values, (_, at) => at + 1),
  values: Float64Array.from(values),
  ...more,
});
const options = { width: 400, height: 220, log: false, smoothing: 0, span: [1, 4] as const };
const drawn = (lines: readonly Line[], more: Partial<typeof options> = {}) =>
  linePicture(lines, { ...options, ...more });
const paths = (picture: SVGSVGElement) =>
  [...picture.querySelectorAll('path')].map((path) => path.getAttribute('d')).filter(Boolean);

describe('the drawing of curves for a file', () => {
  it('has the lines, their bands, and their names if there are several', () => {
    const values = [1, 2, 3, 4];
    const band = { low: Float64Array.from([0, 1, 2, 3]), high: Float64Array.from([2, 3, 4, 5]) };
    expect(paths(drawn([line('a', values)]))).toHaveLength(1);
    const two = drawn([line('a', values, band), line('b', values)]);
    expect(paths(two)).toHaveLength(3);
    expect(two.textContent).toContain('ab');
  });

  it('shows the steps in view only, breaks at values that are not finite, and marks them', () => {
    const picture = drawn([line('a', [1, Number.NaN, 3, 4])]);
    expect(paths(picture)[0]?.match(/M/g)).toHaveLength(2);
    expect(picture.textContent).toContain('×');
    expect(drawn([line('a', [1, Number.NaN, 3, 4])], { span: [3, 4] as never }).textContent).not.toContain(
      '×',
    );
  });

  it('draws logarithms with the values as labels', () => {
    const picture = drawn([line('a', [1, 10, 100, 0])], { log: true });
    expect([...picture.querySelectorAll('text')].map((text) => text.textContent)).toContain(number(100));
    expect(paths(picture)[0]?.match(/[ML]/g)).toHaveLength(3);
    const narrow = drawn([line('a', [0.31, 0.52, 0.77, 0.8])], { log: true });
    const labels = [...narrow.querySelectorAll('text')].map((text) => text.textContent);
    for (const tick of [0.1, 0.2, 0.5, 1]) expect(labels).toContain(number(tick));
  });
});

describe('a file of a drawing', () => {
  it('has the title, the note and the keys, and no classes', () => {
    const svg = pictureOf(drawn([line('a', [1, 2, 3, 4])]), {
      title: 'a < b',
      note: 'log scale',
      keys: [{ name: 'chosen', note: 'n 4', variable: '--run-0' }],
    });
    const file = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
    expect(file.textContent).toContain('a < b');
    expect(file.textContent).toContain('log scale');
    expect(file.textContent).toContain('chosen n 4');
    expect(Number(file.getAttribute('width'))).toBe(432);
    expect(document.querySelector('[data-theme="light"] svg')).toBeNull();
  });
});
