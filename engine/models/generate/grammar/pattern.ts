/** Patterns of text as data, and the part of regular-expression syntax that describes them. */
import { WhetstoneError } from '../../../common/errors.ts';

/** Inclusive range of code points. */
export type Range = readonly [low: number, high: number];

export type Pattern =
  /** One character out of some ranges; none of them matches nothing. */
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly of: Pattern; readonly least: number; readonly most: number };

export const set = (...ranges: readonly Range[]): Pattern => ({ kind: 'set', ranges });
export const sequence = (...parts: readonly Pattern[]): Pattern => ({ kind: 'sequence', parts });
export const choice = (...options: readonly Pattern[]): Pattern => ({ kind: 'choice', options });
export const repeat = (of: Pattern, least: number, most = Infinity): Pattern => ({
  kind: 'repeat',
  of,
  least,
  most,
});
export const optional = (of: Pattern): Pattern => repeat(of, 0, 1);
const point = (character: string): number => character.codePointAt(0) ?? 0;
export const exactly = (text: string): Pattern =>
  sequence(...[...text].map((character) => set([point(character), point(character)])));

const LAST = 0x10ffff;
/** Every character outside some ranges. */
export const without = (ranges: readonly Range[]): Range[] => {
  const left: Range[] = [];
  let from = 0;
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (low > from) left.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= LAST) left.push([from, LAST]);
  return left;
};

const digits: readonly Range[] = [[0x30, 0x39]];
const word: readonly Range[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const space: readonly Range[] = [
  [9, 13],
  [0x20, 0x20],
];
const classes: Readonly<Record<string, readonly Range[]>> = {
  d: digits,
  D: without(digits),
  w: word,
  W: without(word),
  s: space,
  S: without(space),
};
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Reads a regular expression from left to right. */
class Reader {
  readonly #characters: readonly string[];
  readonly #where: string;
  #at = 0;

  constructor(text: string, where: string) {
    this.#characters = [...text];
    this.#where = where;
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #fail(message: string): never {
    throw new WhetstoneError('invalid-input', `The pattern ${message}, at character ${this.#at + 1}.`, {
      where: this.#where,
      hint: 'Use characters, sets such as [a-z], groups, |, and the repetitions ?, *, + and {m,n}.',
    });
  }

  #take(): string {
    const character = this.#next ?? this.#fail('ends too early');
    this.#at++;
    return character;
  }

  #skip(character: string): boolean {
    if (this.#next !== character) return false;
    this.#at++;
    return true;
  }

  whole(): Pattern {
    const pattern = this.#choice();
    if (this.#next !== undefined) this.#fail(`has '${this.#next}' without its beginning`);
    return pattern;
  }

  #choice(): Pattern {
    const options = [this.#sequence()];
    while (this.#skip('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0] : choice(...options);
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') parts.push(this.#repeated());
    return sequence(...parts);
  }

  #repeated(): Pattern {
    let pattern = this.#atom();
    for (;;) {
      if (this.#skip('*')) pattern = repeat(pattern, 0);
      else if (this.#skip('+')) pattern = repeat(pattern, 1);
      else if (this.#skip('?')) pattern = optional(pattern);
      else if (this.#skip('{')) pattern = this.#counted(pattern);
      else return pattern;
    }
  }

  #counted(of: Pattern): Pattern {
    const least = this.#count();
    const most = this.#skip(',') ? (this.#next === '}' ? Infinity : this.#count()) : least;
    if (!this.#skip('}')) this.#fail('has a repetition without its }');
    if (most < least) this.#fail(`repeats from ${least} to ${most} times`);
    return repeat(of, least, most);
  }

  #count(): number {
    let text = '';
    while (this.#next !== undefined && /\d/.test(this.#next)) text += this.#take();
    if (text === '') this.#fail('has a repetition without its number');
    return Number(text);
  }

  #atom(): Pattern {
    const character = this.#take();
    if (character === '(') {
      if (this.#skip('?') && !this.#skip(':')) this.#fail('has a group of an unknown kind');
      const inner = this.#choice();
      if (!this.#skip(')')) this.#fail('has a group without its )');
      return inner;
    }
    if (character === '[') return this.#set();
    if (character === '.') return set(...without([[10, 10]]));
    if (character === '\\') return set(...this.#escaped());
    if ('*+?{'.includes(character)) this.#fail(`repeats nothing by '${character}'`);
    if ('^$'.includes(character)) this.#fail(`has '${character}'; it is always the whole answer`);
    return exactly(character);
  }

  #escaped(): readonly Range[] {
    const character = this.#take();
    const known = classes[character];
    if (known) return known;
    if (/[a-zA-Z0-9]/.test(character) && !(character in controls))
      this.#fail(`has the unknown escape \\${character}`);
    const at = point(controls[character] ?? character);
    return [[at, at]];
  }

  #set(): Pattern {
    const negated = this.#skip('^');
    const ranges: Range[] = [];
    while (!this.#skip(']')) {
      const low = this.#member();
      if (low.length !== 1 || low[0][0] !== low[0][1] || !this.#skip('-')) {
        ranges.push(...low);
        continue;
      }
      if (this.#next === ']') {
        ranges.push(...low, [0x2d, 0x2d]);
        continue;
      }
      const [[high]] = this.#member();
      if (high < low[0][0]) this.#fail('has a range that ends before it begins');
      ranges.push([low[0][0], high]);
    }
    return set(...(negated ? without(ranges) : ranges));
  }

  #member(): readonly Range[] {
    const character = this.#take();
    return character === '\\' ? this.#escaped() : [[point(character), point(character)]];
  }
}

/**
 * The pattern of a regular expression, which describes whole answers. Throws `invalid-input` for syntax
 * outside the supported part.
 */
export const patternOf = (text: string, where: string): Pattern => new Reader(text, where).whole();
