/** Operators, subscripts and slices as Python has them. */
import { attributeOf } from './methods.ts';
import { numeric } from './arguments.ts';
import { contains } from './tests.ts';
import {
  compare,
  equal,
  fail,
  Float,
  integer,
  isDict,
  isNumber,
  List,
  numberOf,
  str,
  typeName,
  Undefined,
  unsupported,
  JinjaIterable,
  type Value,
} from './values.ts';

const known = (value: Value): Value =>
  value instanceof Undefined ? fail(`${value.what} is undefined`) : value;

const arithmetic = (operator: string, a: number, b: number, isFloat: boolean): Value => {
  const result = (value: number) => numeric(isFloat ? value : integer(value), isFloat);
  if (['/', '//', '%'].includes(operator) && b === 0) return fail('a division by zero');
  switch (operator) {
    case '+':
      return result(a + b);
    case '-':
      return result(a - b);
    case '*':
      return result(a * b);
    case '/':
      return new Float(a / b);
    case '//':
      return result(Math.floor(a / b));
    case '%':
      return result(a - b * Math.floor(a / b));
    default:
      return unsupported(`the operator ${operator}`);
  }
};

const repeated = (value: string | List, times: number): Value =>
  typeof value === 'string'
    ? value.repeat(Math.max(0, times))
    : new List(Array.from({ length: Math.max(0, times) }, () => value.items).flat(), value.isTuple);

const combined = (operator: string, left: Value, right: Value): Value => {
  const [a, b] = [known(left), known(right)];
  if (isNumber(a) && isNumber(b))
    return arithmetic(operator, numberOf(a), numberOf(b), a instanceof Float || b instanceof Float);
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return a + b;
  if (operator === '+' && a instanceof List && b instanceof List && a.isTuple === b.isTuple)
    return new List([...a.items, ...b.items], a.isTuple);
  if (operator === '*' && (typeof a === 'string' || a instanceof List) && typeof b === 'number')
    return repeated(a, b);
  if (operator === '*' && (typeof b === 'string' || b instanceof List) && typeof a === 'number')
    return repeated(b, a);
  if (operator === '%' && typeof a === 'string') return unsupported('text formatted by %');
  return fail(`${operator} does not go between a ${typeName(a)} and a ${typeName(b)}`);
};

export const binary = (operator: string, left: Value, right: Value): Value => {
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    case '>=':
      return compare(left, right) >= 0;
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '~':
      return str(left) + str(right);
    default:
      return combined(operator, left, right);
  }
};

export const negated = (value: Value): Value => {
  const number = known(value);
  return isNumber(number)
    ? numeric(0 - numberOf(number), number instanceof Float)
    : fail(`a ${typeName(number)} has no sign`);
};

const itemOf = (object: Value, key: Value): Value | undefined => {
  if (isDict(object)) return typeof key === 'string' ? object.get(key) : undefined;
  if (typeof key !== 'number' && typeof key !== 'boolean') return undefined;
  if (typeof object === 'string') return [...object].at(Number(key));
  if (object instanceof List) return object.items.at(Number(key));
  return object instanceof JinjaIterable
    ? object.kind === 'range'
      ? object.left.at(Number(key))
      : undefined
    : undefined;
};

const nothing = (object: Value, key: Value): Undefined =>
  new Undefined(
    `${typeof key === 'string' ? `the attribute ${key}` : `the item ${str(key)}`} of a ${typeName(object)}`,
  );

/** `object[key]`: an item, or an attribute of that name. */
export const subscript = (object: Value, key: Value): Value =>
  itemOf(known(object), key) ??
  (typeof key === 'string' ? attributeOf(object, key) : undefined) ??
  found(object, key);

/** `object.name`: an attribute, or an item of that name. */
export const attribute = (object: Value, name: string): Value =>
  attributeOf(known(object), name) ?? itemOf(object, name) ?? found(object, name);

/** The item if it exists (null included), else undefined. */
const found = (object: Value, key: Value): Value => {
  const at = typeof key === 'number' || typeof key === 'boolean' ? Number(key) : 0;
  const isThere = isDict(object)
    ? typeof key === 'string' && object.has(key)
    : object instanceof List &&
      typeof key !== 'string' &&
      at < object.items.length &&
      at >= -object.items.length;
  return isThere ? null : nothing(object, key);
};

const bound = (value: Value | undefined): number | null => {
  if (value === undefined || value === null) return null;
  return typeof value === 'number'
    ? value
    : fail(`a slice is bounded by whole numbers, and not by a ${typeName(value)}`);
};

const cut = <T>(all: readonly T[], from: number | null, to: number | null, step: number): T[] => {
  const n = all.length;
  const at = (given: number, least: number, most: number) =>
    Math.min(most, Math.max(least, given < 0 ? given + n : given));
  const start = from === null ? (step > 0 ? 0 : n - 1) : step > 0 ? at(from, 0, n) : at(from, -1, n - 1);
  const end = to === null ? (step > 0 ? n : -1) : step > 0 ? at(to, 0, n) : at(to, -1, n - 1);
  const parts: T[] = [];
  for (let i = start; step > 0 ? i < end : i > end; i += step) parts.push(all[i]);
  return parts;
};

export const slice = (
  object: Value,
  from: Value | undefined,
  to: Value | undefined,
  by: Value | undefined,
): Value => {
  const step = bound(by) ?? 1;
  if (step === 0) return fail('the step of a slice is zero');
  if (typeof object === 'string') return cut([...object], bound(from), bound(to), step).join('');
  if (object instanceof List)
    return new List(cut(object.items, bound(from), bound(to), step), object.isTuple);
  return object instanceof JinjaIterable && object.kind === 'range'
    ? new JinjaIterable('range', cut(object.left, bound(from), bound(to), step))
    : new Undefined(`a slice of a ${typeName(known(object))}`);
};
