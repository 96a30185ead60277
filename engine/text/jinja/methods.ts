/** Built-in attributes of Python values: the methods of strings, lists and dictionaries. */
import { bind, countOr, flagOr, textOf, textOr } from './arguments.ts';
import {
  capitalize,
  isLower,
  isSpace,
  isUpper,
  replace,
  splitAt,
  splitAtSpace,
  splitLines,
  strip,
  title,
} from './text.ts';
import {
  Attributes,
  Callable,
  equal,
  fail,
  Float,
  isDict,
  items,
  List,
  typeName,
  unsupported,
  JinjaIterable,
  type Arguments,
  type Value,
} from './values.ts';

type Method<T> = (self: T, given: Arguments) => Value;
const texts = (parts: readonly string[]): List => new List(parts);

const stripped =
  (ends: 'both' | 'left' | 'right'): Method<string> =>
  (self, given) =>
    strip(self, textOr(bind('strip', given, ['characters']).characters, null), ends);

const split =
  (fromRight: boolean): Method<string> =>
  (self, given) => {
    const { sep, maxsplit } = bind('split', given, ['sep', 'maxsplit']);
    const separator = textOr(sep, null);
    const most = countOr(maxsplit, -1);
    if (separator === '') fail('an empty separator splits nothing');
    if (separator !== null) return texts(splitAt(self, separator, most, fromRight));
    return fromRight && most >= 0
      ? unsupported('rsplit at white space with a number of splits')
      : texts(splitAtSpace(self, most));
  };

const has =
  (name: string, test: (self: string, part: string) => boolean): Method<string> =>
  (self, given) => {
    const { part } = bind(name, given, ['part']);
    if (part instanceof List && part.isTuple) return part.items.some((one) => test(self, textOf(one)));
    return typeof part === 'string'
      ? test(self, part)
      : fail(`${name} asks for text or a tuple of texts, and not a ${typeName(part ?? null)}`);
  };

const none =
  (name: string, change: (self: string) => Value): Method<string> =>
  (self, given) => {
    bind(name, given, []);
    return change(self);
  };

const find =
  (fromRight: boolean): Method<string> =>
  (self, given) => {
    const part = textOf(bind('find', given, ['part']).part);
    const at = fromRight ? self.lastIndexOf(part) : self.indexOf(part);
    return at < 0 ? -1 : [...self.slice(0, at)].length;
  };

const partition =
  (fromRight: boolean): Method<string> =>
  (self, given) => {
    const separator = textOf(bind('partition', given, ['sep']).sep);
    const at = fromRight ? self.lastIndexOf(separator) : self.indexOf(separator);
    if (separator === '') fail('an empty separator splits nothing');
    if (at < 0) return new List(fromRight ? ['', '', self] : [self, '', ''], true);
    return new List([self.slice(0, at), separator, self.slice(at + separator.length)], true);
  };

const ofText: Readonly<Record<string, Method<string>>> = {
  upper: none('upper', (self) => self.toUpperCase()),
  lower: none('lower', (self) => self.toLowerCase()),
  title: none('title', title),
  capitalize: none('capitalize', capitalize),
  isspace: none('isspace', isSpace),
  isupper: none('isupper', isUpper),
  islower: none('islower', isLower),
  isdigit: none(
    'isdigit',
    (self) =>
      /^[0-9]+$/.test(self) ||
      (/[^\x00-\x7f]/.test(self) ? unsupported('isdigit of text that is not ASCII') : false),
  ),
  isalpha: none('isalpha', (self) => /^\p{L}+$/u.test(self)),
  strip: stripped('both'),
  lstrip: stripped('left'),
  rstrip: stripped('right'),
  split: split(false),
  rsplit: split(true),
  splitlines: (self, given) =>
    texts(splitLines(self, flagOr(bind('splitlines', given, ['keepends']).keepends, false))),
  startswith: has('startswith', (self, part) => self.startsWith(part)),
  endswith: has('endswith', (self, part) => self.endsWith(part)),
  removeprefix: (self, given) => {
    const prefix = textOf(bind('removeprefix', given, ['prefix']).prefix);
    return self.startsWith(prefix) ? self.slice(prefix.length) : self;
  },
  removesuffix: (self, given) => {
    const suffix = textOf(bind('removesuffix', given, ['suffix']).suffix);
    return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self;
  },
  replace: (self, given) => {
    const { old, new: by, count } = bind('replace', given, ['old', 'new', 'count']);
    return replace(self, textOf(old), textOf(by), countOr(count, -1));
  },
  join: (self, given) =>
    items(bind('join', given, ['parts']).parts ?? fail('join lacks what it joins'))
      .map((part) => textOf(part))
      .join(self),
  find: find(false),
  rfind: find(true),
  count: (self, given) => {
    const part = textOf(bind('count', given, ['part']).part);
    return part === '' ? [...self].length + 1 : self.split(part).length - 1;
  },
  partition: partition(false),
  rpartition: partition(true),
};

const ofList: Readonly<Record<string, Method<List>>> = {
  count: (self, given) => {
    const { item } = bind('count', given, ['item']);
    return self.items.filter((one) => equal(one, item ?? null)).length;
  },
  index: (self, given) => {
    const { item } = bind('index', given, ['item']);
    const at = self.items.findIndex((one) => equal(one, item ?? null));
    return at < 0 ? fail('the list does not hold what was looked for') : at;
  },
  copy: (self) => (self.isTuple ? fail('a tuple has no copy') : self),
};

const ofDict: Readonly<Record<string, Method<ReadonlyMap<string, Value>>>> = {
  get: (self, given) => {
    const { key, otherwise } = bind('get', given, ['key', 'otherwise']);
    return typeof key === 'string' && self.has(key) ? self.get(key)! : (otherwise ?? null);
  },
  items: (self) =>
    new JinjaIterable(
      'view',
      [...self].map((entry) => new List(entry, true)),
    ),
  keys: (self) => new JinjaIterable('view', [...self.keys()]),
  values: (self) => new JinjaIterable('view', [...self.values()]),
  copy: (self) => self,
};

/** Python methods that are not supported: using one is an error rather than undefined. */
const others: Readonly<Record<string, string>> = {
  str:
    'casefold center encode expandtabs format format_map index isalnum isascii isdecimal isidentifier ' +
    'isnumeric isprintable istitle ljust maketrans rindex rjust swapcase translate zfill',
  list: 'append clear extend insert pop remove reverse sort',
  dict: 'clear fromkeys pop popitem setdefault update',
  int: 'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes',
  float: 'as_integer_ratio conjugate fromhex hex imag is_integer real',
};

const methodsOf = (self: Value): Readonly<Record<string, Method<never>>> => {
  if (typeof self === 'string') return ofText;
  if (self instanceof List) return ofList;
  return isDict(self) ? ofDict : {};
};

/** A value's built-in attribute of this name. */
export const attributeOf = (self: Value, name: string): Value | undefined => {
  if (self instanceof Attributes)
    return self.values.get(name) ?? (self.kind === 'loop' ? unsupported(`loop.${name}`) : undefined);
  const methods = methodsOf(self);
  const type = typeName(self);
  if (Object.hasOwn(methods, name)) return new Callable(name, (given) => methods[name](self as never, given));
  if (name.startsWith('_')) return unsupported(`the attribute ${name}`);
  if (self instanceof Callable || self instanceof JinjaIterable)
    return unsupported(`the attribute ${name} of a ${type}`);
  const python = typeof self === 'boolean' ? others.int : self instanceof Float ? others.float : others[type];
  return python?.split(' ').includes(name) ? unsupported(`the method ${name} of a ${type}`) : undefined;
};
