import { parseTokens, queryError, type QueryNode } from './query.ts';
import { queryTokens, type QueryToken } from './query-tokens.ts';

/** Order of answers: by one number, or by the disagreement of two. */
export interface SampleSort {
  readonly by: string;
  /** The score that `by` is compared with, if the order is that of their disagreement. */
  readonly against?: string;
  readonly descending: boolean;
}

/** Listing of answers: each by itself, equal ones to a prompt once, or by prompt. */
export const sampleViews = ['answers', 'distinct', 'prompts'] as const;
export type SampleView = (typeof sampleViews)[number];

/** Numbers that every answer has, besides its scores. */
export const sampleNumbers = [
  'step',
  'attempt',
  'sample',
  'length',
  'promptlength',
  'logp',
  'meanlogp',
  'temperature',
  'given',
  'back',
] as const;
/** Columns of answers that hold one of a few values. */
export const sampleValues = ['mark', 'start', 'purpose', 'stop', 'run'] as const;
/** Names in a query that mean something else than a score of that name. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...sampleNumbers,
  ...sampleValues,
  'prompt',
  'answer',
  'row',
  'is',
  'has',
  'tag',
  'flag',
  'split',
  'finding',
  'note',
  'source',
  'reference',
]);

/** The name of a score in a query: longer if its own means something else. */
export const scoreName = (scorer: string): string =>
  reservedNames.has(scorer.toLowerCase()) || scorer.toLowerCase().startsWith('score.')
    ? `score.${scorer}`
    : scorer;

/** States after `is:`, and the terms that they mean; all but the last two are also words of their own. */
const states: Readonly<Record<string, readonly [name: string, operator: string, value: string]>> = {
  right: ['is', ':', 'right'],
  correct: ['is', ':', 'right'],
  wrong: ['is', ':', 'wrong'],
  unmarked: ['is', ':', 'unmarked'],
  truncated: ['stop', '=', 'length'],
  superseded: ['is', ':', 'excluded'],
  current: ['is', ':', 'included'],
};
const onlyAfterIs: ReadonlySet<string> = new Set(['superseded', 'current']);

const meaning = (token: QueryToken, state: string): QueryToken => {
  const [name, operator, value] = states[state];
  return { ...token, kind: 'field', name, operator, value, quoted: false };
};

function tokenOf(token: QueryToken): QueryToken {
  const word = token.text.toLowerCase();
  if (token.kind === 'word' && Object.hasOwn(states, word) && !onlyAfterIs.has(word))
    return meaning(token, word);
  if (token.kind !== 'field' || token.name?.toLowerCase() !== 'is' || token.operator !== ':') return token;
  const state = token.value?.toLowerCase() ?? '';
  if (Object.hasOwn(states, state)) return meaning(token, state);
  throw queryError(
    token.text,
    `There is no state '${state}' of answers.`,
    `There are: ${Object.keys(states).join(', ')}.`,
  );
}

/**
 * Parses a query over sampled answers: the language of the rows of datasets, with the words `right`, `wrong`,
 * `correct` and `truncated`. Throws `invalid-input`, with the term in `where`.
 */
export const parseSampleQuery = (text: string): QueryNode => parseTokens(queryTokens(text).map(tokenOf));

/** A query that every answer matches, superseded ones too. */
export const everyAnswer = 'is:current OR is:superseded';

/** Reads `reward`, `-reward` (downwards) and `-reward~verifier` (by disagreement); null for an empty text. */
export function sortFromText(text: string): SampleSort | null {
  const descending = text.startsWith('-');
  const [by, ...rest] = text.slice(descending ? 1 : 0).split('~');
  if (by === '') return null;
  const against = rest.join('~');
  return { by, descending, ...(against !== '' && { against }) };
}

/** The text that `sortFromText` reads. */
export const sortText = ({ by, against, descending }: SampleSort): string =>
  `${descending ? '-' : ''}${by}${against === undefined ? '' : `~${against}`}`;
