import { WhetstoneError } from '../../engine/common/errors.ts';
import { readNumber } from '../../engine/common/number-text.ts';
import { queryTokens, type QueryToken } from './query-tokens.ts';
import { phraseOf, searchWord, type SearchWord } from './row-search.ts';

/** Part of a query. `term` is its text in the query, for error messages and marks. */
export type QueryNode =
  | { readonly kind: 'all'; readonly of: readonly QueryNode[] }
  | { readonly kind: 'any'; readonly of: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly of: QueryNode }
  /** A word or phrase of the prompt or the answer. */
  | { readonly kind: 'text'; readonly word: SearchWord; readonly term: string }
  | { readonly kind: 'mark'; readonly mark: Mark; readonly term: string }
  | { readonly kind: 'is'; readonly state: RowState; readonly term: string }
  /** Rows whose cell in this column is not empty. */
  | { readonly kind: 'has'; readonly column: string; readonly term: string }
  /** Rows whose cell contains the value (`:`) or equals it (`=`), in any case. */
  | {
      readonly kind: 'value';
      readonly column: string;
      readonly value: string;
      readonly whole: boolean;
      readonly term: string;
    }
  | ({ readonly kind: 'range'; readonly column: string; readonly term: string } & Range);

/** An interval of numbers; null: without this bound. */
export interface Range {
  readonly low: number | null;
  readonly high: number | null;
  /** True if the bounds themselves are inside. */
  readonly lowInside: boolean;
  readonly highInside: boolean;
}

export const marks = ['right', 'wrong', 'unmarked'] as const;
export type Mark = (typeof marks)[number];
export const rowStates = ['excluded', 'included', 'edited', 'added'] as const;
export type RowState = (typeof rowStates)[number];

/** Columns that every dataset has, besides the extra ones of its file. */
export const builtInColumns = {
  mark: 'category',
  source: 'category',
  length: 'number',
  promptlength: 'number',
  line: 'number',
  row: 'number',
  reference: 'text',
  prompt: 'text',
  answer: 'text',
  tag: 'set',
  flag: 'set',
  split: 'set',
  finding: 'set',
  note: 'text',
} as const;

const isOneOf = <T extends string>(all: readonly T[], text: string): text is T =>
  (all as readonly string[]).includes(text);

/** An error in a query, which names the term. */
export const queryError = (term: string, what: string, hint: string): WhetstoneError =>
  new WhetstoneError('invalid-input', what, { where: term, hint });

/**
 * Parses a query. Terms separated by spaces must all hold; `OR` and parentheses combine them, `-` negates
 * one. Throws `invalid-input`, with the term in `where`.
 */
export const parseQuery = (text: string): QueryNode => parseTokens(queryTokens(text));

/** Parses the tokens of a query. Throws as `parseQuery` does. */
export function parseTokens(tokens: readonly QueryToken[]): QueryNode {
  const reader = new Reader(tokens);
  const node = reader.any();
  const rest = reader.next;
  if (rest)
    throw queryError(rest.text, 'This parenthesis closes nothing.', 'Remove it, or put it in quotes.');
  return node;
}

/** Reads tokens by recursive descent: any := all (OR all)*, all := one+, one := -one | ( any ) | term. */
class Reader {
  readonly #tokens: readonly QueryToken[];
  #at = 0;

  constructor(tokens: readonly QueryToken[]) {
    this.#tokens = tokens;
  }

  get next(): QueryToken | undefined {
    return this.#tokens[this.#at];
  }

  /** True if no term follows. */
  #isOver(): boolean {
    const { next } = this;
    return !next || next.kind === 'or' || next.kind === 'close';
  }

  any(): QueryNode {
    const of = [this.#all()];
    while (this.next?.kind === 'or') {
      const { text } = this.#take();
      if (this.#isOver())
        throw queryError(text, 'OR has no term after it.', 'Write a term on both sides, or "OR" in quotes.');
      of.push(this.#all());
    }
    return of.length === 1 ? of[0] : { kind: 'any', of };
  }

  #all(): QueryNode {
    const of: QueryNode[] = [];
    const first = this.next;
    if (first?.kind === 'or')
      throw queryError(first.text, 'OR has no term before it.', 'Write a term on both sides.');
    while (!this.#isOver()) of.push(this.#one());
    return of.length === 1 ? of[0] : { kind: 'all', of };
  }

  #one(): QueryNode {
    const token = this.#take();
    if (token.kind === 'not') {
      if (this.#isOver())
        throw queryError('-', 'The minus negates nothing.', 'Write a term directly after it.');
      return { kind: 'not', of: this.#one() };
    }
    if (token.kind !== 'open') return termOf(token);
    const node = this.any();
    if (this.next?.kind !== 'close')
      throw queryError('(', 'This parenthesis is not closed.', 'Add ")" where the group ends.');
    this.#take();
    return node;
  }

  #take(): QueryToken {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }
}

function termOf(token: QueryToken): QueryNode {
  const { text: term } = token;
  if (token.kind === 'field') return fieldOf(token, term);
  if (token.kind === 'phrase') return { kind: 'text', word: phraseOf(token.value ?? ''), term };
  const word = term.toLowerCase();
  if (isOneOf(marks, word)) return { kind: 'mark', mark: word, term };
  return { kind: 'text', word: searchWord(term), term };
}

function fieldOf({ name = '', operator = ':', value = '', quoted }: QueryToken, term: string): QueryNode {
  const column = name.toLowerCase();
  const missing = (): never => {
    throw queryError(
      term,
      `'${term}' has no value.`,
      `Write one after it, as in ${name}${operator}"some value".`,
    );
  };
  if (value === '' && !quoted) missing();
  if (operator === ':' && column === 'is') return stateOf(value.toLowerCase(), term);
  if (operator === ':' && column === 'has') return { kind: 'has', column: value, term };
  if (column === 'mark' && (operator === ':' || operator === '=')) return markTerm(value.toLowerCase(), term);
  if (operator !== ':' && operator !== '=') return comparison(name, operator, value, term);
  const range = quoted ? null : rangeOf(value, term);
  if (range) return { kind: 'range', column: name, term, ...range };
  // a split is named in full, as a tag is
  return { kind: 'value', column: name, value, whole: operator === '=' || column === 'split', term };
}

function stateOf(value: string, term: string): QueryNode {
  if (isOneOf(rowStates, value)) return { kind: 'is', state: value, term };
  if (isOneOf(marks, value)) return { kind: 'mark', mark: value, term };
  throw queryError(
    term,
    `There is no state '${value}'.`,
    `There are: ${[...rowStates, ...marks].join(', ')}.`,
  );
}

function markTerm(value: string, term: string): QueryNode {
  if (isOneOf(marks, value)) return { kind: 'mark', mark: value, term };
  throw queryError(term, `There is no mark '${value}'.`, `There are: ${marks.join(', ')}.`);
}

function comparison(column: string, operator: string, given: string, term: string): QueryNode {
  const bound = numberOf(given, term);
  const inside = operator.endsWith('=');
  const bounds = operator.startsWith('>') ? { low: bound, high: null } : { low: null, high: bound };
  return { kind: 'range', column, term, ...bounds, lowInside: inside, highInside: inside };
}

/** `10..20`, `10..` or `..20`, both ends included, or `10..<20` without the last; null for anything else. */
function rangeOf(value: string, term: string): Range | null {
  const at = value.indexOf('..');
  if (at < 0 || /[^\d.eE+<-]/.test(value)) return null;
  const highInside = value[at + 2] !== '<';
  const [from, to] = [value.slice(0, at), value.slice(at + (highInside ? 2 : 3))];
  if (from === '' && to === '') return null;
  return {
    low: from === '' ? null : numberOf(from, term),
    high: to === '' ? null : numberOf(to, term),
    lowInside: true,
    highInside,
  };
}

function numberOf(text: string, term: string): number {
  const read = readNumber(text, {});
  if (read.ok) return read.value;
  throw queryError(
    term,
    `'${text}' in '${term}' is not a number.`,
    'Compare with a number, such as length>400.',
  );
}

/** The words of a query that matching rows contain, to be marked in them. */
export function wordsIn(node: QueryNode): readonly SearchWord[] {
  if (node.kind === 'text') return [node.word];
  return node.kind === 'all' || node.kind === 'any' ? node.of.flatMap(wordsIn) : [];
}
