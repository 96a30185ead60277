/**
 * Parses a template: white space and tags as Jinja cuts them, expressions by the library's lexer and parser.
 */
import { parse, tokenize } from '@huggingface/jinja';
import { TemplateStop } from './values.ts';

/** A node of the library's tree, with the fields of its type. */
export interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly body?: readonly Node[];
  readonly [field: string]: unknown;
}

type Tokens = ReturnType<typeof tokenize>;

/** Name of the block that marks the assistant's text; no template can spell it. */
export const generationBlock = '{% generation %}';

const token = (value: string, type: string): Tokens[number] => ({ value, type }) as Tokens[number];

/**
 * Finds the end of a tag outside strings and open brackets. Returns the position after its contents, and the
 * closing delimiter.
 */
const endOfTag = (
  source: string,
  from: number,
  close: '%}' | '}}',
): { readonly end: number; readonly sign: string } => {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const c = source[at];
    if (c === '"' || c === "'") {
      for (at++; at < source.length && source[at] !== c; at++) if (source[at] === '\\') at++;
      continue;
    }
    if (depth === 0) {
      if (source.startsWith(close, at)) return { end: at, sign: '' };
      if ('-+'.includes(c) && source.startsWith(close, at + 1) && (c === '-' || close === '%}'))
        return { end: at, sign: c };
    }
    if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
  }
  throw new TemplateStop('unsupported', 'a tag in it is not closed');
};

/**
 * Text before a tag after white-space control: `-` strips white space, a block or comment at the start of a
 * line strips its indentation.
 */
const before = (text: string, sign: string, isBlock: boolean, beginsLine: boolean): string => {
  if (sign === '-') return text.trimEnd();
  const line = text.lastIndexOf('\n') + 1;
  return sign !== '+' && isBlock && (line > 0 || beginsLine) && text.slice(line).trim() === ''
    ? text.slice(0, line)
    : text;
};

const generation = /^\s*(end)?generation\s*$/;

/** Tokens after which a new comparison may begin. */
const apart = new Set(['and', 'or', 'not', 'if', 'else', 'Comma', 'Equals', 'Colon']);

/** Refuses chained comparisons: Python chains `a < b < c`, while the parser evaluates it from the left. */
const refuseChains = (found: Tokens): Tokens => {
  const seen: number[] = [];
  for (const [at, { type, value }] of found.entries()) {
    const word = type === 'Identifier' ? value : type;
    if (type.startsWith('Open')) seen.push(0);
    else if (type.startsWith('Close')) seen.pop();
    else if (word === 'in' || type === 'ComparisonBinaryOperator') seen[seen.length - 1]++;
    else if (apart.has(word) && found[at + 1]?.value !== 'in') seen[seen.length - 1] = 0;
    if ((seen.at(-1) ?? 0) > 1)
      throw new TemplateStop('unsupported', 'it compares in a chain (a < b < c), which is not rendered here');
  }
  return found;
};

const tokensOf = (inner: string, close: '%}' | '}}'): Tokens => {
  const found = close === '%}' ? generation.exec(inner) : null;
  if (found?.[1]) return tokenize('{% endcall %}');
  if (!found) return tokenize(close === '%}' ? `{% ${inner} %}` : `{{ ${inner} }}`);
  // the assistant's text has a scope of its own, like a called block
  return tokenize('{% call generation() %}').map((one: Tokens[number]) =>
    one.value === 'generation' ? token(generationBlock, one.type) : one,
  );
};

const tokens = (source: string): Tokens => {
  const found: Tokens = [];
  const tag = /\{([%{#])/g;
  const push = (text: string) => {
    if (text !== '') found.push(token(text, 'Text'));
  };
  let at = 0;
  let beginsLine = true;
  for (;;) {
    tag.lastIndex = at;
    const next = tag.exec(source);
    if (!next) {
      push(source.slice(at));
      return found;
    }
    const kind = next[1];
    const opened = next.index + 2;
    const sign =
      '-+'.includes(source[opened] || ' ') && (kind !== '{' || source[opened] === '-') ? source[opened] : '';
    push(before(source.slice(at, next.index), sign, kind !== '{', beginsLine));
    const from = opened + sign.length;
    const close = kind === '%' ? '%}' : '}}';
    const tagEnd = kind === '#' ? endOfComment(source, from) : endOfTag(source, from, close);
    if (kind !== '#') found.push(...refuseChains(tokensOf(source.slice(from, tagEnd.end), close)));
    at = tagEnd.end + tagEnd.sign.length + 2;
    if (tagEnd.sign === '-') while (at < source.length && source[at].trim() === '') at++;
    else if (kind !== '{' && tagEnd.sign === '' && source[at] === '\n') at++;
    beginsLine = source[at - 1] === '\n';
  }
};

const endOfComment = (source: string, from: number): { readonly end: number; readonly sign: string } => {
  const end = source.indexOf('#}', from);
  if (end < 0) throw new TemplateStop('unsupported', 'a comment in it is not closed');
  const sign = end > from && '-+'.includes(source[end - 1]) ? source[end - 1] : '';
  return { end: end - sign.length, sign };
};

/** Parses a template. Throws the library's parse errors, or a `TemplateStop`. */
export const read = (source: string): Node => {
  const lines = source.replace(/\r\n?/g, '\n');
  return parse(tokens(lines.endsWith('\n') ? lines.slice(0, -1) : lines)) as unknown as Node;
};
