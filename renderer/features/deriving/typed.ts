import { readNumber } from '../../../engine/common/number-text.ts';
import type { SplitSpec } from '../../../preload/contract/splits.ts';

/** Parts and weights as they are typed: `train=.8, test=.2`; null if one is not of this form. */
export function partsFrom(text: string): SplitSpec['parts'] | null {
  const parts = text
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter(Boolean)
    .map((each) => {
      const at = each.lastIndexOf('=');
      const [name, weight] = [each.slice(0, Math.max(0, at)).trim(), readNumber(each.slice(at + 1), {})];
      return name !== '' && !/[:"]/.test(name) && weight.ok && weight.value > 0
        ? { name, weight: weight.value }
        : null;
    });
  const whole = parts.filter((part) => part !== null);
  const isDistinct = new Set(whole.map(({ name }) => name)).size === whole.length;
  return whole.length > 0 && whole.length === parts.length && isDistinct ? whole : null;
}

/** Rows by value: `3=100, 4=50`; null if one is not of this form. */
export function givenFrom(text: string): Record<string, number> | null {
  const entries = text
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter(Boolean)
    .map((each) => /^(.*)=\s*(\d+)$/.exec(each));
  if (entries.length === 0 || entries.some((entry) => entry === null)) return null;
  return Object.fromEntries(entries.flatMap((entry) => (entry ? [[entry[1].trim(), Number(entry[2])]] : [])));
}

/** The term of a query that finds the rows of a part. */
export const partTerm = (part: string): string =>
  `split:${/^[\w.-]+$/.test(part) ? part : JSON.stringify(part)}`;
