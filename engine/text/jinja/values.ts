/** Python values of a template: printing, truth, equality and order. */

/**
 * Why rendering stops: Python would fail too (`failed`), or the template uses an unsupported feature
 * (`unsupported`).
 */
export class TemplateStop extends Error {
  readonly reason: 'failed' | 'unsupported';
  constructor(reason: TemplateStop['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
export const fail = (message: string): never => {
  throw new TemplateStop('failed', message);
};
export const unsupported = (what: string): never => {
  throw new TemplateStop('unsupported', `it uses ${what}, which is not rendered here`);
};

/** A float; integers are plain numbers. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/**
 * The value of a missing name or attribute: prints nothing, is false and empty, and fails on any other use.
 */
export class Undefined {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export class List {
  readonly items: readonly Value[];
  readonly isTuple: boolean;
  constructor(items: readonly Value[], isTuple = false) {
    this.items = items;
    this.isTuple = isTuple;
  }
}

/** An iterable: a `range` or a dictionary view can be iterated repeatedly, a generator once. */
export class JinjaIterable {
  readonly kind: 'range' | 'view' | 'generator';
  #items: readonly Value[];
  constructor(kind: JinjaIterable['kind'], items: readonly Value[]) {
    this.kind = kind;
    this.#items = items;
  }

  take(): readonly Value[] {
    const items = this.#items;
    if (this.kind === 'generator') this.#items = [];
    return items;
  }

  /** The remaining items, without consuming them. */
  get left(): readonly Value[] {
    return this.#items;
  }
}

export type Dict = ReadonlyMap<string, Value>;

/** An object with attributes only: `namespace()`, which a template can write to, and `loop`. */
export class Attributes {
  readonly kind: 'namespace' | 'loop';
  readonly values: Map<string, Value>;
  constructor(kind: Attributes['kind'], values: Map<string, Value>) {
    this.kind = kind;
    this.values = values;
  }
}

export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  readonly name: string;
  readonly call: (given: Arguments) => Value;
  constructor(name: string, call: Callable['call']) {
    this.name = name;
    this.call = call;
  }
}

export type Value =
  null | boolean | number | string | Float | Undefined | List | JinjaIterable | Dict | Attributes | Callable;

export const isDict = (value: Value): value is Dict => value instanceof Map;
export const isNumber = (value: Value): value is number | boolean | Float =>
  typeof value === 'number' || typeof value === 'boolean' || value instanceof Float;
export const numberOf = (value: number | boolean | Float): number =>
  value instanceof Float ? value.value : Number(value);

/** The name of a value's type in Python. */
export const typeName = (value: Value): string => {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (typeof value === 'string') return 'str';
  if (value instanceof Float) return 'float';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof List) return value.isTuple ? 'tuple' : 'list';
  if (value instanceof JinjaIterable) return value.kind;
  if (value instanceof Attributes) return value.kind;
  return value instanceof Callable ? 'function' : 'dict';
};

export const truth = (value: Value): boolean => {
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Undefined) return false;
  if (value instanceof List) return value.items.length > 0;
  if (value instanceof JinjaIterable) return value.kind === 'generator' || value.left.length > 0;
  return isDict(value) ? value.size > 0 : Boolean(value);
};

/** Fails for an integer beyond exact precision, which Python would have. */
export const integer = (value: number): number =>
  Number.isSafeInteger(value) ? value + 0 : unsupported('an integer beyond 2⁵³');

/**
 * A float as Python prints it: the shortest digits that read back, with an exponent below 1e-4 and from 1e16
 * on.
 */
export const printFloat = (value: number): string => {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  const plain = size >= 1e-6 || size === 0 ? String(value) : value.toFixed(20).replace(/0+$/, '');
  return /[.e]/.test(plain) ? plain : `${plain}.0`;
};

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
const hex = (character: string): string => {
  const code = character.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
};

/** The `repr` of a string, as inside a list. */
const quoted = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\p{C}\p{Z}\\'"]/gu, (c) => {
    if (c === ' ') return c;
    if (c === "'" || c === '"') return c === quote ? `\\${c}` : c;
    return escapes[c] ?? hex(c);
  });
  return `${quote}${inner}${quote}`;
};

const repr = (value: Value): string => {
  if (typeof value === 'string') return quoted(value);
  return value instanceof Undefined ? 'Undefined' : str(value);
};

/** Python's `str`, which templates print. */
export const str = (value: Value): string => {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(integer(value));
  if (value instanceof Float) return printFloat(value.value);
  if (value instanceof Undefined) return '';
  if (value instanceof List) {
    const inner = value.items.map(repr).join(', ');
    if (!value.isTuple) return `[${inner}]`;
    return value.items.length === 1 ? `(${inner},)` : `(${inner})`;
  }
  if (isDict(value))
    return `{${[...value].map(([key, item]) => `${quoted(key)}: ${repr(item)}`).join(', ')}}`;
  return unsupported(`the text of a ${typeName(value)}`);
};

/** The items of an iterable. */
export const items = (value: Value): readonly Value[] => {
  if (typeof value === 'string') return [...value];
  if (value instanceof List) return value.items;
  if (value instanceof JinjaIterable) return value.take();
  if (value instanceof Undefined) return [];
  if (isDict(value)) return [...value.keys()];
  return fail(`a ${typeName(value)} cannot be gone through`);
};

export const lengthOf = (value: Value): number => {
  if (value instanceof JinjaIterable && value.kind === 'generator') return fail('a generator has no length');
  if (value instanceof JinjaIterable) return value.left.length;
  return items(value).length;
};

export const equal = (a: Value, b: Value): boolean => {
  if (isNumber(a) && isNumber(b)) return numberOf(a) === numberOf(b);
  if (a instanceof List && b instanceof List)
    return (
      a.isTuple === b.isTuple &&
      a.items.length === b.items.length &&
      a.items.every((x, i) => equal(x, b.items[i]))
    );
  if (isDict(a) && isDict(b))
    return a.size === b.size && [...a].every(([key, x]) => b.has(key) && equal(x, b.get(key)!));
  if (a instanceof Undefined) return b instanceof Undefined;
  return a === b;
};

/** Compares by code points, as Python does; JavaScript compares UTF-16. */
const compareText = (a: string, b: string): number => {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = left[i].codePointAt(0)! - right[i].codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

/** Negative if `a` comes first. */
export const compare = (a: Value, b: Value): number => {
  if (isNumber(a) && isNumber(b)) return numberOf(a) - numberOf(b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (a instanceof Undefined || b instanceof Undefined)
    return fail(`${(a instanceof Undefined ? a : (b as Undefined)).what} is undefined`);
  if (a instanceof List && b instanceof List) return unsupported('an order of lists');
  return fail(`a ${typeName(a)} and a ${typeName(b)} have no order`);
};
