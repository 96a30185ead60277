import { readNumber } from '../../../../engine/common/number-text.ts';
import { listItems } from '../../../../engine/common/sweep.ts';

/** A setting to vary, as typed. */
export interface TypedAxis {
  readonly path: string;
  readonly text: string;
}

/** Values of a range in a grid, unless the text says how many. */
const USUAL_COUNT = 5;

/** A number, true, false or null as itself; anything else as text. */
const valueOf = (text: string): unknown => {
  const read = readNumber(text);
  if (read.ok) return read.value;
  return text === 'true' || text === 'false' || text === 'null' ? (JSON.parse(text) as unknown) : text;
};

/**
 * The axis of a typed list (`1e-5, 3e-5`) or range (`1e-5 to 1e-2 log`, `1 to 9 x 3`); null for an empty one.
 * A range between whole numbers has whole values.
 */
export function axisFrom({ path, text }: TypedAxis): Readonly<Record<string, unknown>> | null {
  const typed = text.trim();
  if (path.trim() === '' || typed === '') return null;
  const range = /^(\S+)\s+to\s+(\S+)(\s+log)?(?:\s+[x×]\s*(\d+))?$/i.exec(typed);
  const [from, to] = [readNumber(range?.[1] ?? ''), readNumber(range?.[2] ?? '')];
  if (range && from.ok && to.ok)
    return {
      path: path.trim(),
      from: from.value,
      to: to.value,
      scale: range[3] ? 'log' : 'linear',
      count: Number(range[4] ?? USUAL_COUNT),
      whole: /^\d+$/.test(range[1]) && /^\d+$/.test(range[2]),
    };
  return { path: path.trim(), values: (listItems(typed) ?? [typed]).map(valueOf) };
}
