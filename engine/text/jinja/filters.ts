/** Jinja's filters, and `tojson` as Transformers has it. */
import { bind, countOr, flagOr, numeric, textOf, textOr } from './arguments.ts';
import { toJson } from './json.ts';
import { subscript } from './operators.ts';
import { testNamed } from './tests.ts';
import { capitalize, indent, replace, strip, titleWords } from './text.ts';
import {
  compare,
  equal,
  fail,
  Float,
  integer,
  isDict,
  isNumber,
  items,
  lengthOf,
  List,
  numberOf,
  str,
  truth,
  typeName,
  Undefined,
  unsupported,
  JinjaIterable,
  type Arguments,
  type Value,
} from './values.ts';

export type Filter = (value: Value, given: Arguments) => Value;

const plain =
  (name: string, change: (value: Value) => Value): Filter =>
  (value, given) => {
    bind(name, given, []);
    return change(value);
  };

/** Follows a dotted path of attributes. */
const along = (path: Value): ((item: Value) => Value) => {
  const parts =
    typeof path === 'number'
      ? [path]
      : textOf(path)
          .split('.')
          .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (typeof path === 'string' && path.includes(',')) unsupported('several attributes at once');
  return (item) => parts.reduce<Value>((at, part) => subscript(at, part), item);
};

const folded = (value: Value): Value => (typeof value === 'string' ? value.toLowerCase() : value);

/** The comparison key of items: a named attribute or the item, case-insensitive by default. */
const keyBy = (attribute: Value | undefined, caseSensitive: boolean): ((item: Value) => Value) => {
  const of = attribute == null ? (item: Value) => item : along(attribute);
  return caseSensitive ? of : (item) => folded(of(item));
};

const sorted = (list: readonly Value[], by: (item: Value) => Value, reverse: boolean): Value[] => {
  const keyed = list.map((item) => ({ item, key: by(item) }));
  return keyed
    .sort((a, b) => (reverse ? compare(b.key, a.key) : compare(a.key, b.key)))
    .map(({ item }) => item);
};

const extreme =
  (name: string, sign: 1 | -1): Filter =>
  (value, given) => {
    const { case_sensitive: cased, attribute } = bind(name, given, ['case_sensitive', 'attribute']);
    const by = keyBy(attribute, flagOr(cased, false));
    const all = items(value);
    return all.length === 0
      ? new Undefined(`the ${name} of nothing`)
      : all.reduce((best, item) => (sign * compare(by(item), by(best)) > 0 ? item : best));
  };

/** `select`, `reject` and, with an attribute first, `selectattr` and `rejectattr`. */
const chosen =
  (keep: boolean, byAttribute: boolean): Filter =>
  (value, { positional, named }) => {
    if (named.size > 0) unsupported('named arguments of select or reject');
    const [of, rest] = byAttribute
      ? [along(positional[0] ?? fail('the attribute is missing')), positional.slice(1)]
      : [(item: Value) => item, positional];
    const [name, ...others] = rest;
    const test = name === undefined ? truth : testNamed(textOf(name));
    return new JinjaIterable(
      'generator',
      items(value).filter((item) => test(of(item), ...others) === keep),
    );
  };

const mapped: Filter = (value, { positional, named }) => {
  if (positional.length === 0) {
    const {
      attribute,
      default: otherwise,
      ...others
    } = Object.fromEntries(named) as Record<string, Value | undefined>;
    if (attribute === undefined || Object.keys(others).length > 0)
      return fail('map asks for a filter or an attribute');
    const of = along(attribute);
    return new JinjaIterable(
      'generator',
      items(value)
        .map(of)
        .map((item) => (item instanceof Undefined && otherwise != null ? otherwise : item)),
    );
  }
  const [name, ...rest] = positional;
  const filter = filterNamed(textOf(name));
  return new JinjaIterable(
    'generator',
    items(value).map((item) => filter(item, { positional: rest, named })),
  );
};

const asInteger: Filter = (value, given) => {
  const { default: otherwise, base } = bind('int', given, ['default', 'base']);
  if (base !== undefined) return unsupported('int with a base');
  if (isNumber(value))
    return Number.isFinite(numberOf(value)) ? integer(Math.trunc(numberOf(value))) : (otherwise ?? 0);
  if (value instanceof Undefined) return fail(`${value.what} is undefined`);
  const text = typeof value === 'string' ? strip(value, null).replace(/(?<=\d)_(?=\d)/g, '') : '';
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)
    ? integer(Math.trunc(Number(text)))
    : (otherwise ?? 0);
};

const asFloat: Filter = (value, given) => {
  const { default: otherwise } = bind('float', given, ['default']);
  if (isNumber(value)) return new Float(numberOf(value));
  if (value instanceof Undefined) return fail(`${value.what} is undefined`);
  const text = typeof value === 'string' ? strip(value, null).replace(/(?<=\d)_(?=\d)/g, '') : '';
  if (/^[+-]?(inf(inity)?|nan)$/i.test(text)) return unsupported('a float that is no number');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)
    ? new Float(Number(text))
    : (otherwise ?? new Float(0));
};

const json: Filter = (value, given) => {
  const {
    ensure_ascii: ascii,
    indent: step,
    separators,
    sort_keys: ordered,
  } = bind('tojson', given, ['ensure_ascii', 'indent', 'separators', 'sort_keys']);
  const indentation =
    typeof step === 'string' ? step : step == null ? null : ' '.repeat(Math.max(0, countOr(step, 0)));
  const [item, key] =
    separators == null
      ? [indentation === null ? ', ' : ',', ': ']
      : items(separators).map((part) => textOr(part, ''));
  return toJson(value, {
    ascii: flagOr(ascii, false),
    indent: indentation,
    separators: [item, key],
    sorted: flagOr(ordered, false),
  });
};

const dictionarySorted: Filter = (value, given) => {
  const { case_sensitive: cased, by, reverse } = bind('dictsort', given, ['case_sensitive', 'by', 'reverse']);
  const place = textOr(by, 'key') === 'value' ? 1 : 0;
  if (!isDict(value)) return fail(`dictsort asks for a dictionary, and not a ${typeName(value)}`);
  const entries = [...value].map((entry) => new List(entry, true));
  return new List(
    sorted(
      entries,
      (entry) => keyBy(undefined, flagOr(cased, false))((entry as List).items[place]),
      flagOr(reverse, false),
    ),
  );
};

const added: Filter = (value, given) => {
  const { attribute, start } = bind('sum', given, ['attribute', 'start']);
  const of = attribute == null ? (item: Value) => item : along(attribute);
  const numbers = [start ?? 0, ...items(value).map(of)].map((item) =>
    isNumber(item) ? item : unsupported(`a sum of a ${typeName(item)}`),
  );
  return numeric(
    numbers.reduce<number>((total, item) => total + numberOf(item), 0),
    numbers.some((item) => item instanceof Float),
  );
};

const unique: Filter = (value, given) => {
  const { case_sensitive: cased, attribute } = bind('unique', given, ['case_sensitive', 'attribute']);
  const by = keyBy(attribute, flagOr(cased, false));
  const seen: Value[] = [];
  return new JinjaIterable(
    'generator',
    items(value).filter((item) => !seen.some((one) => equal(one, by(item))) && seen.push(by(item)) > 0),
  );
};

const reversed = (value: Value): Value => {
  if (typeof value === 'string') return [...value].reverse().join('');
  if (isDict(value)) return new JinjaIterable('generator', [...value.keys()].reverse());
  return value instanceof JinjaIterable && value.kind === 'generator'
    ? new List([...items(value)].reverse())
    : new JinjaIterable('generator', [...items(value)].reverse());
};

const filters: Readonly<Record<string, Filter>> = {
  abs: plain('abs', (value) =>
    isNumber(value)
      ? numeric(Math.abs(numberOf(value)), value instanceof Float)
      : fail(`a ${typeName(value)} has no size`),
  ),
  capitalize: plain('capitalize', (value) => capitalize(str(value))),
  default: (value, given) => {
    const { default_value: otherwise, boolean } = bind('default', given, ['default_value', 'boolean']);
    return value instanceof Undefined || (flagOr(boolean, false) && !truth(value))
      ? (otherwise ?? '')
      : value;
  },
  dictsort: dictionarySorted,
  first: plain(
    'first',
    (value) => items(value)[0] ?? (items(value).length > 0 ? null : new Undefined('the first of nothing')),
  ),
  float: asFloat,
  indent: (value, given) => {
    const { width, first, blank } = bind('indent', given, ['width', 'first', 'blank']);
    return indent(
      textOf(value),
      typeof width === 'string' ? width : ' '.repeat(Math.max(0, countOr(width, 4))),
      flagOr(first, false),
      flagOr(blank, false),
    );
  },
  int: asInteger,
  items: plain('items', (value) => {
    if (value instanceof Undefined) return new JinjaIterable('generator', []);
    return isDict(value)
      ? new JinjaIterable(
          'generator',
          [...value].map((entry) => new List(entry, true)),
        )
      : fail(`a ${typeName(value)} has no items`);
  }),
  join: (value, given) => {
    const { d, attribute } = bind('join', given, ['d', 'attribute']);
    const of = attribute == null ? (item: Value) => item : along(attribute);
    return items(value)
      .map((item) => str(of(item)))
      .join(d === undefined ? '' : str(d));
  },
  last: plain('last', (value) => {
    if (value instanceof JinjaIterable && value.kind === 'generator')
      return fail('a generator has no last item');
    return items(value).at(-1) ?? (items(value).length > 0 ? null : new Undefined('the last of nothing'));
  }),
  length: plain('length', lengthOf),
  list: plain('list', (value) => new List(items(value))),
  lower: plain('lower', (value) => str(value).toLowerCase()),
  map: mapped,
  max: extreme('max', 1),
  min: extreme('min', -1),
  reject: chosen(false, false),
  rejectattr: chosen(false, true),
  replace: (value, given) => {
    const { old, new: by, count } = bind('replace', given, ['old', 'new', 'count']);
    return replace(
      str(value),
      str(old ?? fail('replace lacks what it replaces')),
      str(by ?? fail('replace lacks what it puts in')),
      countOr(count, -1),
    );
  },
  reverse: plain('reverse', reversed),
  select: chosen(true, false),
  selectattr: chosen(true, true),
  sort: (value, given) => {
    const {
      reverse,
      case_sensitive: cased,
      attribute,
    } = bind('sort', given, ['reverse', 'case_sensitive', 'attribute']);
    return new List(sorted(items(value), keyBy(attribute, flagOr(cased, false)), flagOr(reverse, false)));
  },
  string: plain('string', str),
  sum: added,
  title: plain('title', (value) => titleWords(str(value))),
  tojson: json,
  trim: (value, given) => strip(str(value), textOr(bind('trim', given, ['chars']).chars, null)),
  unique,
  upper: plain('upper', (value) => str(value).toUpperCase()),
};
const otherNames: Readonly<Record<string, string>> = { count: 'length', d: 'default' };

export const filterNamed = (name: string): Filter => {
  const known = otherNames[name] ?? name;
  return Object.hasOwn(filters, known) ? filters[known] : unsupported(`the filter “${name}”`);
};
