import type { Line } from '../../charts/series.ts';
import { markOf } from '../../lib/run-colors.svelte.ts';

/** The part of a line in a range of steps, with a point before and after it, in another colour. */
export function highlighted(line: Line, from: number, to: number, label: string): readonly Line[] {
  const steps = [...line.steps];
  const first = steps.findIndex((step) => step >= from);
  if (first < 0) return [line];
  const last = steps.findLastIndex((step) => step <= to);
  const [begin, end] = [Math.max(0, first - 1), Math.min(steps.length, Math.max(first, last) + 2)];
  const part: Line = {
    id: `${line.id}/found`,
    label,
    mark: markOf(line.mark.index === 1 ? 2 : 1),
    steps: line.steps.slice(begin, end),
    values: line.values.slice(begin, end),
  };
  return [line, part];
}
