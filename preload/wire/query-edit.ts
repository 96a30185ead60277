import { queryTokens, type QueryToken } from './query-tokens.ts';

const plainName = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
const plainValue = /^[^\s()"\\]+$/;

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
const nameText = (column: string): string => (plainName.test(column) ? column : quoted(column));

/** The term for rows with this value; marks have words of their own. */
export function valueTerm(column: string, value: string): string {
  if (column === 'mark') return value;
  const operator = column === 'tag' || column === 'flag' || column === 'split' ? ':' : '=';
  return `${nameText(column)}${operator}${operator === ':' && plainValue.test(value) ? value : quoted(value)}`;
}

/** The term for numbers from `low` up to `high`; `isLast`: `high` itself included. */
export const rangeTerm = (column: string, low: number, high: number, isLast: boolean): string =>
  `${nameText(column)}:${low}..${isLast ? '' : '<'}${high}`;

/** The term for rows without a value. */
export const emptyTerm = (column: string): string =>
  `-has:${plainValue.test(column) ? column : quoted(column)}`;

/** A term as a list of tokens' texts; null for a query with a fault. */
function tokensOf(query: string): readonly QueryToken[] | null {
  try {
    return queryTokens(query);
  } catch {
    return null;
  }
}

/** Where the tokens of a term begin in those of the query, outside parentheses. */
function placeOf(tokens: readonly QueryToken[], term: string): { first: number; last: number } | null {
  const wanted = (tokensOf(term) ?? []).map(({ text }) => text);
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'close') depth -= 1;
    const isThere = wanted.every((text, i) => tokens[at + i]?.text === text);
    const isNegated = tokens[at - 1]?.kind === 'not';
    if (depth === 0 && isThere && !isNegated) return { first: at, last: at + wanted.length - 1 };
    if (token.kind === 'open') depth += 1;
  }
  return null;
}

/** True if a query has this term, as all of its rows must match it. */
export const hasTerm = (query: string, term: string): boolean =>
  placeOf(tokensOf(query) ?? [], term) !== null;

/** The query with the term added, or without it if it was there. */
export function toggledTerm(query: string, term: string): string {
  const tokens = tokensOf(query) ?? [];
  const place = placeOf(tokens, term);
  if (!place) {
    const isAlternative = tokens.some(({ kind }) => kind === 'or');
    const rest = isAlternative ? `(${query.trim()})` : query.trim();
    return `${rest} ${term}`.trim();
  }
  const [from, to] = [tokens[place.first].from, tokens[place.last].to];
  return `${query.slice(0, from).trimEnd()} ${query.slice(to).trimStart()}`.trim();
}

/** The query with this range of a column in place of another one; null: without one. */
export function withRange(query: string, column: string, term: string | null): string {
  const old = (tokensOf(query) ?? []).find(
    ({ kind, name, operator, value }) =>
      kind === 'field' && name === column && operator === ':' && value?.includes('..') === true,
  );
  const rest = old && hasTerm(query, old.text) ? toggledTerm(query, old.text) : query;
  return term === null ? rest : toggledTerm(rest, term);
}

/** The bounds of a column in a query, as they were typed; empty without one. */
export function rangeIn(query: string, column: string): readonly [low: string, high: string] {
  const field = (tokensOf(query) ?? []).find(
    ({ kind, name, value }) => kind === 'field' && name === column && value?.includes('..') === true,
  );
  const [low = '', high = ''] = field?.value?.split('..') ?? [];
  return [low, high.replace(/^</, '')];
}
