import { WhetstoneError } from '../../engine/common/errors.ts';

/** A token of a query, with its text as it was typed. */
export interface QueryToken {
  readonly kind: 'open' | 'close' | 'not' | 'or' | 'word' | 'phrase' | 'field';
  readonly text: string;
  /** Place in the query. */
  readonly from: number;
  readonly to: number;
  /** Text of a phrase, or value of a field. */
  readonly value?: string;
  /** True if the value was in quotes. */
  readonly quoted?: boolean;
  readonly name?: string;
  readonly operator?: string;
}

/** The name of a column and an operator: `length>`, `source:`, `"my column"=`. */
const fieldStart = /(?:"((?:[^"\\]|\\.)*)"|([\p{L}_][\p{L}\p{N}_.-]*))(>=|<=|[:=<>])/uy;
const quotedText = /"((?:[^"\\]|\\.)*)"/y;
const bareText = /[^\s()"][^\s()]*/y;
/** Signs inside a word, such as "f(x)", belong to it. */
const wordText = /[^\s("][^\s]*/y;

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

function at(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** A value, quoted or up to the next space or parenthesis; without one, the empty text. */
function valueAt(text: string, place: number): { value: string; to: number; quoted: boolean } {
  const quote = at(quotedText, text, place);
  if (quote) return { value: unescaped(quote[1]), to: place + quote[0].length, quoted: true };
  if (text[place] === '"') throw unclosed(text.slice(place));
  const bare = at(bareText, text, place);
  return { value: bare?.[0] ?? '', to: place + (bare?.[0].length ?? 0), quoted: false };
}

const unclosed = (term: string): WhetstoneError =>
  new WhetstoneError('invalid-input', 'This quotation mark is not closed.', {
    where: term,
    hint: 'Add the closing one, or write \\" for the sign itself.',
  });

/** A word up to the next space; closing parentheses that the word did not open end it. */
function wordAt(text: string, place: number): string {
  const word = at(wordText, text, place)?.[0] ?? text[place];
  let depth = 0;
  for (const [i, sign] of [...word].entries()) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return [...word].slice(0, i).join('') || ')';
  }
  return word;
}

/** Splits a query into tokens. Throws `invalid-input` for a quotation mark that is not closed. */
export function queryTokens(text: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  for (let place = 0; place < text.length;) {
    if (/\s/.test(text[place])) {
      place += 1;
      continue;
    }
    const token = tokenAt(text, place);
    tokens.push(token);
    place = token.to;
  }
  return tokens;
}

function tokenAt(text: string, from: number): QueryToken {
  const make = (to: number, rest: Omit<QueryToken, 'text' | 'from' | 'to'>): QueryToken => ({
    ...rest,
    text: text.slice(from, to),
    from,
    to,
  });
  const sign = text[from];
  if (sign === '(') return make(from + 1, { kind: 'open' });
  if (sign === ')') return make(from + 1, { kind: 'close' });
  // a minus before a number is part of a word, as in "8 -3"
  if (sign === '-' && /[^\s\d-]/.test(text[from + 1] ?? ' ')) return make(from + 1, { kind: 'not' });
  const field = at(fieldStart, text, from);
  if (field) {
    const { value, to, quoted } = valueAt(text, from + field[0].length);
    const name = field[1] === undefined ? field[2] : unescaped(field[1]);
    return make(to, { kind: 'field', name, operator: field[3], value, quoted });
  }
  const quote = at(quotedText, text, from);
  if (quote) return make(from + quote[0].length, { kind: 'phrase', value: unescaped(quote[1]) });
  if (sign === '"') throw unclosed(text.slice(from));
  const word = wordAt(text, from);
  return make(from + word.length, { kind: word === 'OR' ? 'or' : 'word' });
}
