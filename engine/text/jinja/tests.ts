/** Jinja's tests, used after `is` and in `select`, `selectattr` and similar filters. */
import { isLower, isUpper } from './text.ts';
import {
  Callable,
  compare,
  equal,
  fail,
  Float,
  isDict,
  isNumber,
  items,
  List,
  numberOf,
  str,
  Undefined,
  unsupported,
  JinjaIterable,
  type Value,
} from './values.ts';

type Test = (value: Value, ...others: readonly Value[]) => boolean;

const isWhole = (value: Value): value is number => typeof value === 'number';
const remainder = (value: Value): number =>
  isNumber(value) ? Math.abs(numberOf(value) % 2) : fail('odd and even are asked of numbers');

/** Python's `in`. */
export const contains = (whole: Value, part: Value): boolean => {
  if (typeof whole === 'string')
    return typeof part === 'string' ? whole.includes(part) : fail('only text can stand in text');
  if (isDict(whole)) return typeof part === 'string' && whole.has(part);
  return items(whole).some((item) => equal(item, part));
};

const tests: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  integer: isWhole,
  float: (value) => value instanceof Float,
  number: isNumber,
  string: (value) => typeof value === 'string',
  mapping: isDict,
  sequence: (value) =>
    typeof value === 'string' ||
    value instanceof List ||
    value instanceof Undefined ||
    isDict(value) ||
    (value instanceof JinjaIterable && value.kind === 'range'),
  iterable: (value) =>
    typeof value === 'string' ||
    value instanceof List ||
    value instanceof Undefined ||
    isDict(value) ||
    value instanceof JinjaIterable,
  callable: (value) => value instanceof Callable,
  odd: (value) => remainder(value) === 1,
  even: (value) => remainder(value) === 0,
  lower: (value) => isLower(str(value)),
  upper: (value) => isUpper(str(value)),
  eq: (value, other) => equal(value, other),
  ne: (value, other) => !equal(value, other),
  lt: (value, other) => compare(value, other) < 0,
  le: (value, other) => compare(value, other) <= 0,
  gt: (value, other) => compare(value, other) > 0,
  ge: (value, other) => compare(value, other) >= 0,
  in: (value, other) => contains(other, value),
};
const otherNames: Readonly<Record<string, string>> = {
  equalto: 'eq',
  '==': 'eq',
  '!=': 'ne',
  lessthan: 'lt',
  '<': 'lt',
  '<=': 'le',
  greaterthan: 'gt',
  '>': 'gt',
  '>=': 'ge',
};

export const testNamed = (name: string): Test => {
  const known = otherNames[name] ?? name;
  return Object.hasOwn(tests, known) ? tests[known] : unsupported(`the test “is ${name}”`);
};
