/** `tojson` as Transformers has it: Python's `json.dumps`. */
import { fail, Float, isDict, List, printFloat, typeName, compare, type Value } from './values.ts';

export interface JsonStyle {
  readonly ascii: boolean;
  /** Indentation per level; null for one line. */
  readonly indent: string | null;
  readonly separators: readonly [item: string, key: string];
  readonly sorted: boolean;
}

const quotedJson = (text: string, ascii: boolean): string => {
  const plain = JSON.stringify(text);
  return ascii
    ? plain.replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : plain;
};

const number = (value: number): string => printFloat(value).replace('nan', 'NaN').replace('inf', 'Infinity');

export const toJson = (value: Value, style: JsonStyle, depth = 0): string => {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return JSON.stringify(value);
  if (typeof value === 'string') return quotedJson(value, style.ascii);
  if (value instanceof Float) return number(value.value);
  const [between, colon] = style.separators;
  if (value instanceof List)
    return bracketed(
      '[',
      ']',
      value.items.map((item) => toJson(item, style, depth + 1)),
      between,
      style,
      depth,
    );
  if (!isDict(value)) return fail(`a ${typeName(value)} cannot be written as JSON`);
  const entries = style.sorted ? [...value].sort(([a], [b]) => compare(a, b)) : [...value];
  const written = entries.map(
    ([key, item]) => `${quotedJson(key, style.ascii)}${colon}${toJson(item, style, depth + 1)}`,
  );
  return bracketed('{', '}', written, between, style, depth);
};

const bracketed = (
  open: string,
  close: string,
  parts: readonly string[],
  between: string,
  { indent }: JsonStyle,
  depth: number,
): string => {
  if (indent === null || parts.length === 0) return `${open}${parts.join(between)}${close}`;
  const outer = `\n${indent.repeat(depth)}`;
  const inner = outer + indent;
  return `${open}${inner}${parts.join(between + inner)}${outer}${close}`;
};
